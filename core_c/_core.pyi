"""Types of the C core, as mypy sees them. Written by tests/tools/write_stub.py from the headers; do not edit.

A struct and a pointer to it have one type here, since cffi reads their fields alike. A pointer may be ``ffi.NULL``.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Literal, TypeVar, overload

from typing_extensions import Buffer, Self

_T = TypeVar("_T")
_C = TypeVar("_C", bound=CData)
_F = TypeVar("_F", bound=Callable[..., Any])

class CData:
    """Any value of C that is not a plain number."""

    def __bool__(self) -> bool: ...

class Array(CData, Generic[_T]):
    """An array of C, or a pointer to the first of several values."""

    @overload
    def __getitem__(self, index: int, /) -> _T: ...
    @overload
    def __getitem__(self, part: slice[int, int, None], /) -> Array[_T]: ...
    @overload
    def __setitem__(self, index: int, value: _T, /) -> None: ...
    @overload
    def __setitem__(self, part: slice[int, int, None], values: Iterable[_T], /) -> None: ...
    def __add__(self, places: int, /) -> Self: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __len__(self) -> int: ...

class Chars(CData):
    """An array of ``char``, or a pointer to a text that ends with a NUL."""

    def __add__(self, places: int, /) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *raised: object) -> None: ...
    def __len__(self) -> int: ...

class Bytes(Array[int]):
    """An array of ``unsigned char``."""

class _Buffer:
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, part: slice, /) -> bytes: ...
    def __len__(self) -> int: ...

class rf_state(CData):
    def __getitem__(self, index: int, /) -> rf_state: ...
    words: Array[int]

class rf_error(CData):
    def __getitem__(self, index: int, /) -> rf_error: ...
    kind: int
    at: int
    length: int
    reason: Chars
    args: Array[Chars]

class rf_parsed_ply(CData):
    def __getitem__(self, index: int, /) -> rf_parsed_ply: ...
    ply: int
    long_form: int
    warning: Chars

class rf_piece(CData):
    def __getitem__(self, index: int, /) -> rf_piece: ...
    kind: Chars
    owner: int
    value: int
    place: int
    of: int
    file: int
    rank: int
    marks: int
    unused: int

class rf_counter(CData):
    def __getitem__(self, index: int, /) -> rf_counter: ...
    name: Chars
    player: int
    index: int
    number: int

class rf_option(CData):
    def __getitem__(self, index: int, /) -> rf_option: ...
    name: Chars
    value: Chars

class rf_description(CData):
    def __getitem__(self, index: int, /) -> rf_description: ...
    files: int
    ranks: int
    players: int
    player: int
    phase: Chars
    piece_count: int
    counter_count: int
    option_count: int
    pieces: Array[rf_piece]
    counters: Array[rf_counter]
    options: Array[rf_option]

class rf_control(CData):
    def __getitem__(self, index: int, /) -> rf_control: ...
    node_limit: int
    seconds: float
    poll: CData
    handle: CData
    cancel: Array[int]
    nodes: int
    done: int
    total: int
    depth: int
    lower: int
    upper: int
    stopped: int
    next_check: int
    started: float
    next_poll: float
    answered: Array[int]
    shown_depth: int
    share: int

class rf_chances(CData):
    def __getitem__(self, index: int, /) -> rf_chances: ...
    den: Array[int]
    num: Array[Array[int]]
    mask: Array[int]

class rf_margin_result(CData):
    def __getitem__(self, index: int, /) -> rf_margin_result: ...
    lower: int
    upper: int
    best_count: int
    best_complete: int
    best: Array[int]
    endless: int
    line_length: int
    line_complete: int
    line: Array[int]

class rf_win_result(CData):
    def __getitem__(self, index: int, /) -> rf_win_result: ...
    value: int
    distance: int
    decided: int
    has_ply: int
    ply: int

class rf_claim(CData):
    def __getitem__(self, index: int, /) -> rf_claim: ...
    player: int
    at_least: int
    within: int
    horizon: int
    excludes: bool
    excluded: int

class rf_event(CData):
    def __getitem__(self, index: int, /) -> rf_event: ...
    kind: int
    at: int
    length: int
    number: int
    index: int
    opens: bool
    text: Chars

class rf_diagnostic(CData):
    def __getitem__(self, index: int, /) -> rf_diagnostic: ...
    code: Chars
    is_error: bool
    at: int
    length: int
    ply: int
    expected: Chars
    last_at: int
    last_length: int
    last_number: int
    last_opens: bool
    reason: rf_error

class rf_search_target(CData):
    def __getitem__(self, index: int, /) -> rf_search_target: ...
    game: rf_game
    state: rf_state
    pattern: Chars

class rf_scan_job(CData):
    def __getitem__(self, index: int, /) -> rf_scan_job: ...
    text: Chars
    length: int
    at: int
    first: int
    max_reported: int

class rf_scan_summary(CData):
    def __getitem__(self, index: int, /) -> rf_scan_summary: ...
    events: int
    diagnosed: int
    plies: int
    errors: int
    warnings: int
    result_at: int
    result_length: int
    first_number: int
    outcome: int
    complete: bool
    reached: int
    diagnostics: Array[rf_diagnostic]

class rf_splitter(CData):
    def __getitem__(self, index: int, /) -> rf_splitter: ...
    at: int
    line: int
    boundary: int
    boundary_line: int
    mid_line: bool
    keep: int
    content: bool
    line_start: int
    begin: int
    state: int
    bom_bytes: int
    in_comment: bool
    after_blank: bool
    tags: bool
    movetext: bool
    after_cr: bool
    has_name: bool

class rf_usual_start(CData):
    def __getitem__(self, index: int, /) -> rf_usual_start: ...
    game: rf_game
    ctx: CData
    state: rf_state
    players: int

class rf_record_facts(CData):
    def __getitem__(self, index: int, /) -> rf_record_facts: ...
    start: int
    plies: int
    outcome: int
    reached: int
    result: Chars

class rf_clean_record(CData):
    def __getitem__(self, index: int, /) -> rf_clean_record: ...
    facts: rf_record_facts
    result_at: int
    result_length: int
    end: int
    fen: bool
    state: rf_state
    last: rf_state

class rf_warning(CData):
    def __getitem__(self, index: int, /) -> rf_warning: ...
    found: rf_diagnostic
    state: rf_state
    before: rf_state

class rf_located(CData):
    def __getitem__(self, index: int, /) -> rf_located: ...
    line: int
    line_at: int
    code: Chars
    line_length: int
    column: int
    length: int
    ply: int
    record: int
    warning: int

class rf_scanned_record(CData):
    def __getitem__(self, index: int, /) -> rf_scanned_record: ...
    record: int
    first_warning: int
    warned: int
    line: int
    mid_line: bool
    usual: bool
    movetext: int
    plies_before: int

class rf_clean_part(CData):
    def __getitem__(self, index: int, /) -> rf_clean_part: ...
    text: Chars
    length: int
    base: int
    begin: int
    end: int
    line: int
    mid_line: bool
    final: bool
    max_bytes: int
    locate: bool
    passed: int
    plies: int
    scanned: int
    warned: int
    located: int
    scanned_records: Array[rf_scanned_record]
    warnings: Array[rf_warning]
    located_warnings: Array[rf_located]

class rf_tag(CData):
    def __getitem__(self, index: int, /) -> rf_tag: ...
    at: int
    length: int
    name_at: int
    name_length: int
    value_at: int
    value_length: int
    escapes: bool
    problem: Chars

class rf_probability(CData):
    def __getitem__(self, index: int, /) -> rf_probability: ...
    num: Array[int]
    den: Array[int]

class rf_solve_options(CData):
    def __getitem__(self, index: int, /) -> rf_solve_options: ...
    nodes: int
    seconds: float
    table_bytes: int
    depth: int
    wdl: int
    forward_only: int
    model: int
    player: int
    has_until: int
    until: rf_probability

class rf_answer(CData):
    def __getitem__(self, index: int, /) -> rf_answer: ...
    status: int
    value: int
    margin: int
    distance: int
    player: int
    chances: rf_chances

class rf_ply_answer(CData):
    def __getitem__(self, index: int, /) -> rf_ply_answer: ...
    ply: int
    answer: rf_answer
    has_bounds: int
    lower: int
    upper: int
    decided: int

class rf_solution(CData):
    def __getitem__(self, index: int, /) -> rf_solution: ...
    answer: rf_answer
    best: Array[int]
    best_count: int
    best_complete: int
    line: Array[int]
    line_length: int
    line_complete: int
    nodes: int
    seconds: float
    has_bounds: int
    lower: int
    upper: int
    lower_probability: rf_probability
    upper_probability: rf_probability
    decided: int
    endless: int
    horizon: int
    player: int
    has_open: int
    open: rf_probability
    note: Chars
    plies: rf_ply_answer
    ply_count: int

class rf_tb_blocks(CData):
    def __getitem__(self, index: int, /) -> rf_tb_blocks: ...
    path: Chars
    data_at: int
    data_size: int
    blocks: int
    block_entries: int
    offsets: Array[int]
    checksums: Array[int]

class rf_tb_answer(CData):
    def __getitem__(self, index: int, /) -> rf_tb_answer: ...
    status: int
    winner: int
    distance: int

class rf_tb_zugzwangs(CData):
    def __getitem__(self, index: int, /) -> rf_tb_zugzwangs: ...
    positions: int
    longest: int
    longest_at: int

class rf_tb_statistics(CData):
    def __getitem__(self, index: int, /) -> rf_tb_statistics: ...
    wins: int
    draws: int
    losses: int
    longest_win: int
    longest_loss: int
    longest_win_at: int
    longest_loss_at: int

class rf_tb_step(CData):
    def __getitem__(self, index: int, /) -> rf_tb_step: ...
    rows: int
    begin: int
    percent: int
    percent_after: int

class rf_tb_checkpoint(CData):
    def __getitem__(self, index: int, /) -> rf_tb_checkpoint: ...
    phase: int
    stone: int
    plies: int
    exit_longest: int
    longest: int
    done: int

class rf_gran_set(CData):
    def __getitem__(self, index: int, /) -> rf_gran_set: ...
    low: int
    high: int

class rf_gran_board(CData):
    def __getitem__(self, index: int, /) -> rf_gran_board: ...
    name: Chars
    files: int
    ranks: int
    points: int
    stones: int
    start: int
    ring: int
    cards: Array[int]
    file: Array[int]
    rank: Array[int]
    realm: Array[int]
    symbol: Array[int]
    neighbours: Array[rf_gran_set]
    all: rf_gran_set
    plain: rf_gran_set
    white: rf_gran_set
    dragons: rf_gran_set
    cities: rf_gran_set
    put: Array[rf_gran_set]
    two_steps: Array[rf_gran_set]
    strides: int
    stride: Array[int]
    stride_from: Array[rf_gran_set]
    point_at: Array[int]
    by_square: Array[int]
    beyond_name: Array[int]
    card_count: int
    steps: Array[Array[int]]
    plies_to_city: Array[Array[Array[int]]]
    banished_plies_to_city: Array[Array[int]]
    plies_between_cities: Array[int]

class rf_game(CData): ...
class rf_table(CData): ...
class rf_in_progress(CData): ...
class rf_margin(CData): ...
class rf_chance_table(CData): ...
class rf_win_search(CData): ...
class rf_frontier(CData): ...
class rf_graph(CData): ...
class rf_leaves(CData): ...
class rf_certificate(CData): ...
class rf_layers(CData): ...
class rf_scanner(CData): ...
class rf_writer(CData): ...
class rf_pool(CData): ...
class rf_forward(CData): ...
class rf_tablebase(CData): ...
class rf_tb_reader(CData): ...
class rf_tb_build(CData): ...
class si_tables(CData): ...
class si_solver(CData): ...

class _Ffi:
    NULL: Any
    def string(self, text: Chars, maxlen: int = -1) -> bytes: ...
    @overload
    def unpack(self, data: Chars, length: int) -> bytes: ...
    @overload
    def unpack(self, data: Array[_T], length: int) -> list[_T]: ...
    def gc(self, data: _C, destructor: Callable[[_C], object], size: int = 0) -> _C: ...
    def buffer(self, data: CData, size: int = -1) -> _Buffer: ...
    @overload
    def from_buffer(self, ctype: Literal["unsigned char[]"], data: Buffer, /) -> Bytes: ...
    @overload
    def from_buffer(self, data: Buffer, /) -> Chars: ...
    def memmove(self, to: CData, data: CData | Buffer, size: int) -> None: ...
    def new_handle(self, value: object) -> CData: ...
    def from_handle(self, handle: CData) -> Any: ...
    def cast(self, ctype: str, value: object) -> Any: ...
    def sizeof(self, ctype: str | CData) -> int: ...
    def offsetof(self, ctype: str, *fields: str | int) -> int: ...
    def addressof(self, data: CData, *fields: str | int) -> Any: ...
    def release(self, data: CData) -> None: ...
    def def_extern(
        self, name: str = ..., error: Any = None, onerror: Callable[..., Any] | None = None
    ) -> Callable[[_F], _F]: ...
    @overload
    def new(self, ctype: Literal["char[]"], init: Any = None) -> Chars: ...
    @overload
    def new(self, ctype: Literal["unsigned char[]"], init: Any = None) -> Bytes: ...
    @overload
    def new(self, ctype: Literal["uint8_t[]"], init: Any = None) -> Bytes: ...
    @overload
    def new(self, ctype: Literal["rf_ply[]"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["rf_state[]"], init: Any = None) -> rf_state: ...
    @overload
    def new(self, ctype: Literal["rf_chances[]"], init: Any = None) -> rf_chances: ...
    @overload
    def new(self, ctype: Literal["int[]"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["int *"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["uint32_t *"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["uint64_t *"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["uint64_t[]"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["uint64_t[3]"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["uint8_t[6]"], init: Any = None) -> Bytes: ...
    @overload
    def new(self, ctype: Literal["uint16_t[]"], init: Any = None) -> Array[int]: ...
    @overload
    def new(self, ctype: Literal["rf_state *"], init: Any = None) -> rf_state: ...
    @overload
    def new(self, ctype: Literal["rf_error *"], init: Any = None) -> rf_error: ...
    @overload
    def new(self, ctype: Literal["rf_parsed_ply *"], init: Any = None) -> rf_parsed_ply: ...
    @overload
    def new(self, ctype: Literal["rf_piece *"], init: Any = None) -> rf_piece: ...
    @overload
    def new(self, ctype: Literal["rf_counter *"], init: Any = None) -> rf_counter: ...
    @overload
    def new(self, ctype: Literal["rf_option *"], init: Any = None) -> rf_option: ...
    @overload
    def new(self, ctype: Literal["rf_description *"], init: Any = None) -> rf_description: ...
    @overload
    def new(self, ctype: Literal["rf_control *"], init: Any = None) -> rf_control: ...
    @overload
    def new(self, ctype: Literal["rf_chances *"], init: Any = None) -> rf_chances: ...
    @overload
    def new(self, ctype: Literal["rf_margin_result *"], init: Any = None) -> rf_margin_result: ...
    @overload
    def new(self, ctype: Literal["rf_win_result *"], init: Any = None) -> rf_win_result: ...
    @overload
    def new(self, ctype: Literal["rf_claim *"], init: Any = None) -> rf_claim: ...
    @overload
    def new(self, ctype: Literal["rf_event *"], init: Any = None) -> rf_event: ...
    @overload
    def new(self, ctype: Literal["rf_diagnostic *"], init: Any = None) -> rf_diagnostic: ...
    @overload
    def new(self, ctype: Literal["rf_search_target *"], init: Any = None) -> rf_search_target: ...
    @overload
    def new(self, ctype: Literal["rf_scan_job *"], init: Any = None) -> rf_scan_job: ...
    @overload
    def new(self, ctype: Literal["rf_scan_summary *"], init: Any = None) -> rf_scan_summary: ...
    @overload
    def new(self, ctype: Literal["rf_splitter *"], init: Any = None) -> rf_splitter: ...
    @overload
    def new(self, ctype: Literal["rf_usual_start *"], init: Any = None) -> rf_usual_start: ...
    @overload
    def new(self, ctype: Literal["rf_record_facts *"], init: Any = None) -> rf_record_facts: ...
    @overload
    def new(self, ctype: Literal["rf_clean_record *"], init: Any = None) -> rf_clean_record: ...
    @overload
    def new(self, ctype: Literal["rf_warning *"], init: Any = None) -> rf_warning: ...
    @overload
    def new(self, ctype: Literal["rf_located *"], init: Any = None) -> rf_located: ...
    @overload
    def new(self, ctype: Literal["rf_scanned_record *"], init: Any = None) -> rf_scanned_record: ...
    @overload
    def new(self, ctype: Literal["rf_clean_part *"], init: Any = None) -> rf_clean_part: ...
    @overload
    def new(self, ctype: Literal["rf_tag *"], init: Any = None) -> rf_tag: ...
    @overload
    def new(self, ctype: Literal["rf_probability *"], init: Any = None) -> rf_probability: ...
    @overload
    def new(self, ctype: Literal["rf_solve_options *"], init: Any = None) -> rf_solve_options: ...
    @overload
    def new(self, ctype: Literal["rf_answer *"], init: Any = None) -> rf_answer: ...
    @overload
    def new(self, ctype: Literal["rf_ply_answer *"], init: Any = None) -> rf_ply_answer: ...
    @overload
    def new(self, ctype: Literal["rf_solution *"], init: Any = None) -> rf_solution: ...
    @overload
    def new(self, ctype: Literal["rf_tb_blocks *"], init: Any = None) -> rf_tb_blocks: ...
    @overload
    def new(self, ctype: Literal["rf_tb_answer *"], init: Any = None) -> rf_tb_answer: ...
    @overload
    def new(self, ctype: Literal["rf_tb_zugzwangs *"], init: Any = None) -> rf_tb_zugzwangs: ...
    @overload
    def new(self, ctype: Literal["rf_tb_statistics *"], init: Any = None) -> rf_tb_statistics: ...
    @overload
    def new(self, ctype: Literal["rf_tb_step *"], init: Any = None) -> rf_tb_step: ...
    @overload
    def new(self, ctype: Literal["rf_tb_checkpoint *"], init: Any = None) -> rf_tb_checkpoint: ...
    @overload
    def new(self, ctype: Literal["rf_gran_set *"], init: Any = None) -> rf_gran_set: ...
    @overload
    def new(self, ctype: Literal["rf_gran_board *"], init: Any = None) -> rf_gran_board: ...
    @overload
    def new(self, ctype: Literal["rf_clean_record[]"], init: Any = None) -> Array[rf_clean_record]: ...
    @overload
    def new(self, ctype: Literal["rf_event[]"], init: Any = None) -> Array[rf_event]: ...
    @overload
    def new(self, ctype: Literal["rf_search_target[]"], init: Any = None) -> Array[rf_search_target]: ...
    @overload
    def new(self, ctype: Literal["rf_tb_zugzwangs[]"], init: Any = None) -> Array[rf_tb_zugzwangs]: ...
    @overload
    def new(self, ctype: Literal["rf_usual_start[]"], init: Any = None) -> Array[rf_usual_start]: ...
    @overload
    def new(self, ctype: Literal["rf_warning[]"], init: Any = None) -> Array[rf_warning]: ...

class _Lib:
    RF_STATE_SIZE: int
    RF_MAX_PLAYERS: int
    RF_MAX_PLIES: int
    RF_MAX_TEXT: int
    RF_MAX_PLY_TEXT: int
    RF_MAX_CHANCE_RESULTS: int
    RF_MAX_PIECES: int
    RF_MAX_COUNTERS: int
    RF_MAX_OPTIONS: int
    RF_MAX_PLY_KINDS: int
    RF_MAX_MARGIN: int
    RF_MARGIN_PLIES: int
    RF_REASON_SIZE: int
    RF_ARG_SIZE: int
    RF_ARGS: int
    RF_OK: int
    RF_SYNTAX: int
    RF_IMPOSSIBLE: int
    RF_ILLEGAL: int
    RF_OUTCOME_NONE: int
    RF_OUTCOME_DRAW: int
    RF_SOLVER_WIN: int
    RF_SOLVER_MARGIN: int
    RF_SOLVER_CHANCE: int
    RF_DONE: int
    RF_STOPPED_NODES: int
    RF_STOPPED_TIME: int
    RF_STOPPED_CANCEL: int
    RF_STOPPED_MEMORY: int
    RF_STOPPED_OVERFLOW: int
    RF_STOPPED_ANSWERED: int
    RF_ON_SQUARE: int
    RF_ON_THRONE: int
    RF_HELD: int
    RF_OFF_BOARD: int
    RF_MARK_REMOVABLE: int
    RF_MARK_EXTRA_PLY: int
    RF_MARK_RESTING: int
    RF_WIN_MAX_PLIES: int
    RF_MAX_PERFT: int
    RF_MAX_HORIZON: int
    RF_MARGIN_LINE: int
    RF_CHANCE_STOPPED: int
    RF_CHANCE_BELOW: int
    RF_CHANCE_FOUND: int
    RF_CHANCE_VALUE: int
    RF_CHANCE_AT_LEAST: int
    RF_CHANCE_AT_MOST: int
    RF_FRONTIER_PARTS: int
    RF_CERT_GOOD: int
    RF_CERT_SHORT: int
    RF_CERT_LONG: int
    RF_CERT_NUMBER: int
    RF_CERT_PLY: int
    RF_CERT_RANK: int
    RF_CERT_RESULT: int
    RF_CERT_TOO_MANY: int
    RF_CERT_UNREAD: int
    RF_LAYER_LOST: int
    RF_LAYER_WON: int
    RF_LAYER_OPEN: int
    RF_LAYER_MEAN: int
    RF_LAYER_MAX: int
    RF_LAYER_MIN: int
    RF_EVENT_PLY: int
    RF_EVENT_NAG: int
    RF_EVENT_COMMENT: int
    RF_EVENT_OPEN: int
    RF_EVENT_CLOSE: int
    RF_SCAN_END: int
    RF_SCAN_MORE: int
    RF_SCAN_PAUSE: int
    RF_SCAN_MEMORY: int
    RF_DIAGNOSTICS: int
    RF_REACHED_POSITION: int
    RF_REACHED_PATTERN: int
    RF_FORM_TEXT: int
    RF_FORM_SHORT: int
    RF_FORM_JSON: int
    RF_FACTS_RESULT: int
    RF_CLEAN_END: int
    RF_CLEAN_FULL: int
    RF_CLEAN_RECORD: int
    RF_RECORD_WARNINGS: int
    RF_MAX_SCANNED: int
    RF_MAX_WARNINGS: int
    RF_MODEL_MAXN: int
    RF_MODEL_PARANOID: int
    RF_STATUS_UNKNOWN: int
    RF_STATUS_BOUND: int
    RF_STATUS_HORIZON: int
    RF_STATUS_EXACT: int
    RF_VALUE_NONE: int
    RF_VALUE_WIN: int
    RF_VALUE_LOSS: int
    RF_VALUE_DRAW: int
    RF_VALUE_MARGIN: int
    RF_VALUE_CHANCES: int
    RF_NOTE_SIZE: int
    RF_NOT_KNOWN: int
    RF_TB_FOUND: int
    RF_TB_ABSENT: int
    RF_TB_DAMAGED: int
    RF_TB_TOO_LONG: int
    RF_TB_LOSS: int
    RF_TB_VALUES: int
    RF_TB_FULL_POINT: int
    RF_TB_HALF_POINT: int
    RF_TB_PARTS: int
    RF_GRAN_POINTS: int
    RF_GRAN_SIDE: int
    RF_GRAN_NO_POINT: int
    RF_GRAN_TIRAD: int
    RF_GRAN_URGAD: int
    RF_GRAN_GALAD: int
    RF_GRAN_ELGAD: int
    RF_GRAN_WHITE: int
    RF_GRAN_PLAIN: int
    RF_GRAN_DRAGON: int
    RF_GRAN_MAGIC_STONE: int
    RF_GRAN_SWORD: int
    RF_GRAN_CITY: int
    RF_GRAN_START_BALL: int
    RF_GRAN_RING_BALL: int
    GR_MASK_OF_PLY: int
    GR_MASK_OF_LIST: int
    GR_MASK_OF_THROUGH: int
    SI_TB_STONES: int
    SI_SOLVER_STONES: int
    SI_SOLVER_SOLVED: int
    SI_SOLVER_STOPPED: int
    SI_SOLVER_FULL: int
    SI_SOLVER_DAMAGED: int
    SI_SOLVER_UNKNOWN: int
    def rf_control_start(self, control: rf_control, /) -> None: ...
    def rf_init(self, plain: bool, /) -> Chars: ...
    def rf_instruction_set(self) -> Chars: ...
    def rf_game_at(self, index: int, /) -> rf_game: ...
    def rf_game_id(self, game: rf_game, /) -> Chars: ...
    def rf_game_start(self, game: rf_game, /) -> Chars: ...
    def rf_game_solver(self, game: rf_game, /) -> int: ...
    def rf_game_needs_context(self, game: rf_game, /) -> bool: ...
    def rf_game_state_size(self, game: rf_game, /) -> int: ...
    def rf_game_max_plies(self, game: rf_game, /) -> int: ...
    def rf_game_max_text(self, game: rf_game, /) -> int: ...
    def rf_game_max_ply_text(self, game: rf_game, /) -> int: ...
    def rf_parse(
        self, game: rf_game, ctx: CData, text: bytes | Chars, length: int, out: rf_state, error: rf_error, /
    ) -> bool: ...
    def rf_format(self, game: rf_game, ctx: CData, s: rf_state, out: bytes | Chars, /) -> int: ...
    def rf_describe(self, game: rf_game, ctx: CData, s: rf_state, out: rf_description, /) -> None: ...
    def rf_parse_ply(
        self,
        game: rf_game,
        ctx: CData,
        s: rf_state,
        text: bytes | Chars,
        length: int,
        out: rf_parsed_ply,
        error: rf_error,
        /,
    ) -> bool: ...
    def rf_format_ply(self, game: rf_game, ctx: CData, s: rf_state, ply: int, out: bytes | Chars, /) -> int: ...
    def rf_format_path(self, game: rf_game, ctx: CData, s: rf_state, ply: int, out: bytes | Chars, /) -> int: ...
    def rf_plies(self, game: rf_game, ctx: CData, s: rf_state, out: Array[int], /) -> int: ...
    def rf_sorted_plies(self, game: rf_game, ctx: CData, s: rf_state, out: Array[int], /) -> int: ...
    def rf_successors(self, game: rf_game, ctx: CData, s: rf_state, plies: Array[int], states: rf_state, /) -> int: ...
    def rf_count_plies(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_apply(self, game: rf_game, ctx: CData, s: rf_state, ply: int, out: rf_state, /) -> None: ...
    def rf_null_ply(self, game: rf_game, ctx: CData, s: rf_state, out: rf_state, error: rf_error, /) -> bool: ...
    def rf_is_chance(self, game: rf_game, ctx: CData, s: rf_state, /) -> bool: ...
    def rf_weight(self, game: rf_game, ctx: CData, s: rf_state, ply: int, /) -> int: ...
    def rf_is_quiet(self, game: rf_game, ctx: CData, s: rf_state, ply: int, /) -> bool: ...
    def rf_outcome(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_player(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_players(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_mid_turn(self, game: rf_game, ctx: CData, s: rf_state, /) -> bool: ...
    def rf_hash(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_equal(self, game: rf_game, a: rf_state, b: rf_state, /) -> bool: ...
    def rf_canonical(self, game: rf_game, ctx: CData, s: rf_state, out: rf_state, /) -> None: ...
    def rf_same_board(self, game: rf_game, ctx: CData, a: rf_state, b: rf_state, /) -> bool: ...
    def rf_perft(
        self, game: rf_game, ctx: CData, s: rf_state, depth: int, table: rf_table, control: rf_control, /
    ) -> int: ...
    def rf_game_ply_kind(self, game: rf_game, index: int, /) -> Chars: ...
    def rf_perft_kinds(
        self, game: rf_game, ctx: CData, s: rf_state, depth: int, counts: Array[int], control: rf_control, /
    ) -> int: ...
    def rf_table_new(self, bytes: int, /) -> rf_table: ...
    def rf_table_new_growing(self, bytes: int, /) -> rf_table: ...
    def rf_table_free(self, table: rf_table, /) -> None: ...
    def rf_makes_progress(self, game: rf_game, ctx: CData, s: rf_state, ply: int, /) -> bool: ...
    def rf_estimate_reachable(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_in_progress_new(self) -> rf_in_progress: ...
    def rf_in_progress_free(self, in_progress: rf_in_progress, /) -> None: ...
    def rf_margin_new(self, game: rf_game, bytes: int, helpers: int, /) -> rf_margin: ...
    def rf_margin_free(self, search: rf_margin, /) -> None: ...
    def rf_margin_bound(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_margin_pieces_left(self, game: rf_game, ctx: CData, s: rf_state, /) -> int: ...
    def rf_margin_at_least(
        self, search: rf_margin, ctx: CData, s: rf_state, threshold: int, control: rf_control, /
    ) -> int: ...
    def rf_margin_solve(
        self, search: rf_margin, ctx: CData, s: rf_state, result: rf_margin_result, control: rf_control, /
    ) -> None: ...
    def rf_margin_help(self, search: rf_margin, helper: int, /) -> None: ...
    def rf_margin_stop_helpers(self, search: rf_margin, /) -> None: ...
    def rf_margin_helper_nodes(self, search: rf_margin, /) -> int: ...
    def rf_margin_set_max_groups(self, search: rf_margin, max: int, /) -> None: ...
    def rf_chance_table_new(self, game: rf_game, players: int, bytes: int, /) -> rf_chance_table: ...
    def rf_chance_table_free(self, table: rf_chance_table, /) -> None: ...
    def rf_chance_table_share(self, table: rf_chance_table, /) -> bool: ...
    def rf_chance_maxn(
        self,
        game: rf_game,
        ctx: CData,
        s: rf_state,
        plies: int,
        player: int,
        least: rf_chances,
        table: rf_chance_table,
        control: rf_control,
        out: rf_chances,
        /,
    ) -> int: ...
    def rf_chance_paranoid(
        self,
        game: rf_game,
        ctx: CData,
        s: rf_state,
        plies: int,
        player: int,
        upper: bool,
        question: int,
        limit: rf_chances,
        table: rf_chance_table,
        control: rf_control,
        out: rf_chances,
        /,
    ) -> int: ...
    def rf_chance_paranoid_each(
        self,
        game: rf_game,
        ctx: CData,
        states: rf_state,
        count: int,
        plies: int,
        player: int,
        upper: bool,
        question: int,
        limit: rf_chances,
        table: rf_chance_table,
        control: rf_control,
        out: rf_chances,
        /,
    ) -> int: ...
    def rf_win_new(self, game: rf_game, ctx: CData, table: rf_table, /) -> rf_win_search: ...
    def rf_win_free(self, search: rf_win_search, /) -> None: ...
    def rf_win_forces(
        self, search: rf_win_search, s: rf_state, player: int, plies: int, control: rf_control, /
    ) -> int: ...
    def rf_win_deciding_ply(self, search: rf_win_search, ply: Array[int], /) -> bool: ...
    def rf_win_share_work(self, search: rf_win_search, in_progress: rf_in_progress, /) -> None: ...
    def rf_win_solve(
        self, search: rf_win_search, s: rf_state, plies: int, result: rf_win_result, control: rf_control, /
    ) -> bool: ...
    def rf_frontier_record_size(self, game: rf_game, /) -> int: ...
    def rf_frontier_new(self, game: rf_game, memory: int, /) -> rf_frontier: ...
    def rf_frontier_free(self, frontier: rf_frontier, /) -> None: ...
    def rf_frontier_clear(self, frontier: rf_frontier, /) -> None: ...
    def rf_frontier_count(self, frontier: rf_frontier, /) -> int: ...
    def rf_frontier_add(
        self, frontier: rf_frontier, records: bytes | CData, count: int, control: rf_control, /
    ) -> int: ...
    def rf_frontier_expand(
        self, frontier: rf_frontier, ctx: CData, records: bytes | CData, count: int, control: rf_control, /
    ) -> int: ...
    def rf_frontier_sort(self, frontier: rf_frontier, /) -> bool: ...
    def rf_frontier_read(self, frontier: rf_frontier, first: int, count: int, records: bytes | CData, /) -> None: ...
    def rf_frontier_part(self, frontier: rf_frontier, part: int, /) -> int: ...
    def rf_graph_new(
        self, game: rf_game, ctx: CData, root: rf_state, memory: int, control: rf_control, /
    ) -> rf_graph: ...
    def rf_graph_free(self, graph: rf_graph, /) -> None: ...
    def rf_graph_size(self, graph: rf_graph, /) -> int: ...
    def rf_graph_find(self, graph: rf_graph, s: rf_state, /) -> int: ...
    def rf_graph_state(self, graph: rf_graph, node: int, out: rf_state, /) -> None: ...
    def rf_retrograde(self, graph: rf_graph, control: rf_control, /) -> bool: ...
    def rf_graph_winner(self, graph: rf_graph, node: int, /) -> int: ...
    def rf_graph_distance(self, graph: rf_graph, node: int, /) -> int: ...
    def rf_certificate_new(
        self,
        game: rf_game,
        ctx: CData,
        root: rf_state,
        claim: rf_claim,
        leaves: rf_leaves,
        max_positions: int,
        memory: int,
        writing: bool,
        /,
    ) -> rf_certificate: ...
    def rf_certificate_free(self, certificate: rf_certificate, /) -> None: ...
    def rf_certificate_positions(self, certificate: rf_certificate, /) -> int: ...
    def rf_certificate_root_rank(self, certificate: rf_certificate, /) -> int: ...
    def rf_certificate_contains(self, certificate: rf_certificate, s: rf_state, /) -> bool: ...
    def rf_certificate_error(self, certificate: rf_certificate, /) -> int: ...
    def rf_certificate_check(
        self, certificate: rf_certificate, bytes: bytes | CData, length: int, last: bool, control: rf_control, /
    ) -> int: ...
    def rf_certificate_is_complete(self, certificate: rf_certificate, /) -> bool: ...
    def rf_certificate_next_decision(
        self, certificate: rf_certificate, out: rf_state, control: rf_control, /
    ) -> int: ...
    def rf_certificate_plies_left(self, certificate: rf_certificate, /) -> int: ...
    def rf_certificate_choose(self, certificate: rf_certificate, ply: int, control: rf_control, /) -> bool: ...
    def rf_certificate_compute_ranks(self, certificate: rf_certificate, /) -> int: ...
    def rf_certificate_write(
        self, certificate: rf_certificate, index: Array[int], out: bytes | CData, capacity: int, /
    ) -> int: ...
    def rf_layers_new(
        self,
        game: rf_game,
        ctx: CData,
        root: rf_state,
        player: int,
        upper: bool,
        excludes: bool,
        excluded: int,
        memory: int,
        /,
    ) -> rf_layers: ...
    def rf_layers_free(self, layers: rf_layers, /) -> None: ...
    def rf_layers_error(self, layers: rf_layers, /) -> int: ...
    def rf_layers_size(self, layers: rf_layers, /) -> int: ...
    def rf_layers_kinds(self, layers: rf_layers, /) -> Array[int]: ...
    def rf_layers_state(self, layers: rf_layers, index: int, out: rf_state, /) -> None: ...
    def rf_layers_next_unexpanded(self, layers: rf_layers, /) -> int: ...
    def rf_layers_party_decides(self, layers: rf_layers, index: int, /) -> bool: ...
    def rf_layers_expand(self, layers: rf_layers, number: int, /) -> bool: ...
    def rf_layers_check(
        self, layers: rf_layers, bytes: bytes | CData, length: int, last: bool, control: rf_control, /
    ) -> int: ...
    def rf_layers_first_edges(self, layers: rf_layers, /) -> Array[int]: ...
    def rf_layers_edges(self, layers: rf_layers, /) -> Array[int]: ...
    def rf_layers_weights(self, layers: rf_layers, /) -> Array[int]: ...
    def rf_layers_advance(self, layers: rf_layers, /) -> bool: ...
    def rf_scanner_new(self) -> rf_scanner: ...
    def rf_scanner_free(self, s: rf_scanner, /) -> None: ...
    def rf_scan_begin(self, s: rf_scanner, game: rf_game, ctx: CData, start: rf_state, job: rf_scan_job, /) -> None: ...
    def rf_scan(self, s: rf_scanner, events: Array[rf_event], capacity: int, /) -> int: ...
    def rf_scan_summary_of(self, s: rf_scanner, /) -> rf_scan_summary: ...
    def rf_scan_search_for(self, s: rf_scanner, sought: Array[rf_search_target], count: int, /) -> None: ...
    def rf_scan_pause_at(self, s: rf_scanner, plies: int, /) -> None: ...
    def rf_scan_state_before(self, s: rf_scanner, /) -> rf_state: ...
    def rf_scan_state(self, s: rf_scanner, /) -> rf_state: ...
    def rf_split(self, s: rf_splitter, text: bytes | Chars, length: int, /) -> int: ...
    def rf_writer_new(self, form: int, /) -> rf_writer: ...
    def rf_writer_free(self, w: rf_writer, /) -> None: ...
    def rf_writer_text(self, w: rf_writer, /) -> Chars: ...
    def rf_writer_length(self, w: rf_writer, /) -> int: ...
    def rf_check_clean(
        self,
        part: rf_clean_part,
        splitter: rf_splitter,
        scanner: rf_scanner,
        starts: Array[rf_usual_start],
        start_count: int,
        writer: rf_writer,
        records: Array[rf_clean_record],
        capacity: int,
        /,
    ) -> int: ...
    def rf_read_tag(self, text: bytes | Chars, length: int, at: int, tag: rf_tag, /) -> bool: ...
    def rf_pool_new(self, helpers: int, /) -> rf_pool: ...
    def rf_pool_free(self, pool: rf_pool, /) -> None: ...
    def rf_pool_help(self, pool: rf_pool, helper: int, /) -> None: ...
    def rf_pool_close(self, pool: rf_pool, /) -> None: ...
    def rf_pool_share_short_work(self, pool: rf_pool, /) -> None: ...
    def rf_solve(
        self,
        game: rf_game,
        ctx: CData,
        s: rf_state,
        options: rf_solve_options,
        pool: rf_pool,
        control: rf_control,
        out: rf_solution,
        /,
    ) -> bool: ...
    def rf_solution_clear(self, solution: rf_solution, /) -> None: ...
    def rf_fits_in_memory(self, game: rf_game, ctx: CData, s: rf_state, bytes: int, /) -> bool: ...
    def rf_solve_each_ply(
        self,
        game: rf_game,
        ctx: CData,
        s: rf_state,
        options: rf_solve_options,
        pool: rf_pool,
        control: rf_control,
        child: CData,
        handle: CData,
        solution: rf_solution,
        /,
    ) -> bool: ...
    def rf_forward_new(
        self, game: rf_game, ctx: CData, options: rf_solve_options, pool: rf_pool, control: rf_control, /
    ) -> rf_forward: ...
    def rf_forward_free(self, forward: rf_forward, /) -> None: ...
    def rf_forward_nodes(self, forward: rf_forward, /) -> int: ...
    def rf_forward_forces_win(
        self, forward: rf_forward, states: rf_state, count: int, winner: int, plies: int, answers: Array[int], /
    ) -> int: ...
    def rf_forward_plies(
        self, forward: rf_forward, s: rf_state, winner: int, plies: int, forced: int, max: int, out: Array[int], /
    ) -> int: ...
    def rf_forward_stopped(self, forward: rf_forward, /) -> int: ...
    def rf_is_class(self, game: rf_game, m: int, /) -> bool: ...
    def rf_material_swapped(self, game: rf_game, m: int, /) -> int: ...
    def rf_tablebase_entries(self, game: rf_game, files: int, ranks: int, m: int, /) -> int: ...
    def rf_tablebase_new(self, game: rf_game, files: int, ranks: int, variant: int, /) -> rf_tablebase: ...
    def rf_tablebase_free(self, tables: rf_tablebase, /) -> None: ...
    def rf_tablebase_add_values(self, tables: rf_tablebase, m: int, width: int, values: CData, /) -> bool: ...
    def rf_tablebase_add_blocks(self, tables: rf_tablebase, m: int, width: int, blocks: rf_tb_blocks, /) -> bool: ...
    def rf_tb_reader_new(self, decompress: CData, context: CData, /) -> rf_tb_reader: ...
    def rf_tb_reader_free(self, reader: rf_tb_reader, /) -> None: ...
    def rf_tb_reader_resize(self, reader: rf_tb_reader, blocks: int, /) -> bool: ...
    def rf_tb_reader_damaged(self, reader: rf_tb_reader, /) -> int: ...
    def rf_tb_unpack(
        self, blocks: rf_tb_blocks, entries: int, width: int, decompress: CData, context: CData, out: CData, /
    ) -> int: ...
    def rf_tablebase_probe(self, tables: rf_tablebase, reader: rf_tb_reader, s: rf_state, /) -> rf_tb_answer: ...
    def rf_tablebase_entry_text(self, tables: rf_tablebase, m: int, index: int, out: bytes | Chars, /) -> bool: ...
    def rf_tablebase_verify(
        self, tables: rf_tablebase, reader: rf_tb_reader, m: int, first: int, to: int, control: rf_control, /
    ) -> int: ...
    def rf_tablebase_count_values(
        self,
        tables: rf_tablebase,
        reader: rf_tb_reader,
        m: int,
        first: int,
        to: int,
        counts: Array[int],
        control: rf_control,
        /,
    ) -> int: ...
    def rf_tablebase_zugzwangs(
        self,
        tables: rf_tablebase,
        reader: rf_tb_reader,
        m: int,
        first: int,
        to: int,
        found: Array[rf_tb_zugzwangs],
        control: rf_control,
        /,
    ) -> int: ...
    def rf_tablebase_find_value(
        self,
        tables: rf_tablebase,
        reader: rf_tb_reader,
        m: int,
        first: int,
        to: int,
        value: int,
        found: Array[int],
        control: rf_control,
        /,
    ) -> int: ...
    def rf_tb_build_memory(self, game: rf_game, files: int, ranks: int, m: int, /) -> int: ...
    def rf_tb_build_new(self, tables: rf_tablebase, m: int, /) -> rf_tb_build: ...
    def rf_tb_build_next_step(self, build: rf_tb_build, step: rf_tb_step, /) -> int: ...
    def rf_tb_build_rows(self, build: rf_tb_build, first: int, to: int, control: rf_control, /) -> None: ...
    def rf_tb_build_checkpoint(self, build: rf_tb_build, done: int, checkpoint: rf_tb_checkpoint, /) -> bool: ...
    def rf_tb_build_checkpoint_part(
        self, build: rf_tb_build, checkpoint: rf_tb_checkpoint, part: int, bytes: Array[int], /
    ) -> CData: ...
    def rf_tb_build_resume(self, build: rf_tb_build, checkpoint: rf_tb_checkpoint, /) -> bool: ...
    def rf_tb_build_longest(self, build: rf_tb_build, /) -> int: ...
    def rf_tb_build_write(
        self, build: rf_tb_build, swapped: bool, width: int, out: CData, statistics: rf_tb_statistics, /
    ) -> bool: ...
    def rf_tb_build_free(self, build: rf_tb_build, /) -> None: ...
    def rf_gran_complete(self, board: rf_gran_board, /) -> Chars: ...
    def gr_inspect_earliest_wins(self, ctx: CData, s: rf_state, out: Array[int], /) -> None: ...
    def gr_inspect_parts(self, ctx: CData, s: rf_state, fixed: Array[int], bits: Array[int], /) -> int: ...
    def gr_inspect_mask(self, ctx: CData, s: rf_state, question: int, ply: int, mask: Array[int], /) -> None: ...
    def gr_inspect_certain_winner(self, ctx: CData, s: rf_state, plies: int, /) -> int: ...
    def gr_inspect_can_prevent_wins(
        self, ctx: CData, s: rf_state, player: int, plies: int, mask: Array[int], /
    ) -> bool: ...
    def si_material_canonical(self, m: int, /) -> int: ...
    def si_material_swapped(self, m: int, /) -> int: ...
    def si_tables_of(self, tables: rf_tablebase, /) -> si_tables: ...
    def si_leaves_new(self, tables: si_tables, reader: rf_tb_reader, game: rf_game, /) -> rf_leaves: ...
    def si_leaves_free(self, leaves: rf_leaves, /) -> None: ...
    def si_leaves_used(self, leaves: rf_leaves, m: int, /) -> bool: ...
    def si_solver_new(
        self, tables: si_tables, reader: rf_tb_reader, game: rf_game, root: rf_state, memory: int, /
    ) -> si_solver: ...
    def si_solver_free(self, solver: si_solver, /) -> None: ...
    def si_solver_solve(self, solver: si_solver, control: rf_control, /) -> int: ...
    def si_solver_start_helpers(self, solver: si_solver, helpers: int, /) -> bool: ...
    def si_solver_help(self, solver: si_solver, reader: rf_tb_reader, /) -> None: ...
    def si_solver_stop_helpers(self, solver: si_solver, /) -> None: ...
    def si_solver_bound_distance(self, solver: si_solver, control: rf_control, /) -> bool: ...
    def si_solver_deepen(self, solver: si_solver, lower: Array[int], control: rf_control, /) -> int: ...
    def si_solver_wins_within(self, solver: si_solver, s: rf_state, plies: int, control: rf_control, /) -> int: ...
    def si_solver_wins(self, solver: si_solver, s: rf_state, player: int, upper: Array[int], /) -> int: ...
    rf_python_poll: CData
    rf_python_solve_child: CData
    rf_python_decompress: CData

ffi: _Ffi
lib: _Lib
