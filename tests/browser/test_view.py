"""The page of ``view`` in a real browser: keys, clicks, variations, problems, hostile text, print."""

from __future__ import annotations

import base64
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import PAINTED, Browser, find_browser
from cli_runner import ringfen
from firefox import Firefox, find_firefox
from record_maker import RecordMaker
from records_common import page_of

from ringfen import IllegalPlyError, Position, RingfenError, game_ids
from ringfen.notation import Record, random_game, read_records
from ringfen.notation.random_play import Generator, random_plies
from ringfen.notation.viewing import Page, frame_of
from ringfen.rules import game_by_id

pytestmark = pytest.mark.browser

GAME = """[Game "gyges"]
[Event "<script>document.title='bad'</script><img src=x onerror=alert(1)>"]
[South "javascript:alert(1)"]
[North "\\"</script><b>O'Neill</b>"]

{before} 1. 321123 321123 2. a1-b3 $4 {[%value n 5] [%mark 4] </script><script>document.title='bad'</script>}
(2. b1-b3 a6-b4 (2... b6-b4)) ({[%best] why} 2. c1-c2) 2... a6-b4 {[%value n 4]} 3. c1-c2 {[%value draw]} *

[Game "gyges"]
[South "Second"]
[North "Player"]

1. 321123 321123 2. a1-a9 a6-b4 *

[Game "rings"]
[South "Third \xff"]

1. a1-a2 *
"""


AnyBrowser = Browser | Firefox

#: GRAN: a card and the die are next.
FIGHT = "gran f8:1:-/h3:1:-/h6:0:- c7 i7 2.0.4.6.6.4.2 2 fight"

#: Seconds until a test that waits fails.
PATIENCE = 60


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_browser()
    assert program is not None, "--browser needs Chromium"
    with Browser(program) as started:
        started.resize(1300, 900)
        yield started


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    program = find_firefox()
    if program is None:
        pytest.skip("Firefox is not installed")
    with Firefox(program) as started:
        started.resize(1300, 900)
        yield started


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Browser:
    source = tmp_path / "games.rgn"
    source.write_bytes(GAME.encode("latin-1"))
    file = tmp_path / "games.html"
    file.write_text(page_of(read_records(source), "Some <b>games</b>"), encoding="utf-8")
    browser.open(file)
    browser.value("localStorage.clear()")
    browser.events.clear()
    browser.open(file)
    return browser


def current(page: AnyBrowser) -> str:
    """The ply that is shown, as the movetext marks it."""
    return str(page.value("document.querySelector('#movetext [aria-current]')?.textContent || ''"))


def fen(page: AnyBrowser) -> str:
    return str(page.value("document.getElementById('fen').value"))


def text(page: AnyBrowser, name: str) -> str:
    return str(page.value(f"document.getElementById('{name}').textContent"))


def drawn(page: AnyBrowser) -> list[str]:
    """Where the pieces on the board are."""
    return sorted(page.value("[...document.querySelectorAll('#board circle')].map(c => c.outerHTML)"))


def circles(position: Position, side: str = "s") -> list[str]:
    """Where they have to be."""
    svg = position.svg(side=side)
    found = [part.partition("/>")[0] for part in svg.split("<circle ")[1:]]
    return sorted(f"<circle {one}></circle>" for one in found)


def until(page: AnyBrowser, condition: str) -> None:
    """Waits until an expression in the page is true."""
    page.value(
        f"(async () => {{ const end = performance.now() + {PATIENCE * 1000}; while (!({condition})) {{"
        f" if (performance.now() > end) throw new Error({json.dumps(f'never true: {condition}')});"
        " await new Promise(done => setTimeout(done, 5)); } })()"
    )


def middle(page: AnyBrowser, selector: str, across: float = 0.5) -> tuple[float, float]:
    """The middle of an element in the window, or a point elsewhere across its width."""
    # A browser discards clicks on parts that it has not painted yet.
    x, y = page.value(
        f"(async () => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
        f" await {PAINTED};"
        f" const b = e.getBoundingClientRect(); return [b.x + b.width * {across}, b.y + b.height / 2]; }})()"
    )
    return x, y


def click(page: AnyBrowser, selector: str, across: float = 0.5) -> None:
    """Clicks an element, as a person would."""
    page.press_at(*middle(page, selector, across))


def tap(page: AnyBrowser, selector: str) -> None:
    """Taps an element with a finger."""
    page.touch_at(*middle(page, selector))


def test_keys_step_through_the_game(page: Browser) -> None:
    start = Position("gyges")
    plies = ["321123", "321123", "a1-b3", "a6-b4", "c1-c2"]
    assert fen(page) == start.fen
    for count in range(1, 6):
        page.press("ArrowRight")
        position = start.play(plies[:count])
        assert (current(page).rstrip("?"), fen(page)) == (plies[count - 1], position.fen)
        assert drawn(page) == circles(position)
    page.press("ArrowRight")
    assert current(page) == "c1-c2"
    assert "a draw" in text(page, "value")
    page.press("Home")
    assert (current(page), fen(page)) == ("", start.fen)
    page.press("End")
    assert current(page) == "c1-c2"
    page.press("ArrowLeft")
    assert current(page) == "a6-b4"
    assert text(page, "caption") == "Last ply: a6-b4South to move"
    assert "Last ply: a6-b4" in text(page, "said"), "a screen reader is told"
    label = page.value("document.querySelector('#board svg').getAttribute('aria-label')")
    assert "South to move" in label
    assert fen(page) in label


def test_the_board_turns(page: Browser) -> None:
    page.press("End")
    position = Position(fen(page))
    page.press("f")
    assert drawn(page) == circles(position, "n")
    assert page.value("document.getElementById('flip').getAttribute('aria-pressed')") == "true"
    page.press("ArrowLeft")
    assert drawn(page) == circles(Position(fen(page)), "n")
    click(page, "#flip")
    assert drawn(page) == circles(Position(fen(page)))


def test_variations_are_reached_by_keys_and_clicks(page: Browser) -> None:
    before = Position("gyges").play(["321123", "321123"])
    for _ in range(3):
        page.press("ArrowRight")
    page.press("ArrowDown")
    assert (current(page), fen(page)) == ("b1-b3", before.apply("b1-b3").fen)
    page.press("ArrowRight")
    assert (current(page), fen(page)) == ("a6-b4", before.play(["b1-b3", "a6-b4"]).fen)
    page.press("ArrowDown")
    assert (current(page), fen(page)) == ("b6-b4", before.play(["b1-b3", "b6-b4"]).fen)
    page.press("ArrowLeft")
    page.press("ArrowDown")
    assert current(page) == "c1-c2"
    page.press("ArrowDown")
    assert current(page) == "a1-b3??"
    click(page, "#movetext .variation .variation button")
    assert fen(page) == before.play(["b1-b3", "b6-b4"]).fen
    assert drawn(page) == circles(before.play(["b1-b3", "b6-b4"]))


def test_the_keyboard_is_enough(page: Browser) -> None:
    for _ in range(60):
        page.press("Tab")
        if page.value("document.activeElement.closest('#movetext') !== null"):
            break
    assert page.value("document.activeElement.textContent") == "321123"
    page.press("Enter")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert current(page) == "a1-b3??"
    assert page.value("document.activeElement.textContent") == "a1-b3??", "the focus goes along"
    assert page.value("document.querySelectorAll('#movetext [tabindex=\"0\"]').length") == 1


def test_buttons_and_the_curve_are_clicked(page: Browser) -> None:
    assert page.value("document.getElementById('curve').hidden") is False
    for name, ply in (("last", "c1-c2"), ("back", "a6-b4"), ("first", ""), ("forward", "321123")):
        click(page, f"#{name}")
        assert current(page) == ply
    width = page.value("document.querySelector('#curve svg').viewBox.baseVal.width")
    assert width == 6
    click(page, "#curve svg", 0.6)
    assert current(page) == "a1-b3??"
    page.press("p")
    page.press("n")
    assert page.value("document.getElementById('curve').hidden") is True


def test_hostile_text_stays_text(page: Browser) -> None:
    assert page.value("document.title") == "Some <b>games</b>"
    assert page.value("document.querySelectorAll('b, img, a').length") == 0
    assert text(page, "heading") == "javascript:alert(1) – \"</script><b>O'Neill</b>"
    assert "<script>document.title='bad'</script><img" in text(page, "about")
    comments = page.value("[...document.querySelectorAll('#movetext .comment')].map(e => e.textContent)")
    assert comments == ["before", "</script><script>document.title='bad'</script>", "best: why"]
    page.press("n")
    page.press("n")
    assert text(page, "heading") == "Third �"
    assert page.console() == []
    assert [url for url in page.requests() if not url.startswith("file:")] == []


def test_the_policy_forbids_other_sources(page: Browser) -> None:
    page.value("document.body.insertAdjacentHTML('beforeend', '<i id=evil onclick=\"document.title=1\">x</i>')")
    page.value("document.getElementById('evil').click()")
    script = (
        "const s = document.createElement('script'); s.textContent = 'document.title = 2'; document.body.append(s);"
    )
    page.value(f"(() => {{ {script} }})()")
    page.value("document.body.insertAdjacentHTML('beforeend', '<img src=\"http://127.0.0.1:9/x.png\">')")
    end = time.monotonic() + PATIENCE
    while sum("Content Security Policy" in words for words in page.console()) < 3:
        assert time.monotonic() < end, page.console()
        page.value(PAINTED)
    assert page.value("document.title") == "Some <b>games</b>"


def test_an_invalid_record_shows_its_error(page: Browser) -> None:
    click(page, "#list li:nth-child(2) button")
    before = Position("gyges").play(["321123", "321123"])
    assert fen(page) == before.fen
    assert drawn(page) == circles(before)
    assert "illegal-ply" in text(page, "problems") or "bad-ply" in text(page, "problems")
    assert "This record is invalid" in text(page, "problems")
    page.press("Home")
    assert fen(page) == Position("gyges").fen
    click(page, "#problems button:not(.correct)")
    assert fen(page) == before.fen


def test_the_list_is_searched(page: Browser) -> None:
    assert text(page, "count") == "3 of 3 records"
    page.press("/")
    for letter in "pLaYer":
        page.press(letter)
    assert text(page, "count") == "1 of 3 records"
    shown = "[...document.querySelectorAll('#list li')].map(e => e.offsetHeight > 0)"
    assert page.value(shown) == [False, True, False]
    assert current(page) == "", "letters in the search field are no commands"


def test_a_sheet_is_printed(page: Browser) -> None:
    page.press("End")
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        gone = "['records', 'controls', 'keys'].map(id => getComputedStyle(document.getElementById(id)).display)"
        assert page.value(gone) == ["none"] * 3
        there = "['heading', 'board', 'movetext'].map(id => document.getElementById(id).offsetHeight > 0)"
        assert page.value(there) == [True] * 3
        assert base64.b64decode(page.call("Page.printToPDF")["data"]).startswith(b"%PDF")
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_sheets_of_all_records_have_diagrams(page: Browser) -> None:
    page.value("ringfen.games()")
    page.value("window.print = () => dispatchEvent(new Event('beforeprint'))")
    page.value("document.getElementById('print-all').click()")
    count = "[...document.querySelectorAll('#sheets section')].map(e => e.querySelectorAll('svg').length)"
    assert page.value(count) == [2, 1, 1], "plies with NAGs or comments, and the last"
    captions = page.value("[...document.querySelectorAll('#sheets figcaption')].map(e => e.textContent)")
    assert captions == ["after 2. a1-b3", "after 3. c1-c2", "after 321123", "after 1. a1-a2"]
    sheet = "[...document.querySelectorAll('#sheets section:first-child svg')]"
    drawings = page.value(f"{sheet}.map(e => e.querySelectorAll('circle').length)")
    assert drawings == [12, 12]
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.value("getComputedStyle(document.querySelector('main')).display") == "none"
        assert page.value("document.getElementById('sheets').offsetHeight > 0") is True
    finally:
        page.call("Emulation.setEmulatedMedia", media="")
    page.value("dispatchEvent(new Event('afterprint'))")
    assert page.value("document.getElementById('sheets').children.length") == 0


def test_no_part_runs_out_of_the_window(page: Browser) -> None:
    try:
        for width in (1300, 900, 390):
            page.resize(width, 800)
            assert page.value("document.documentElement.scrollWidth") <= width
    finally:
        page.resize(1300, 900)


@pytest.mark.parametrize("game_id", game_ids())
def test_board_and_controls_fit_a_phone(browser: Browser, tmp_path: Path, game_id: str) -> None:
    file = tmp_path / "phone.html"
    file.write_text(page_of([random_game(game_id, seed, plies=9) for seed in range(3)], "x"), encoding="utf-8")
    try:
        browser.resize(390, 844)
        browser.open(file)
        browser.value("ringfen.games()")
        for _ in range(9):
            bottom = "document.getElementById('enter').getBoundingClientRect().bottom"
            assert 0 < browser.value(bottom) <= 844
            browser.press("ArrowRight")
        assert browser.value("document.documentElement.scrollWidth") <= 390
        sizes = """[...document.querySelectorAll("button, input, select, summary")].filter(e => e.offsetParent)
            .map(e => e.getBoundingClientRect()).filter(b => b.width < 44 || b.height < 44).length"""
        assert browser.value(sizes) == 0
        width = browser.value("document.querySelector('#board svg').getBoundingClientRect().width")
        assert width >= 370, "as wide as the screen"
        for opener, last in (("analyse", "stop"), ("arrange", "arrange-use")):
            browser.value(f"scrollTo(0, 0); document.getElementById('{opener}').click()")
            assert 0 < browser.value(f"document.getElementById('{last}').getBoundingClientRect().bottom") <= 844
            assert browser.value("document.documentElement.scrollWidth") <= 390
            assert browser.value(sizes) == 0
        click(browser, "#arrange-cancel")
        click(browser, "#listing")
        click(browser, "#list li:nth-child(2) button")
        assert browser.value("document.getElementById('records').offsetHeight") == 0
    finally:
        browser.resize(1300, 900)


def test_places_have_names(empty: Browser) -> None:
    for fen_text, names in (
        ("gyges", []),
        ("gyges 321123/....../....../....../....../321123 s - 1+1", ["a1, ring of height 3", "f6, ring of height 3"]),
        ("siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0", ["d7, South's sun", "e6, North's moon"]),
        ("rings", ["a1, South's knight", "d4, ring of 5 points"]),
        ("gran", ["c7, ring"]),
    ):
        script(empty, "setPosition", fen_text)
        found = empty.value(
            "[...document.querySelectorAll('#board [aria-label]')].map(e => e.getAttribute('aria-label'))"
        )
        assert set(names) <= set(found)
        buttons = empty.value("document.querySelectorAll('#board [role=button]').length")
        plies = script(empty, "plies")
        assert isinstance(plies, list)
        firsts = {match[0] for ply in plies if (match := re.search(r"[a-z][0-9]+|[NS]", ply))}
        assert buttons == (len(firsts) or 6), "the first rank is set up"


def test_a_thousand_games(browser: Browser, tmp_path: Path) -> None:
    games = [random_game(game, seed, plies=12) for seed in range(250) for game in ("gyges", "rings", "siaius", "gran")]
    file = tmp_path / "many.html"
    file.write_text(page_of(games, "Many"), encoding="utf-8")
    browser.open(file)
    assert text(browser, "count") == "1000 of 1000 records"
    for number, game in ((1, games[0]), (4, games[3]), (998, games[997])):
        click(browser, f"#list li:nth-child({number}) button")
        browser.press("End")
        assert fen(browser) == list(game.positions())[-1].fen
        assert drawn(browser) == circles(Position(fen(browser)))


def test_a_notebook_shows_a_record(browser: Browser, tmp_path: Path) -> None:
    record = Record.new("gyges", South="</iframe><b>x", North='"')
    record.play("321123", "321123")
    html = record._repr_html_()
    assert html == frame_of(record)
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{html}", encoding="utf-8")
    browser.events.clear()
    browser.open(file)
    assert browser.value("document.querySelectorAll('b').length") == 0
    assert browser.value_in_frame("document.getElementById('heading').textContent") == '</iframe><b>x – "'
    assert browser.value_in_frame("document.querySelectorAll('#movetext button').length") == 2
    assert browser.console() == []


# ---- playing ----


def open_empty(browser: AnyBrowser, folder: Path) -> None:
    """Opens the page without records, with its core loaded."""
    file = folder / "empty.html"
    file.write_text(Page("Ringfen").html(), encoding="utf-8")
    browser.open(file)
    browser.value("localStorage.clear()")
    browser.forget()
    browser.open(file)
    browser.value("ringfen.games()")


@pytest.fixture
def empty(browser: Browser, tmp_path: Path) -> Browser:
    open_empty(browser, tmp_path)
    return browser


@pytest.fixture(params=["browser", "firefox"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> AnyBrowser:
    """The page without records in one browser, then in the other."""
    chosen: AnyBrowser = request.getfixturevalue(request.param)
    open_empty(chosen, tmp_path)
    return chosen


def script(page: AnyBrowser, name: str, *given: object) -> object:
    """What a function of the script interface returns, or the message of its error."""
    call = f"ringfen.{name}(...{json.dumps(given)})"
    found: object = page.value(f"{call}.then(v => typeof v === 'bigint' ? String(v) : v, e => 'error: ' + e.message)")
    return found


def start_new(page: AnyBrowser, game_id: str, players: int | None = None) -> None:
    """Chooses a game in the list New; the smallest number of players if None."""
    words = game_by_id(game_id).name + {"gran": f", {players or 3} players", "rings": ", 7×7"}.get(game_id, "")
    click(page, "#new summary")
    buttons = "[...document.querySelectorAll('#new button')]"
    page.value(f"{buttons}.find(one => one.textContent === {json.dumps(words)}).click()")


def click_place(page: AnyBrowser, name: str) -> None:
    click(page, f'#board [data-place="{name}"]')


def press_places(page: AnyBrowser, ply: str, press: Callable[[AnyBrowser, str], None]) -> None:
    """Enters a ply by clicks or taps on its places, and on a button if that is not enough."""
    before, count = fen(page), text(page, "movetext")

    def step(selector: str) -> None:
        page.value(f"window.pressed = document.querySelector({json.dumps(selector)})")
        press(page, selector)
        until(page, "!window.pressed.isConnected")  # every click makes the places and buttons again

    for name in re.findall(r"[a-z][0-9]+|[NS]", ply):
        step(f'#board [data-place="{name}"]')
    if re.fullmatch("[123]{6}", ply):  # a setup
        rank = 1 if page.value("document.getElementById('fen').value.includes(' s ')") else 6
        for file, height in zip("abcdef", ply, strict=True):
            step(f"#choices [aria-label^='ring of height {height}']")
            step(f'#board [data-place="{file}{rank}"]')
    if (fen(page), text(page, "movetext")) == (before, count):
        index = page.value(
            f"[...document.querySelectorAll('#choices button')].findIndex(b => b.textContent.split(' ')[0] === '{ply}')"
        )
        assert index >= 0, ply
        step(f"#choices button:nth-child({index + 1})")


def tab_to(page: AnyBrowser, name: str) -> None:
    """Presses the tab key until this element has the focus."""
    for _ in range(80):
        if page.value("document.activeElement.id") == name:
            return
        page.press("Tab")
    pytest.fail(f"the keyboard does not lead to #{name}")


def type_ply(page: AnyBrowser, ply: str) -> None:
    tab_to(page, "ply")
    page.write(ply)
    page.press("Enter")
    until(page, "document.getElementById('ply').value === ''")


ENTER: dict[str, Callable[[AnyBrowser, str], None]] = {
    "mouse": lambda page, ply: press_places(page, ply, click),
    "touch": lambda page, ply: press_places(page, ply, tap),
    "keyboard": type_ply,
}


@pytest.mark.parametrize("means", ENTER)
@pytest.mark.parametrize("game_id", game_ids())
def test_a_game_is_entered(either: AnyBrowser, game_id: str, means: str, tmp_path: Path) -> None:
    start_new(either, game_id)
    chance, position = random.Random(game_id), Position(game_id)
    plies = []
    for _ in range(14):
        assert fen(either) == position.fen
        plies.append(chance.choice(position.plies()))
        ENTER[means](either, plies[-1])
        position = position.apply(plies[-1])
        assert current(either) == plies[-1]
        assert drawn(either) == circles(position), "as Python draws it"
    assert fen(either) == position.fen
    assert either.console() == []
    if isinstance(either, Browser):
        assert len(either.requests()) == 1
    file = tmp_path / "saved.rgn"
    file.write_text(saved(either, "download"), encoding="utf-8")
    (record,) = read_records(file)
    assert [found.code for found in record.diagnostics] == ["missing-tag"]
    assert [node.ply for node in record.main.nodes] == plies
    assert file.read_text(encoding="utf-8") == ringfen("fmt", str(file)).stdout


def test_a_ply_is_typed_or_rejected_in_words(page: Browser) -> None:
    page.value("ringfen.games()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    before = Position("gyges").play(["321123", "321123"])
    page.value("document.getElementById('ply').value = 'a1-a9'; document.getElementById('ply').focus()")
    page.press("Enter")
    with pytest.raises(RingfenError) as caught:
        before.apply("a1-a9")
    assert text(page, "error") == str(caught.value)
    page.value("document.getElementById('ply').value = 'c1-c2'")
    page.press("Enter")
    assert (fen(page), text(page, "error")) == (before.apply("c1-c2").fen, "")
    assert page.value("document.querySelectorAll('#movetext .variation').length") == 3, "the record has this ply"
    page.value("document.activeElement.blur()")
    page.press("ArrowLeft")
    assert script(page, "play", "d1-d2") == "d1-d2"
    assert page.value("document.querySelectorAll('#movetext .variation').length") == 4
    page.press("ArrowLeft")
    page.press("ArrowRight")
    assert current(page) == "a1-b3??", "a variation leaves the main line"


def test_scripts_use_the_core(empty: Browser) -> None:
    games = script(empty, "games")
    assert isinstance(games, list)
    assert [game["id"] for game in games] == list(game_ids())
    for game_id in game_ids():
        start = Position(game_id)
        assert script(empty, "setPosition", game_id) == start.fen
        assert script(empty, "position") == start.fen
        assert script(empty, "plies") == start.plies()
        assert script(empty, "perft", 2) == str(start.perft(2))
    ply = start.plies()[0]
    assert script(empty, "play", ply) == ply
    assert script(empty, "position") == start.apply(ply).fen
    with pytest.raises(IllegalPlyError) as caught:
        start.apply(ply).apply(ply)
    assert script(empty, "play", ply) == f"error: {caught.value.message}"
    over = "siaius 3/3/S2 n - - 0"
    assert (script(empty, "setPosition", over), script(empty, "plies")) == (over, [])
    assert script(empty, "setPosition", start.apply(ply).fen) == start.apply(ply).fen
    for hostile in ("<img src=x onerror=alert(1)>", "gyges </script>", "gran board=x"):
        assert str(script(empty, "setPosition", hostile)).startswith("error: ")
    assert script(empty, "position") == start.apply(ply).fen
    assert empty.console() == []


def follow_link(page: Browser, name: str) -> None:
    """Opens a link to a part of the page."""
    page.value(
        f"new Promise(done => {{ addEventListener('hashchange', done, {{once: true}}); location.hash = '{name}'; }})"
    )


def test_links_open_a_record_a_ply_or_a_position(page: Browser) -> None:
    page.value("ringfen.games()")
    plies = ["321123", "321123", "a1-b3"]
    follow_link(page, "#1/3")
    assert fen(page) == Position("gyges").play(plies).fen
    follow_link(page, "#2")
    assert "Second" in text(page, "heading")
    follow_link(page, f"#fen={quote('siaius')}")
    assert fen(page) == Position("siaius").fen


def test_a_position_is_entered_as_text(empty: Browser) -> None:
    field = "document.getElementById('fen')"
    small = Position("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0")
    empty.value(f"{field}.value = '{small.fen}'; {field}.focus()")
    empty.press("Enter")
    assert drawn(empty) != []
    assert script(empty, "plies") == small.plies()
    empty.value(f"{field}.value = 'rings <b>'")
    empty.press("Enter")
    with pytest.raises(RingfenError) as caught:
        Position("rings <b>")
    assert text(empty, "error") == str(caught.value)
    assert script(empty, "position") == small.fen


def test_plies_are_deleted(page: Browser) -> None:
    page.value("ringfen.games()")
    written = text(page, "movetext")
    page.press("ArrowRight")
    page.press("ArrowRight")
    for ply in ("d1-d2", "d6-d5"):
        assert script(page, "play", ply) == ply
    page.press("ArrowLeft")
    assert current(page) == "d1-d2"
    page.press("Delete")
    assert (current(page), text(page, "movetext").split()) == ("321123", written.split())
    page.press("End")
    plies = script(page, "plies")
    assert isinstance(plies, list)
    assert script(page, "play", plies[0]) == plies[0]
    click(page, "#delete")
    assert (current(page), text(page, "movetext").split()) == ("c1-c2", written.split())
    page.press("Home")
    page.press("Delete")
    assert text(page, "error") == "go to a ply of the record first"
    assert page.console() == []


def test_demote_makes_a_continuation_a_variation_of_the_ply_before(empty: Browser) -> None:
    script(empty, "setRecord", '[Game "gyges"]\n\n1. 321123 321123 {South resigns} 2. a1-b3 {x} (2. b1-c2) c6-c5 0-1\n')
    for _ in range(3):
        empty.press("ArrowRight")
    wanted = "1. 321123 321123 {South resigns} 2. b1-c2 (2. a1-b3 {x} 2... c6-c5) 0-1"
    for _ in range(2):
        click(empty, "#demote")
        assert " ".join(str(script(empty, "record")).split()).endswith(wanted)
    assert (
        text(empty, "error") == "no variation follows this line, and it cannot become a variation of the ply before it"
    )
    script(
        empty, "setRecord", '[Game "gyges"]\n\n1. 321123 321123 {South resigns} (1... 112233) 2. a1-b3 {x} c6-c5 0-1\n'
    )
    for _ in range(3):
        empty.press("ArrowRight")
    click(empty, "#demote")
    wanted = "1. 321123 321123 {South resigns} (1... 112233) (1... 321123 2. a1-b3 {x} 2... c6-c5) 0-1"
    assert " ".join(str(script(empty, "record")).split()).endswith(wanted)
    assert current(empty) == "a1-b3"
    empty.press("Home")
    empty.press("ArrowRight")
    click(empty, "#demote")
    assert (
        text(empty, "error") == "no variation follows this line, and it cannot become a variation of the ply before it"
    )
    assert empty.console() == []


def test_demote_repeats_a_ply_once_with_the_position_that_its_comment_states(empty: Browser) -> None:
    stated = "{[%position gyges 231123/....../....../....../....../321123 s - 1+1]}"
    script(empty, "setRecord", f'[Game "gyges"]\n\n1. 321123 321123 {stated} 2. a1-b3 *\n')
    empty.press("End")
    for _ in range(3):
        click(empty, "#demote")
        record = " ".join(str(script(empty, "record")).split())
        assert record.endswith(f"1. 321123 321123 {stated} (1... 321123 {stated} 2. a1-b3) *")
    assert text(empty, "error").startswith("no variation follows this line")
    click(empty, "#undo")
    assert " ".join(str(script(empty, "record")).split()).endswith(f"1. 321123 321123 {stated} 2. a1-b3 *")
    assert empty.console() == []


@pytest.mark.parametrize("button", ["#demote", "#delete"])
def test_the_result_before_the_end_returns_with_it(empty: Browser, button: str) -> None:
    start = "gyges ...1.1/..23../..3.../..3113/22.2../...... n - 1+1"
    for chosen in ("0-1", "*"):
        tags = f'[Game "gyges"]\n[Result "{chosen}"]\n[FEN "{start}"]\n'
        script(empty, "setRecord", f"{tags}\n1... d6-a1 2. a1xa2-c6 {chosen}\n")
        empty.press("End")
        assert script(empty, "play", "c6-S") == "c6-S"
        assert str(script(empty, "record")).rstrip().endswith(" c6-S 0-1")
        click(empty, button)
        record = str(script(empty, "record"))
        assert (f'[Result "{chosen}"]' in record, record.rstrip().endswith(f" {chosen}")) == (True, True)
    assert empty.console() == []


def test_a_record_that_is_put_in_the_place_of_another_has_its_own_result(empty: Browser) -> None:
    head = '[Game "gyges"]\n[FEN "gyges ...1.1/..23../..3.../..3113/22.2../...... n - 1+1"]\n\n1... d6-a1 2. a1xa2-c6'
    script(empty, "setRecord", f"{head} 0-1\n")
    empty.press("End")
    script(empty, "play", "c6-S")
    script(empty, "setRecord", f"{head} {{another}} c6-S 0-1\n")
    empty.press("End")
    click(empty, "#delete")
    assert str(script(empty, "record")).rstrip().endswith("{another} *")


def test_a_field_takes_its_text_before_a_click_takes_effect(browser: Browser, tmp_path: Path) -> None:
    source, page_file = tmp_path / "games.rgn", tmp_path / "games.html"
    first, second = ('[Game "gyges"]\n\n1. 321123 *\n\n', '[Game "gyges"]\n\n1. 112233 *\n\n')
    source.write_text(first + second, encoding="utf-8")
    ringfen("view", str(source), "--out", str(page_file))
    browser.open(page_file)
    browser.value("ringfen.games()")
    browser.press("ArrowRight")
    click(browser, "#annotating summary")
    until(browser, "document.querySelector('#comments textarea')")
    click(browser, "#comments textarea")
    browser.write("one")
    click(browser, "#list li:nth-child(2) button")
    assert script(browser, "record") == second
    browser.value("document.getElementById('saving').open = true")
    browser.value("URL.createObjectURL = (file) => { window.savedFile = file; return 'blob:null/0'; }")
    browser.value("HTMLAnchorElement.prototype.click = () => {}")
    click(browser, "#comments textarea")
    browser.write("two")
    click(browser, "#download")
    until(browser, "window.savedFile")
    wanted = first.replace("321123", "321123 {one}") + second.replace("1. ", "{two} 1. ")
    assert browser.value("window.savedFile.text()") == wanted
    assert text(browser, "kept-words").endswith("Your changes are saved in the file games.rgn.")
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_a_click_on_the_list_of_results_also_takes_the_date(empty: Browser) -> None:
    start_new(empty, "gyges")
    until(empty, "document.querySelector('#tags [aria-label=Date]')")
    empty.value("window.list = document.getElementById('result')")
    click(empty, "#tags [aria-label=Date]")
    empty.write("2001.04.18")
    click(empty, "#result")
    assert '[Date "2001.04.18"]' in str(script(empty, "record"))
    assert empty.value("window.list === document.activeElement"), "the list that was clicked exists"
    assert empty.console() == []


def test_plies_in_parentheses_say_how_a_variation_is_made(empty: Browser) -> None:
    empty.value("document.getElementById('ply').value = '(2. a1-b3 c6-c5)'; document.getElementById('ply').focus()")
    empty.press("Enter")
    assert text(empty, "error").startswith("enter the plies without parentheses; Demote")


def test_entered_plies_stay_while_another_record_is_shown(page: Browser) -> None:
    page.value("ringfen.games()")
    page.press("ArrowRight")
    assert script(page, "play", "112233") == "112233"
    written = text(page, "movetext")
    page.press("n")
    assert text(page, "movetext") != written
    page.press("p")
    assert (text(page, "movetext"), current(page)) == (written, "")
    page.value("[...document.querySelectorAll('#movetext button')].find(b => b.textContent === '112233').click()")
    assert fen(page) == Position("gyges").play(["321123", "112233"]).fen
    page.press("ArrowLeft")
    assert fen(page) == Position("gyges").apply("321123").fen
    assert page.console() == []


# ---- analysing ----


def analyse(page: AnyBrowser, button_id: str, limit: str = "1M", kind: str = "nodes") -> None:
    """Solves the position on the board with the buttons, and waits for the answer."""
    page.value(f"document.getElementById('limit-kind').value = '{kind}'")
    page.value(f"document.getElementById('limit').value = '{limit}'")
    page.value("if (document.getElementById('analysis').hidden) document.getElementById('analyse').click()")
    page.value("document.getElementById('verdict').textContent = ''")
    click(page, f"#{button_id}")
    verdict = "document.getElementById('verdict').textContent"
    until(page, f"document.getElementById('stop').disabled && {verdict} && !{verdict}.endsWith('…')")


def from_the_board(position: Position, ply: str, words: str) -> str:
    """The value after a ply in the words of the command, counted from the position before it."""
    if words.endswith(" has won"):
        return words.replace(" has won", " wins in 1 ply")
    if match := re.search(r"(\d+) pl(y|ies)$", words):
        return f"{words[: match.start()]}{int(match[1]) + 1} plies"
    margin = re.fullmatch(r"([+-]\d+) for (South|North)", words)
    if margin and position.apply(ply).player != position.player:
        return f"{-int(margin[1]):+d} for {'South' if margin[2] == 'North' else 'North'}"
    return words


def rows_of(page: AnyBrowser) -> dict[str, str]:
    """What the list of all plies says."""
    words = page.value("[...document.querySelectorAll('#values li')].map(e => e.textContent)")
    return dict(one.split(" ", 1) for one in words)


def test_distances_count_from_the_board_everywhere(empty: Browser) -> None:
    position = Position("siaius 1c1/1CC/3/2c s - - 0 huff=off")
    solution = position.solve()
    assert solution.distance is not None
    assert solution.distance > 1
    script(empty, "setPosition", position.fen)
    analyse(empty, "solve-each")
    words = text(empty, "verdict")
    assert words.endswith(f" wins in {solution.distance} plies")
    assert {rows_of(empty)[ply] for ply in solution.best} == {words}
    sign = "W" if solution.value == "win" else "L"
    signs = empty.value("[...document.querySelectorAll('#board .judged.best text')].map(e => e.textContent)")
    assert set(signs) == {f"{sign}{solution.distance}"}
    assert len(solution.pv) == solution.distance


@pytest.mark.parametrize(
    ("text_of_position", "nodes", "pattern"),
    [
        ("rings 1.3.k/...../...../...../...../...../K..5. n 0+0 0", "2000", r"(at most|at least|between) .*for North"),
        ("gyges .2113./..3.../....../....3./2..2../2311.. s - 1+1", "5000", "not known: no forced win of .* within"),
        ("siaius 4c5/10/10/3S6/4m5/10/10/10/10/3C6 s - - 0", "500", "not known: no forced win of .* within"),
    ],
)
def test_bounds_are_worded(empty: Browser, text_of_position: str, nodes: str, pattern: str) -> None:
    script(empty, "setPosition", text_of_position)
    analyse(empty, "solve-each", nodes)
    rows = rows_of(empty)
    assert [words for words in rows.values() if not re.match(pattern, words)] == []


def test_the_board_shows_the_best_plies_and_those_of_a_clicked_piece(empty: Browser) -> None:
    position = Position("rings ..k(51111)../..k(11111)../.11.K(1)/33..k(3311)/..K../K(1111)...K(11)/..... s 1+0 0")
    arrows = "document.querySelectorAll('#board .judged').length"
    script(empty, "setPosition", position.fen)
    analyse(empty, "solve")
    best = empty.value("document.querySelectorAll('#found [aria-label=Best] button').length")
    assert best == len(position.plies()) == 14
    assert "Every ply is best." in text(empty, "found")
    assert empty.value(arrows) == 8
    assert "The board shows 8 of 14 best plies" in text(empty, "found")
    analyse(empty, "solve-each")
    assert "The board shows 8 of 14 values" in text(empty, "found")
    click_place(empty, "e2")
    assert empty.value(arrows) == 1
    click(empty, "#undo")
    click(empty, "#arrange")
    assert empty.value(arrows) == 0
    click(empty, "#arrange-cancel")
    assert empty.value(arrows) == 8, "the values are shown again"
    assert ("judged" in saved(empty, "save-svg"), empty.value(arrows)) == (False, 8)
    assert empty.console() == []


def test_analyse_starts_and_can_be_stopped(empty: Browser) -> None:
    script(empty, "setPosition", "siaius")
    for width, height in ((1300, 900), (390, 844)):
        try:
            empty.resize(width, height)
            empty.value("scrollTo(0, 0)")
            click(empty, "#analyse")
            assert text(empty, "verdict") == "solving…"
            bottom = "document.getElementById('stop').getBoundingClientRect().bottom"
            assert empty.value(f"{bottom} <= innerHeight && !document.getElementById('stop').disabled")
            verdict = "document.getElementById('verdict').getBoundingClientRect().bottom"
            assert empty.value(f"{verdict} <= innerHeight")
            click(empty, "#stop")
            until(empty, "document.getElementById('stop').disabled")
            assert text(empty, "verdict") == "stopped"
            click(empty, "#analyse")
            assert empty.value("document.getElementById('analysis').hidden")
        finally:
            empty.resize(1300, 900)
    script(empty, "setPosition", "siaius 1c1/3/C2 s - - 0 huff=off")
    click(empty, "#analyse")
    until(empty, "document.getElementById('verdict').textContent === 'draw'")


@pytest.mark.parametrize(
    ("text_of_position", "nodes"),
    [
        ("siaius 1c1/3/C2 s - - 0 huff=off", "1M"),
        ("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1", "20k"),
        ("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0", "1000"),
        ("rings 1.3.k/...../...../...../...../...../K..5. n 0+0 0", "20k"),
        ("gran", "1e6"),
    ],
)
def test_the_analysis_shows_the_answer_of_the_command(either: AnyBrowser, text_of_position: str, nodes: str) -> None:
    position = Position(text_of_position)
    script(either, "setPosition", position.fen)
    analyse(either, "solve-each", nodes)
    told = ringfen("solve", position.fen, "--nodes", nodes, "--each").stdout
    rows = dict(re.split(" {2,}", line, maxsplit=1) for line in told.splitlines()[1:])
    assert text(either, "verdict") == rows["value"]
    words = either.value("[...document.querySelectorAll('#values li')].map(e => e.textContent)")
    shown = dict(one.split(" ", 1) for one in words)
    assert sorted(shown) == position.plies()
    for ply in position.plies():
        if rows[ply] != "not known":
            assert shown[ply] == from_the_board(position, ply, rows[ply])
        else:
            assert re.match("not known|at most|at least|between", shown[ply])
    best = "[...document.querySelectorAll('#found [aria-label=Best] button')].map(e => e.textContent)"
    if "best" in rows:
        assert either.value(best) == rows["best"].split()
        assert words[0].split()[0] in rows["best"].split(), "the best ply is the first"
    drawn_arrows = either.value("document.querySelectorAll('#board .judged').length")
    assert (drawn_arrows > 0) == any(rows[ply] != "not known" for ply in position.plies())
    covered = either.value(
        "[...document.querySelectorAll('#board .judged path.way')].filter(way =>"
        " [...document.querySelectorAll('#board circle[cx]')].some(one =>"
        " way.isPointInStroke(new DOMPoint(+one.getAttribute('cx'), +one.getAttribute('cy'))))).length"
    )
    assert covered == 0, "arrows leave the numbers on pieces free"
    assert either.console() == []


def test_an_answer_is_entered_by_clicks(empty: Browser) -> None:
    position = Position("siaius 1c1/3/C2 s - - 0 huff=off")
    script(empty, "setPosition", position.fen)
    analyse(empty, "solve")
    line = position.solve().pv
    click(empty, "#found [aria-label=Line] button:nth-of-type(3)")
    assert (fen(empty), current(empty)) == (position.play(line[:3]).fen, line[2])
    assert text(empty, "verdict") == "", "the answer belongs to another position"
    press(empty, "z", modifiers=2)
    assert fen(empty) == position.fen, "a line is one change"
    assert text(empty, "verdict") == "draw"
    analyse(empty, "solve-each")
    ply = empty.value("document.querySelector('#values b').textContent")
    click(empty, "#values button")
    assert current(empty) == ply
    assert empty.console() == []


def test_an_analysis_stops(empty: Browser) -> None:
    hard = Position("siaius")
    words_of = "document.getElementById('{}').textContent".format
    script(empty, "setPosition", hard.fen)
    empty.value("document.activeElement.blur()")
    empty.value("document.getElementById('limit-kind').value = 'none'")
    for stop in ("key", "button", "position"):
        empty.press("a")
        until(empty, f"{words_of('verdict')} === 'solving…' && /nodes/.test({words_of('effort')})")
        if stop == "key":
            empty.press("a")
        elif stop == "button":
            click(empty, "#stop")
        else:
            script(empty, "play", hard.plies()[0])
        until(empty, "document.getElementById('stop').disabled")
        assert text(empty, "verdict") == ("" if stop == "position" else "stopped")
        empty.value("document.activeElement.blur()")
    analyse(empty, "solve", "0", "seconds")
    assert text(empty, "verdict") == "seconds is above 0 and at most 1000000000"
    assert empty.console() == []


def result_of(position: Position) -> str:
    return {"s": "1-0", "n": "0-1", "draw": "1/2-1/2"}.get(str(position.outcome), "*")


@pytest.mark.parametrize(
    ("game_id", "start", "nodes"),
    [
        ("siaius", "siaius 1c1/3/C2 s - - 0 huff=off", "1M"),
        ("gyges", "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1", "300"),
        ("rings", "rings 1.3.k/...../...../...../...../...../K.... n 0+0 0", "20k"),
        ("gran", "gran", "1M"),
    ],
)
def test_a_record_is_annotated_as_by_the_command(
    empty: Browser, tmp_path: Path, game_id: str, start: str, nodes: str
) -> None:
    chance = random.Random(f"{game_id} 2")
    position, words = Position(start), []
    for number in range(8):
        if position.is_over:
            break
        ply = chance.choice(position.plies())
        words.append(ply)
        if number % 3 == 1:
            words.append(
                "{[%value s 3] [%mark 2] [%clk 1:00] a comment} ({[%best]} " + position.plies()[0] + ") {after}"
            )
        elif number % 3 == 2:
            words.append("$6 {[%value +3]}")
        position = position.apply(ply)
    source = tmp_path / "in.rgn"
    fen_tag = "" if start == game_id else f'[FEN "{start}"]\n'
    text_before = f'[Game "{game_id}"]\n{fen_tag}\n{" ".join(words)} {result_of(position)}\n'
    source.write_text(text_before, encoding="utf-8")
    script(empty, "setRecord", text_before)
    before = script(empty, "record")
    empty.press("ArrowRight")
    analyse(empty, "annotate", nodes)
    result = ringfen("annotate", str(source), "--nodes", nodes)
    assert script(empty, "record") == result.stdout
    assert text(empty, "verdict") == result.stderr.splitlines()[-1].partition(", ")[2]
    assert current(empty).startswith(words[0])
    empty.value("document.activeElement.blur()")
    press(empty, "z", modifiers=2)
    assert script(empty, "record") == before
    assert empty.console() == []


def test_annotating_stops_and_writes_nothing(page: Browser) -> None:
    page.value("ringfen.games()")
    page.value("document.getElementById('analyse').click()")
    page.value("document.getElementById('limit-kind').value = 'none'")
    before = body(page)
    for stop in ("button", "record"):
        click(page, "#annotate")
        until(page, "document.getElementById('verdict').textContent === 'annotating…'")
        page.press("ArrowRight")
        assert text(page, "verdict") == "annotating…", "other plies may be shown"
        if stop == "button":
            click(page, "#stop")
            until(page, "document.getElementById('stop').disabled")
            assert text(page, "verdict") == "stopped: nothing is written"
            assert body(page) == before
    page.value("document.activeElement.blur()")
    page.press("n")
    click(page, "#annotate")
    assert text(page, "verdict") == "the record is invalid: correct its text first"
    page.press("p")
    assert body(page) == before
    assert page.console() == []


# ---- hints ----


def test_typing_shortens_the_list_of_plies(empty: Browser) -> None:
    shown = "[...document.querySelectorAll('#choices button')].map(one => one.textContent)"
    script(empty, "setPosition", FIGHT)
    fights = Position(FIGHT).plies()
    assert empty.value(shown) == fights
    empty.value("document.getElementById('ply').focus()")
    for typed in ("3", "3:"):
        empty.press(typed[-1])
        assert empty.value(shown) == [one for one in fights if one.startswith(typed)]
    click(empty, "#choices button:nth-child(2)")
    assert current(empty) == "3:2"
    empty.value("document.getElementById('back').click()")
    assert empty.value(shown) == fights, "the next list is whole again"
    assert empty.console() == []


def test_several_plies_are_typed_at_once(empty: Browser) -> None:
    plies = ["231123", "321123", "f1-e3", "a6-c5", "e1-d2", "f6xe6-a2"]
    field_of_plies = "document.getElementById('ply').value"
    for typed, rest, error in (
        ("1. 231123 321123 2.f1-e3  a6-c5 3. e1-d2 3... f6xe6-a2", "", ""),
        ("231123 321123 f1-e3 a6-c5 e1-d2 f6xe6-a2", "", ""),
        ("1. 231123 321123 2. f1-f9 a6-c5", "f1-f9 a6-c5", "f1-f9 is not a ply of this game"),
    ):
        script(empty, "setPosition", "gyges")
        empty.value(f"document.getElementById('ply').focus(); {field_of_plies} = {json.dumps(typed)}")
        empty.press("Enter")
        assert (empty.value(field_of_plies), text(empty, "error")) == (rest, error)
        assert fen(empty) == Position("gyges").play(plies[: 2 if rest else 6]).fen
    assert empty.console() == []


def test_what_is_not_there_is_reported(empty: Browser) -> None:
    empty.value("location.hash = '#7'")
    until(empty, "document.getElementById('error').textContent !== ''")
    assert text(empty, "error") == "there is no record 7"
    refused = "ringfen.solve({ node: 1000 }).catch(error => [error.message, error.reason])"
    assert empty.value(refused) == ["there is no option 'node'", "bad-option"]
    before = empty.value("document.querySelectorAll('#list li').length")
    empty.value(
        "(() => { const data = new DataTransfer();"
        " data.items.add(new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.zip'));"
        " const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });"
        " document.body.dispatchEvent(drop); })()"
    )
    until(empty, "document.getElementById('error').textContent.startsWith('a.zip')")
    assert text(empty, "error") == "a.zip: this is not a text in UTF-8"
    assert empty.value("document.querySelectorAll('#list li').length") == before
    assert empty.console() == []


def ringed(page: AnyBrowser) -> list[str]:
    """The places with a circle: those that can be clicked next."""
    return sorted(page.value("[...document.querySelectorAll('#board .next')].map(one => one.dataset.place)"))


def left(page: AnyBrowser) -> dict[str, int]:
    """How many pieces of each kind are still to be put."""
    labels = page.value("[...document.querySelectorAll('#choices button')].map(one => one.ariaLabel)")
    return {name: int(count.removesuffix(" left")) for name, count in (label.split(", ") for label in labels)}


def test_a_setup_is_put_ring_by_ring(empty: Browser) -> None:
    first, sixth = [f"{file}1" for file in "abcdef"], [f"{file}6" for file in "abcdef"]
    names = [f"ring of height {height}" for height in (1, 2, 3)]
    assert (ringed(empty), left(empty)) == (first, dict.fromkeys(names, 2))
    for name in ("a1", "c1"):
        click_place(empty, name)
    assert (ringed(empty), left(empty)) == (["b1", "d1", "e1", "f1"], {names[0]: 0, names[1]: 2, names[2]: 2})
    click_place(empty, "b2")
    assert text(empty, "note") == "a ring of height 2 cannot be put on b2: click a place with a circle"
    click_place(empty, "c1")
    assert left(empty)[names[0]] == 1, "a click takes a ring away"
    click_place(empty, "c1")
    click(empty, "#undo")
    assert left(empty)[names[0]] == 1, "and so does Undo"
    click(empty, f"#choices [aria-label^='{names[2]}']")
    for name in ("b1", "c1"):
        click_place(empty, name)
    assert drawn(empty) == circles(Position("gyges ....../....../....../....../....../133... s - 1+1"))
    click(empty, f"#choices [aria-label^='{names[0]}']")
    for name in ("d1", "e1", "f1"):
        click_place(empty, name)
    assert (text(empty, "error"), current(empty), ringed(empty)) == ("", "133122", sixth)
    assert drawn(empty) == circles(Position("gyges").play(["133122"]))
    empty.press("f")
    empty.value("document.querySelector('#board [data-place=a6]').focus()")
    for file, height in zip("abcdef", "312321", strict=True):
        assert empty.value("document.activeElement.dataset.place") == f"{file}6", "arrow keys move on the board"
        empty.press(height)
        if file != "f":
            empty.press("ArrowLeft")
    assert (current(empty), fen(empty)) == ("312321", Position("gyges").play(["133122", "312321"]).fen)
    for _ in range(2):
        empty.value("document.getElementById('back').click()")
    assert (left(empty), drawn(empty)) == (dict.fromkeys(names, 2), []), "the rings are put again"
    assert empty.console() == []


def test_plies_without_places_that_put_nothing_are_buttons(empty: Browser) -> None:
    script(empty, "setPosition", FIGHT)
    shown = empty.value("[...document.querySelectorAll('#choices button')].map(one => one.textContent)")
    assert shown == Position(FIGHT).plies()


def test_a_click_that_is_no_step_of_a_ply_says_what_to_do(empty: Browser) -> None:
    script(empty, "setPosition", FIGHT)
    click_place(empty, "a1")
    assert text(empty, "note") == "choose one of the buttons, or enter the ply in the field Ply"
    script(empty, "setPosition", "gyges")
    plies = ["231123", "321123", "f1-e3", "a6-c5", "e1-d2", "f6xe6-a2"]
    for ply in plies:
        script(empty, "play", ply)
    assert text(empty, "note") == ""
    position = Position("gyges").play(plies)
    click_place(empty, "b6")
    assert text(empty, "note") == "no ply begins at b6: click a place with a circle"
    for name in ("c1", "d1", "d2"):
        click_place(empty, name)
    words = "c1, d1, d2: 56 plies; click the next place, or choose a button"
    assert text(empty, "note") == words, "c1 can bounce on d1, and land on d2 then"
    click_place(empty, "b6")
    assert text(empty, "note").startswith("no ply goes c1, d1, d2, b6: click only places with circles, or ")
    for name in ("c1", "e3", "c3"):
        click_place(empty, name)
    assert (text(empty, "note"), fen(empty)) == ("", position.apply("c1-d1-d2xe3-c3").fen)
    assert empty.console() == []


def choices(page: AnyBrowser) -> list[str]:
    found: list[str] = page.value("[...document.querySelectorAll('#choices button')].map(b => b.textContent)")
    return found


BOUNCES = "gyges .2113./..3.../....../....3./2..2../2311.. s - 1+1"


def test_clicks_that_fit_several_plies_are_asked(either: AnyBrowser) -> None:
    position = Position(BOUNCES)
    script(either, "setPosition", position.fen)
    asked = [
        "b1xd2-c3 displace the ring of d2 to c3",
        "b1-d2-c3 bounce on d2, then end on c3",
    ]
    for index, ply in enumerate(("b1xd2-c3", "b1-d2-c3")):
        for name in ("b1", "d2", "c3"):
            click_place(either, name)
        assert fen(either) == position.fen, "the page does not choose"
        assert text(either, "note") == "b1, d2, c3 fit 2 plies: choose a button"
        assert choices(either) == asked
        click(either, f"#choices button:nth-child({index + 1})")
        assert (fen(either), current(either)) == (position.apply(ply).fen, ply)
        click(either, "#undo")
    for ply in ("b1xd2-a3", "b1-d2xe3-a6"):
        for name in re.findall("[a-f][1-6]", ply):
            click_place(either, name)
        assert (fen(either), current(either)) == (position.apply(ply).fen, ply), "the only ply that fits"
        click(either, "#undo")
    for name in ("b1", "d2", "e3", "d5"):
        click_place(either, name)
    assert choices(either) == [
        "b1-d2xe3-d5 bounce on d2, then displace the ring of e3 to d5",
        "b1-d2-e3-d5 bounce on d2, e3, then end on d5",
    ]
    assert either.console() == []


@pytest.mark.parametrize("game_id", game_ids())
def test_no_click_chooses_between_plies(empty: Browser, game_id: str) -> None:
    """Clicks that name the places of a ply play it, or offer it."""
    chance, position = random.Random(game_id), Position(game_id)
    for _ in range(12):
        while position.outcome is None and not re.search("[a-z][0-9]", position.plies()[0]):
            position = position.apply(chance.choice(position.plies()))
        if position.outcome is not None:
            break
        script(empty, "setPosition", position.fen)
        ply = chance.choice(position.plies())
        for name in re.findall(r"[a-z][0-9]+|[NS]", ply):
            empty.value(f"document.querySelector('#board [data-place={name}]').dispatchEvent(new MouseEvent('click'))")
        if fen(empty) == position.fen and position.apply(ply) != position:
            assert ply in [words.split()[0] for words in choices(empty)]
        else:
            assert fen(empty) == position.apply(ply).fen
        position = position.apply(ply)
    assert empty.console() == []


def test_the_end_of_a_gran_ply_that_others_pass_is_asked(empty: Browser) -> None:
    position = Position("gran c6:0:-/e5:0:-/d3:1:- c7 - 2.0.4.6.5.4.2 1 move")
    for ply in ("c6-c7", "c6-c7-d7"):
        script(empty, "setPosition", position.fen)
        click_place(empty, "c6")
        click_place(empty, "c7")
        assert text(empty, "note") == "c6, c7 fit 2 plies: choose a button, or click the next place"
        assert choices(empty) == ["c6-c7 end on c7", "c6-c7-d7"]
        if ply == "c6-c7":
            click(empty, "#choices button")
        else:
            click_place(empty, "d7")
        assert (fen(empty), current(empty)) == (position.apply(ply).fen, ply)
    assert empty.console() == []


def test_bounces_are_drawn_and_kept(empty: Browser, tmp_path: Path) -> None:
    arrows = """document.querySelectorAll('#board path[fill="#0072b2"]').length"""
    legs = "document.querySelector('#board .judged path.way').getAttribute('d').match(/M/g).length"
    position = Position(BOUNCES)
    script(empty, "setPosition", BOUNCES)
    empty.value("document.getElementById('ply').value = 'b1-d4'")
    empty.value("document.getElementById('ply').dispatchEvent(new Event('input'))")
    click_place(empty, "b1")
    empty.value("document.querySelector('#choices button').dispatchEvent(new PointerEvent('pointerenter'))")
    assert empty.value(legs) == 2, "a ply that is pointed at"
    for typed, count in (("b1-d4", 2), ("b1-d2-e3-e6-e5", 4), ("b1-e5", 4), ("b1-d2-c3", 2), ("b1-c3", 1)):
        script(empty, "setPosition", BOUNCES)
        assert script(empty, "play", typed) == position.short(typed)
        assert (current(empty), fen(empty)) == (typed, position.apply(typed).fen), "the record keeps what is typed"
        assert empty.value(arrows) == count
        assert f" {typed} *" in str(script(empty, "record"))
    source = tmp_path / "bounce.rgn"
    source.write_text(f'[Game "gyges"]\n[FEN "{BOUNCES}"]\n[Result "*"]\n\n1. b1-d4 *\n')
    file = tmp_path / "bounce.html"
    file.write_text(page_of(read_records(source), "Bounce"), encoding="utf-8")
    empty.open(file)
    empty.press("End")
    assert empty.value(arrows) == 2, "also in a record that is only shown"
    assert text(empty, "caption").startswith("Last ply: b1-d4")
    assert empty.console() == []


def test_a_chosen_piece_stays_marked(empty: Browser) -> None:
    script(empty, "setPosition", BOUNCES)
    click_place(empty, "b1")
    marks = "document.querySelector('#board [data-place=b1]').getAttribute('class')"
    assert empty.value(marks) == "target next picked", "its null move is possible"
    assert empty.value("document.querySelector('#board [data-place=b1]').ariaLabel").endswith(", chosen")


def test_undo_takes_clicks_back_and_stays_in_place(empty: Browser) -> None:
    script(empty, "setPosition", BOUNCES)
    where = "JSON.stringify(document.getElementById('undo').getBoundingClientRect())"
    try:
        for width, height in ((1300, 900), (390, 844)):
            empty.resize(width, height)
            empty.value("scrollTo(0, 0)")
            before = empty.value(where)
            was_disabled = empty.value("document.getElementById('undo').disabled")
            assert empty.value("document.getElementById('undo').getBoundingClientRect().bottom") <= height
            for name in ("b1", "d2"):
                place = f"document.querySelector('#board [data-place={name}]')"
                empty.value(f"{place}.dispatchEvent(new MouseEvent('click'))")
                assert empty.value(where) == before
                assert not empty.value("document.getElementById('undo').disabled")
            click(empty, "#undo")
            assert empty.value("document.querySelectorAll('#board .picked').length") == 1
            empty.value("document.activeElement.blur()")
            press(empty, "Escape")
            assert empty.value("document.querySelectorAll('#board .picked').length") == 0
            assert empty.value("document.getElementById('undo').disabled") == was_disabled
            assert fen(empty) == BOUNCES
    finally:
        empty.resize(1300, 900)


# ---- editing positions ----


def edited(page: AnyBrowser) -> str:
    return str(page.value("document.getElementById('draft').value"))


def tool(page: AnyBrowser, name: str) -> None:
    """Chooses a piece of the palette, or Move or Remove."""
    click(page, f'#tools button[aria-label="{name}"]')


def drag(page: Browser, start: str, end: str) -> None:
    """Drags a piece with the mouse; to "" beyond the board."""
    at = """(n => { const e = document.querySelector(n ? `#board [data-place="${n}"]` : "#heading");
        const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })"""
    page.value(f"scrollTo(0, 0); {PAINTED}")
    for kind, name in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
        x, y = page.value(f"{at}({name!r})")
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def field(page: AnyBrowser, words: str) -> str:
    """Focuses the field with a label such as "To move", or "Player 2, Amulets" in a group, and returns its value."""
    found = page.value(
        "(words => { document.querySelector('#draft-fields .tried')?.classList.remove('tried');"
        " const label = [...document.querySelectorAll('#draft-fields label:not([hidden])')].find(one => {"
        " const group = one.closest('fieldset')?.dataset.group; const name = one.firstChild.textContent.trim();"
        " return words === (group ? `${group}, ${name}` : name); });"
        " const made = label.lastElementChild; made.classList.add('tried'); made.focus();"
        " made.select?.(); return made.value; })"
        f"({json.dumps(words)})"
    )
    assert isinstance(found, str)
    return found


def choose(page: AnyBrowser, words: str, value: str) -> None:
    """Chooses a value of a field by its words."""
    field(page, words)
    options = page.value("[...document.querySelector('#draft-fields .tried').options].map(one => one.text)")
    page.value(
        f"(index => {{ const one = document.querySelector('#draft-fields .tried'); one.selectedIndex = index;"
        f" one.dispatchEvent(new Event('input', {{ bubbles: true }})); }})({options.index(value)})"
    )


def test_fields_change_each_part_of_a_position(empty: Browser) -> None:
    for start, changes, expected in (
        (
            "gyges 321123/....../....../....../....../321123 s - 1+1",
            [("To move", "North"), ("Conquests that North needs", "4"), ("Setups", "both made")],
            "gyges 321123/....../....../....../....../321123 n - 1+4 setup=done",
        ),
        (
            "rings",
            [("Board", "5×7"), ("To move", "North"), ("South's knights in hand", "2"), ("Passes in a row", "1")],
            "rings k1k1k/1k1k1/11111/33353/11111/1K1K1/K1K1K n 2+0 1",
        ),
        ("rings k...1/...../...../...../...../...../K..33 s 0+0 0", [("Board", "7×7")],
         "rings k...1../......./......./......./......./......./K..33.. s 0+0 0"),
        (
            "siaius",
            [("Files", "8"), ("Ranks", "8"), ("Huffing", "none"), ("Sun captures", "star"), ("To move", "North")],
            "siaius smtsmtsm/mtsmtsmt/tsmtsmts/8/8/TSMTSMTS/MTSMTSMT/SMTSMTSM n - - 0 beats=reverse huff=off",
        ),
        (
            "siaius 2c/3/M2 s - - 0 huff=off",
            [("Ranks", "4"), ("Huffing", "if no stone captured")],
            "siaius 2c/3/3/M2 s - - 0",
        ),
        (
            "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move",
            [
                *(("Players", "4"), ("To act", "player 2"), ("Seals needed to win", "2")),
                *(("Player 4, Amulets", "1"), ("Player 2, Seals", "Tirad, Elgad"), ("Player 2, Fetter", "yes")),
                ("Ring", "carried by player 2"),
            ],
            "gran -:3:-/-:3:TE!/-:3:-/-:1:- @2 - 2.0.4.6.6.4.2 2 move seals=2",
        ),
        ("gran -:3:-/-:3:-/-:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=2",
         [("Players", "3"), ("Seals needed to win", "3"), ("What is next", "an extra move")],
         "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 extra"),
    ):  # fmt: skip
        script(empty, "setPosition", start)
        click(empty, "#arrange")
        for words, value in changes:
            choose(empty, words, value)
        assert edited(empty) == expected
        click(empty, "#arrange-cancel")
    script(empty, "setPosition", "gran")
    click(empty, "#arrange")
    assert empty.value("document.querySelectorAll('#draft-fields fieldset:not([hidden])').length") == 4, (
        "3 players, cards"
    )
    assert field(empty, "Cards left by value, 3") == "6"
    empty.press("5")
    assert edited(empty) == "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.5.6.4.2 1 move"
    field(empty, "Players")
    empty.press("ArrowDown")
    click(empty, "#arrange-use")
    assert fen(empty) == "gran -:3:-/-:3:-/-:3:-/-:3:- c7 - 2.0.4.5.6.4.2 1 move"
    assert empty.console() == []


def test_fields_that_are_not_changed_keep_the_position(empty: Browser) -> None:
    for start in (*game_ids(), *(Position(f"gran {'/'.join(['-:3:-'] * 6)} c7 - 2.0.4.6.6.4.2 1 move").fen,) * 3):
        for seed in range(6):
            position = random_plies(Position(start), Generator(seed), 40 * seed)[1]
            script(empty, "setPosition", position.fen)
            click(empty, "#arrange")
            empty.value(
                "for (const one of document.querySelectorAll('#draft-fields label:not([hidden]) > *'))"
                " one.dispatchEvent(new Event('input', { bubbles: true }))"
            )
            assert edited(empty) == position.fen
            click(empty, "#arrange-cancel")
    assert empty.console() == []


def test_a_position_is_edited_by_mouse(empty: Browser) -> None:
    script(empty, "setPosition", "gyges 321123/....../....../....../....../321123 s - 1+1")
    click(empty, "#arrange")
    click_place(empty, "a1")
    click_place(empty, "c4")
    assert edited(empty) == "gyges 321123/....../..3.../....../....../.21123 s - 1+1"
    tool(empty, "ring of height 1")
    click_place(empty, "d3")
    with pytest.raises(RingfenError) as caught:
        Position(edited(empty))
    assert text(empty, "draft-error") == str(caught.value)
    assert empty.value("document.getElementById('arrange-use').disabled") is True
    drawn_rings = "document.querySelectorAll('#board svg > circle').length"
    assert empty.value(drawn_rings) == 13, "an impossible position is drawn too"
    tool(empty, "Remove")
    click_place(empty, "c6")
    drag(empty, "f6", "f5")
    drag(empty, "e6", "")
    assert edited(empty) == "gyges 32.1../.....3/..3.../...1../....../.21123 s - 1+1"
    empty.value("const side = document.querySelector('#draft-fields select'); side.value = 'n'")
    empty.value("document.querySelector('#draft-fields select').dispatchEvent(new Event('input', { bubbles: true }))")
    position = Position("gyges 32.1../.....3/..3.../...1../....../.21123 n - 1+1")
    assert (edited(empty), drawn(empty)) == (position.fen, circles(position))
    click(empty, "#arrange-use")
    assert (fen(empty), script(empty, "plies")) == (position.fen, position.plies())
    assert empty.value("document.getElementById('arranging').hidden") is True
    click(empty, "#arrange")
    click(empty, "#arrange-clear")
    click(empty, "#arrange-cancel")
    assert (fen(empty), drawn(empty)) == (position.fen, circles(position))
    assert empty.console() == []


def test_the_tools_follow_the_number_of_players(empty: Browser) -> None:
    script(empty, "setPosition", "gran")
    click(empty, "#arrange")
    for players, tools in (("4", 8), ("3", 7)):
        choose(empty, "Players", players)
        assert empty.value("document.querySelectorAll('#tools button').length") == tools, "Move, Remove, ring, stone"


def test_the_lists_of_gran_name_only_players_that_take_part(empty: Browser) -> None:
    script(empty, "setPosition", "gran")
    click(empty, "#arrange")
    control = "[...document.querySelectorAll('#draft-fields label')].find(one => one.textContent.startsWith({}))"
    lists = {name: f"{control.format(repr(name))}.lastElementChild" for name in ("Players", "To act", "Ring ")}
    for count in (3, 5, 4):
        set_list(empty, lists["Players"], str(count))
        for name, first in (("To act", "player "), ("Ring ", "carried by player ")):
            words = empty.value(f"[...{lists[name]}.options].map(one => one.text)")
            assert [one for one in words if one.startswith(first)] == [f"{first}{one + 1}" for one in range(count)]
    set_list(empty, lists["Players"], "5")
    set_list(empty, lists["To act"], "5")
    set_list(empty, lists["Players"], "4")
    assert empty.value(f"{lists['To act']}.value") == "5", "the position still names the player"
    assert "no player 5" in text(empty, "draft-error")
    assert empty.console() == []


def set_list(page: Browser, control: str, value: str) -> None:
    """Chooses a value of a list, which an expression names."""
    page.value(f"(() => {{ const one = {control}; one.value = '{value}'; one.dispatchEvent(new Event('input')); }})()")


def test_a_piece_that_is_put_on_another_says_what_becomes_of_it(empty: Browser) -> None:
    for position, piece, name, words, wanted in (
        ("gran", "player 1's figure", "c7", "c7: ring added to player 1's figure", "c7:3:-/-:3:-/-:3:- @1"),
        ("gran", "player 2's figure", "e5", "", "c7:3:-/e5:3:-/-:3:- @1"),
        ("gran", "ring", "e5", "e5: ring added to player 2's figure", "c7:3:-/e5:3:-/-:3:- @2"),
        ("gran", "player 3's figure", "c7", "c7: player 3's figure instead of player 1's figure", "/c7:3:- @2"),
        ("gran", "stone", "c7", "c7: stone instead of player 3's figure", "-:3:-/e5:3:-/-:3:- @2 c7"),
        ("rings", "ring of 3 points", "a1", "a1: ring of 3 points added to South's knight", "/K(3)1K1K1K s"),
        ("rings", "North's knight", "a1", "a1: North's knight instead of South's knight", "/k1K1K1K s"),
        ("gyges ....../....../....../....../....../321123 s - 1+1", "ring of height 1", "a1",
         "a1: ring of height 1 instead of ring of height 3", "/121123 s"),
        ("siaius", "South's moon", "a1", "a1: South's moon instead of South's sun", "/MMTSMTSMTS s"),
    ):  # fmt: skip
        if not empty.value("document.body.classList.contains('arranges')") or not edited(empty).startswith(position):
            script(empty, "setPosition", position)
            click(empty, "#arrange")
        tool(empty, piece)
        click_place(empty, name)
        assert text(empty, "note") == words
        assert wanted in edited(empty)
    assert empty.console() == []


def test_play_without_a_ply_says_what_to_do(empty: Browser) -> None:
    for game_id in game_ids():
        script(empty, "setPosition", game_id)
        click(empty, "#enter")
        assert text(empty, "error") == "no ply is chosen: click a place with a circle, or type a ply in the field Ply"


def test_an_unchanged_position_keeps_its_game(empty: Browser) -> None:
    script(empty, "setPosition", "rings")
    script(empty, "play", Position("rings").plies()[0])
    before = script(empty, "record")
    click(empty, "#arrange")
    assert not empty.value("document.getElementById('undo').checkVisibility()"), (
        "it would end the change of the position"
    )
    click(empty, "#arrange-use")
    assert (script(empty, "record"), empty.value("document.body.classList.contains('arranges')")) == (before, False)


def test_a_slow_click_after_a_comment_counts(empty: Browser) -> None:
    """The comment is taken when the field is left. What then moves must not move away from the mouse."""
    script(empty, "setPosition", "rings")
    script(empty, "play", Position("rings").plies()[0])
    empty.value("document.getElementById('annotating').open = true")
    click(empty, "#comments textarea")
    empty.write("a good start")
    x, y = empty.value(
        "(() => { const one = document.querySelector('#more summary'); one.scrollIntoView();"
        " const box = one.getBoundingClientRect(); return [box.x + 20, box.y + box.height / 2]; })()"
    )
    button = {"x": x, "y": y, "button": "left", "clickCount": 1}
    empty.call("Input.dispatchMouseEvent", type="mousePressed", **button)
    empty.value("new Promise(done => setTimeout(done, 120))")
    empty.call("Input.dispatchMouseEvent", type="mouseReleased", **button)
    empty.value(PAINTED)
    assert "{a good start}" in str(script(empty, "record"))
    assert empty.value("document.getElementById('more').open") is False, "a new game opens it"


def test_a_position_is_edited_by_keys_only(empty: Browser) -> None:
    script(empty, "setPosition", "siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0")
    empty.value("document.getElementById('arrange').focus()")
    empty.press("Enter")
    assert empty.value("document.activeElement.textContent") == "Move"
    empty.value("document.querySelector('#board [data-place=\"a1\"]').focus()")
    for key in ("ArrowUp", "ArrowRight", "T", "ArrowRight", "c", "ArrowUp", "s", "Delete"):
        empty.press(key)
    assert edited(empty) == "siaius 4c5/10/10/3S6/4m5/10/10/10/1Tc7/10 s - - 0"
    assert "c3, empty" in empty.value("document.activeElement.getAttribute('aria-label')")
    for key in ("ArrowDown", "Enter", "ArrowRight", "ArrowRight", "Enter"):
        empty.press(key)
    assert edited(empty) == "siaius 4c5/10/10/3S6/4m5/10/10/10/1T2c5/10 s - - 0"
    assert empty.value("document.querySelectorAll('#board [tabindex=\"0\"]').length") == 1
    empty.value("document.getElementById('arrange-use').focus()")
    empty.press("Enter")
    assert fen(empty) == "siaius 4c5/10/10/3S6/4m5/10/10/10/1T2c5/10 s - - 0"
    assert empty.console() == []


def test_every_piece_of_the_palette_is_placed_and_removed(empty: Browser) -> None:
    for start, expected in (
        (
            "gyges ....../....../....../....../....../...... s - 1+1",
            "gyges ....../....../....../....../....../123... s - 1+1",
        ),
        (
            "rings ......./......./......./......./......./......./....... s 0+0 0",
            "rings ......./......./......./......./......./......./135Kk.. s 0+0 0",
        ),
        ("siaius 10/10/10/10/10/10/10/9c/10/10 s - - 0", "siaius 10/10/10/10/10/10/10/9c/10/SMTCsmtc2 s - - 0"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move", "gran c1:3:-/d1:3:-/e1:3:- a1 b1 2.0.4.6.6.4.2 1 move"),
    ):
        script(empty, "setPosition", start)
        click(empty, "#arrange")
        count = empty.value("document.querySelectorAll('#tools button').length") - 2
        for number in range(count):
            click(empty, f"#tools button:nth-child({number + 3})")
            click_place(empty, f"{'abcdefgh'[number]}1")
        assert edited(empty) == expected
        tool_of_removal = "#tools button:nth-child(2)"
        click(empty, tool_of_removal)
        for number in range(count):
            click_place(empty, f"{'abcdefgh'[number]}1")
        assert edited(empty) == start.replace(" c7 ", " ? ")
        click(empty, "#arrange-cancel")
    script(empty, "setPosition", "rings 1.3.k/...../...../...../...../...../K.... n 0+0 0")
    click(empty, "#arrange")
    for kind in ("ring of 1 point", "ring of 5 points", "ring of 1 point"):
        tool(empty, kind)
        click_place(empty, "a1")
    assert edited(empty) == "rings 1.3.k/...../...../...../...../...../K(511).... n 0+0 0"
    position = Position(edited(empty))
    assert drawn(empty) == circles(position), "a ring that is put on a knight is held by it"
    assert empty.console() == []


def test_an_edited_text_is_checked_as_it_is_typed(empty: Browser) -> None:
    click(empty, "#arrange")
    for words in (
        "",
        "rings",
        "rings <b>",
        "gyges x",
        "siaius 1c1/3/C2 s - - 0 huff=off",
        "siaius 3/3",
        "gran a b c",
        "rings k1(",
        "x y",
    ):
        empty.value(f"document.getElementById('draft').value = {words!r}")
        empty.value("document.getElementById('draft').dispatchEvent(new Event('input', { bubbles: true }))")
        try:
            Position(words)
            message = ""
        except RingfenError as error:
            message = str(error)
        assert text(empty, "draft-error") == message
        assert empty.value("document.getElementById('arrange-use').disabled") is (message != "")
        assert edited(empty) == words
    assert empty.console() == []


# ---- records: read, saved, changed ----

SECOND = """[Game "siaius"]
[Event "?"]
[Date "2026.01.02"]
[South "A"]
[North "<b>"]
[Result "*"]

1. a3-a4! a8-a7 ;a } brace
*
"""


def saved(page: AnyBrowser, name: str) -> str:
    """The content of the file that a click on a button saves."""
    page.value("delete window.savedFile")
    page.value("URL.createObjectURL = (file) => { window.savedFile = file; return 'blob:null/0'; }")
    page.value("HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; }")
    page.value(f"document.getElementById('{name}').click()")
    until(page, "window.savedFile")
    return str(page.value("window.savedFile.text()"))


def test_all_records_are_saved_as_fmt_writes_them(browser: Browser, tmp_path: Path) -> None:
    source = tmp_path / "games.rgn"
    source.write_text(SECOND + GAME.partition("\n\n[Game")[0] + "\n\n" + SECOND, encoding="utf-8")
    page_file = tmp_path / "games.html"
    assert ringfen("view", str(source), "--out", str(page_file)).exit_code == 0
    browser.open(page_file)
    browser.value("ringfen.games()")
    formatted = ringfen("fmt", str(source)).stdout
    assert saved(browser, "download") == formatted
    assert browser.value("window.savedName") == "games.rgn"
    assert script(browser, "record") == "".join(formatted.partition("*\n\n")[:2])


def test_untidy_records_are_saved_as_fmt_writes_them(empty: Browser, tmp_path: Path) -> None:
    chance = random.Random(8)
    texts = []
    for number in range(60):
        game_id = game_ids()[number % len(game_ids())]
        tags = [("Game", game_id), ("Event", 'a \\" \\\\ ü'), ("Date", chance.choice(["?", "2020.13.01"]))]
        tags += [(f"Tag{other}", f"{other}") for other in range(chance.choice([0, 30, 44, 45, 46, 200]))]
        chance.shuffle(tags)
        texts.append(RecordMaker(chance, Position(game_id)).make(chance.randint(0, 9), tags).text)
    source = tmp_path / "untidy.rgn"
    source.write_text("\n".join(texts), encoding="utf-8", newline="")
    drop(empty, "untidy.rgn", source.read_bytes().decode())
    assert text(empty, "note") == "60 records added"
    assert saved(empty, "download") == ringfen("fmt", str(source)).stdout
    assert empty.console() == []


def test_an_invalid_record_is_saved_unchanged(tmp_path: Path, browser: Browser) -> None:
    source, page_file = tmp_path / "games.rgn", tmp_path / "games.html"
    bad = '[Game "gyges"]\n\n1.   321123 a1-a9 *\n\n'
    source.write_text(bad + SECOND, encoding="utf-8")
    ringfen("view", str(source), "--out", str(page_file))
    browser.open(page_file)
    browser.value("ringfen.games()")
    assert saved(browser, "download").startswith(bad)
    assert text(browser, "note") == "2 records saved in the file games.rgn; 1 record is invalid and stays unchanged"
    browser.press("Home")
    assert script(browser, "play", "321132") == "error: the record is invalid: correct its text first"
    good = bad.replace(" a1-a9", "")
    assert script(browser, "setRecord", good) == good.replace(".   ", ". ")
    assert "invalid" not in text(browser, "list").partition("gyges")[0]


def test_an_invalid_record_is_corrected_in_the_page(empty: Browser) -> None:
    start = '[Game "siaius"]\n[South "\U0001f600"]\n\n1. a3-a4'
    first = "a8-a3 2. b3-b9 *"
    drop(empty, "bad.rgn", SECOND + start + " " + first)
    assert "This record is invalid" not in text(empty, "problems")
    empty.press("n")
    assert (current(empty), "This record is invalid" in text(empty, "problems")) == ("a3-a4", True)
    click(empty, "#problems .correct")
    field = "document.getElementById('text')"
    chosen = f"{field}.value.slice({field}.selectionStart, {field}.selectionEnd)"
    for wrong, ply in (("a8-a3", "a8-a7"), ("b3-b9", "b3-b4")):
        assert empty.value(chosen) == wrong
        assert f"illegal-ply: {wrong}" in text(empty, "text-error")
        empty.write(ply)
        click(empty, "#text-use")
    assert (text(empty, "text-error"), text(empty, "note")) == ("", "the record is valid")
    assert str(script(empty, "record")).endswith("\n\n1. a3-a4 a8-a7 2. b3-b4 *\n\n")
    assert empty.value(f"{field}.value") == script(empty, "record"), "the field follows the record"
    assert "This record is invalid" not in text(empty, "problems")
    empty.value("document.activeElement.blur()")
    press(empty, "z", modifiers=2)
    assert first in str(script(empty, "record"))
    empty.press("p")
    assert empty.value(f"{field}.value") == script(empty, "record"), "the field follows the reader"
    assert empty.console() == []


def test_an_invalid_record_of_the_page_is_corrected(tmp_path: Path, browser: Browser) -> None:
    open_records(browser, tmp_path, (SECOND + '[Game "gyges"]\n\n1. 321123 a1-a9 *\n').encode())
    assert browser.value("document.querySelector('#problems .correct')?.hidden ?? 'none'") == "none"
    browser.press("n")
    click(browser, "#problems .correct")
    browser.write("321123")
    click(browser, "#text-use")
    assert text(browser, "note") == "the record is valid"
    assert str(script(browser, "record")).endswith("1. 321123 321123 *\n\n")
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_a_corrected_text_is_saved_without_a_further_click(empty: Browser) -> None:
    plies = "1. 321123 321123 2. a1-b3 {x} c6-c5"
    script(empty, "setRecord", f'[Game "gyges"]\n\n{plies} *\n')
    was = str(script(empty, "record"))
    click(empty, "#writing summary")
    until(empty, "document.getElementById('text').value !== ''")
    field = "document.getElementById('text')"
    for old, new, valid in (("c6-c5", "c6-c9", False), ("c6-c9", "b6-c5", True)):
        empty.value(f"{field}.value = {field}.value.replace('{old}', '{new}')")
        empty.value(f"{field}.dispatchEvent(new Event('input'))")
        assert text(empty, "text-error") == "changed, but not used yet"
        if valid:
            assert saved(empty, "download") == was.replace("c6-c5", "b6-c5")
        else:
            empty.value("document.getElementById('download').click()")
            assert text(empty, "error").startswith("the changed text of the record is invalid")
            assert script(empty, "record") == was
    assert empty.console() == []


def open_records(page: Browser, tmp_path: Path, content: bytes) -> None:
    """Opens the page of a file games.rgn."""
    source, page_file = tmp_path / "games.rgn", tmp_path / "games.html"
    source.write_bytes(content)
    ringfen("view", str(source), "--out", str(page_file))
    page.open(page_file)
    page.value("localStorage.clear()")
    page.open(page_file)
    page.value("ringfen.games()")


def test_a_corrected_record_shows_the_ply_that_was_invalid(browser: Browser, tmp_path: Path) -> None:
    open_records(browser, tmp_path, b'[Game "gyges"]\n\n1. 321123 321123 2. a1-b9 c6-c5 *\n')
    assert text(browser, "error").startswith("this record is invalid: a1-b9: b9 ")
    click(browser, "#problems .correct")
    browser.write("a1-b3")
    click(browser, "#text-use")
    assert (text(browser, "note"), current(browser)) == ("the record is valid", "a1-b3")
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_a_changed_text_waits_while_another_record_is_shown(empty: Browser) -> None:
    field = "document.getElementById('text')"
    script(empty, "play", "231123")
    start_new(empty, "siaius")
    script(empty, "play", Position("siaius").plies()[0])
    click(empty, "#writing summary")
    until(empty, f"{field}.value.includes('siaius')")
    changed = empty.value(f"{field}.value = {field}.value.replace('*', '{{not done}} *')")
    empty.value(f"{field}.dispatchEvent(new Event('input'))")
    empty.press("p")
    assert "231123" in empty.value(f"{field}.value")
    assert text(empty, "text-error") == ""
    empty.press("n")
    assert (empty.value(f"{field}.value"), text(empty, "text-error")) == (changed, "changed, but not used yet")
    assert empty.console() == []


def test_a_record_that_is_no_text_is_not_saved_altered(browser: Browser, tmp_path: Path) -> None:
    open_records(browser, tmp_path, SECOND.encode() + b'[Game "gyges"]\n[South "J\xfcrgen"]\n\n1. 321123 *\n')
    assert saved(browser, "download").count("[Game ") == 1
    wanted = "1 record saved in the file games.rgn, but not 1 invalid record whose text the page does not contain"
    assert text(browser, "note") == wanted
    assert browser.console() == []


def test_a_suggestion_is_taken(browser: Browser, tmp_path: Path) -> None:
    open_records(browser, tmp_path, b'[Game "gyges"]\n\n1. 321123 321123 2. b1-c3 c6-c5 *\n')
    words = browser.value("[...document.querySelectorAll('#problems .correct')].map(one => one.textContent)")
    assert words[-1] == "Correct the text"
    ply = words[0].removeprefix("Use ")
    assert ply in Position("gyges").play(["321123", "321123"]).plies()
    click(browser, "#problems .correct")
    assert (text(browser, "note"), current(browser)) == ("the record is valid", ply)
    assert str(script(browser, "record")) == f'[Game "gyges"]\n\n1. 321123 321123 2. {ply} c6-c5 *\n\n'
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_only_the_suggestions_for_the_first_error_are_buttons(browser: Browser, tmp_path: Path) -> None:
    source, page_file = tmp_path / "games.rgn", tmp_path / "games.html"
    record = '[Game "gyges"]\n[Result "2-0"]\n\n1. 321123 321123 2. b1-c3 *\n'
    source.write_text(record, encoding="utf-8")
    ringfen("view", str(source), "--out", str(page_file))
    browser.open(page_file)
    browser.value("ringfen.games()")
    assert text(browser, "error").startswith("this record is invalid: Result 2-0: "), "it stays when the core is loaded"
    words = browser.value("[...document.querySelectorAll('#problems button')].map(one => one.textContent)")
    assert words == ["Position before it", "Correct the text"]
    assert "(perhaps b1-b3 or b1-c2)" in text(browser, "problems")
    browser.value("window.dispatchEvent(new Event('beforeprint'))")
    printed = "This record is invalid: Result 2-0: a result here is 1-0, 0-1, 1/2-1/2 or *"
    assert browser.value("document.querySelector('#sheets p:nth-of-type(2)').textContent") == printed
    browser.value("window.dispatchEvent(new Event('afterprint'))")
    click(browser, "#problems .correct")
    browser.write("*")
    field = "document.getElementById('text')"
    browser.value(f"{field}.value = {field}.value.replace('c3', 'b3')")
    click(browser, "#text-use")
    assert (text(browser, "note"), current(browser)) == ("the record is valid", "b1-b3")
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_a_suggestion_leaves_a_changed_text(browser: Browser, tmp_path: Path) -> None:
    open_records(browser, tmp_path, b'[Game "gyges"]\n\n1. 321123 321123 2. b1-c3 *\n')
    click(browser, "#writing summary")
    until(browser, "document.getElementById('text').value !== ''")
    field = "document.getElementById('text')"
    browser.value("window.told = 0")
    browser.value(
        "new MutationObserver(() => window.told++).observe(document.getElementById('text-error'), {childList: true})"
    )
    browser.value(f"{field}.value = {field}.value.replace('b1-c3', 'a1-b3'); {field}.focus()")
    for word in (" ", " "):
        browser.write(word)
    assert (text(browser, "text-error"), browser.value("window.told")) == ("changed, but not used yet", 1)
    click(browser, "#problems .correct")
    assert str(script(browser, "record")).rstrip().endswith("1. 321123 321123 2. a1-b3 *")
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_the_end_of_a_decided_game_states_its_result_once(browser: Browser, tmp_path: Path) -> None:
    source, page_file = tmp_path / "games.rgn", tmp_path / "games.html"
    start = "gyges ...1.1/..23../..3.../..3113/22.2../...... n - 1+1"
    source.write_text(f'[Game "gyges"]\n[FEN "{start}"]\n\n1... d6-a1 2. a1xa2-c6 c6-S 0-1\n', encoding="utf-8")
    ringfen("view", str(source), "--out", str(page_file))
    browser.open(page_file)
    browser.value("ringfen.games()")
    browser.press("End")
    assert text(browser, "caption") == "Last ply: c6-SNorth has won"
    script(browser, "setRecord", '[Game "gyges"]\n\n1. 321123 321123 1-0\n')
    browser.press("End")
    assert text(browser, "said") == "Last ply: 321123, South to move, Result: 1-0"
    browser.value("localStorage.clear()")
    assert browser.console() == []


def test_the_end_of_a_game_states_its_result(empty: Browser) -> None:
    script(empty, "setRecord", '[Game "gyges"]\n\n1. 321123 321123 2. a1-b3 {South resigns} (2. b1-c2) 0-1\n')
    empty.press("End")
    assert text(empty, "caption") == "Last ply: a1-b3North to moveResult: 0-1"
    empty.press("ArrowDown")
    assert text(empty, "caption") == "Last ply: b1-c2North to move"
    assert empty.console() == []


def test_a_record_with_a_gap_is_left_unchanged(empty: Browser) -> None:
    text_with_gap = '[Game "siaius"]\n\n1. a3-a4 a8-a7\n7. b3-b4   b8-b7 *\n\n'
    assert script(empty, "setRecord", text_with_gap) == text_with_gap
    empty.press("End")
    assert "plies may be missing" in str(script(empty, "play", "c3-c4"))
    assert script(empty, "record") == text_with_gap


def test_a_record_is_set_and_returned(page: Browser) -> None:
    page.value("ringfen.games()")
    original = script(page, "record")
    (formatted,) = (str(record) + "\n" for record in read_records(text=SECOND))
    assert script(page, "setRecord", SECOND) == formatted
    assert script(page, "record") == formatted
    assert script(page, "setRecord", formatted) == formatted
    assert (text(page, "heading"), fen(page)) == ("A – <b>", Position("siaius").fen)
    page.press("End")
    assert script(page, "play", "b3-b4") == "b3-b4"
    assert "1. a3-a4 $1 a8-a7 ; a } brace\n2. b3-b4 *" in str(script(page, "record"))
    for hostile, words in (
        ("", "the text contains no record"),
        (SECOND + SECOND, "expected one record, not 2"),
        ('[Game "chess"]\n\n*\n', None),
        (SECOND.replace("a8-a7", "a8-a3"), None),
        ('[Game "gyges"]\n[FEN "gran <b>"]\n\n{', None),
    ):
        if words is None:
            (report,) = read_records(text=hostile)
            first = next(found for found in report.diagnostics if found.is_error)
            words = first.one_line()
        assert script(page, "setRecord", hostile) == f"error: {words}"
    for _ in range(2):
        page.value("document.activeElement.blur()")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="z", modifiers=2, windowsVirtualKeyCode=90)
    assert script(page, "record") == original
    assert page.console() == []


def test_records_are_pasted_and_dropped(page: Browser) -> None:
    page.value("ringfen.games()")
    bad = SECOND.replace("a8-a7", "a8-a3")
    for event, holder in (("paste", "clipboardData"), ("drop", "dataTransfer")):
        given = json.dumps(SECOND + bad)
        make = f"const data = new DataTransfer(); data.setData('text/plain', {given});"
        if event == "drop":
            make = f"const data = new DataTransfer(); data.items.add(new File([{given}], 'x.rgn'));"
        kind = "ClipboardEvent" if event == "paste" else "DragEvent"
        before = int(page.value("document.querySelectorAll('#list li').length"))
        options = f"{{ {holder}: data, bubbles: true, cancelable: true }}"
        page.value(f"(() => {{ {make} document.body.dispatchEvent(new {kind}('{event}', {options})); }})()")
        until(page, f"document.querySelectorAll('#list li').length === {before + 2}")
        assert "2 records added; 1 invalid: " in text(page, "error")
        assert ":17:11: illegal-ply: a8-a3 in record 2, ply 2: " in text(page, "error")
        assert text(page, "heading") == "A – <b>"
        page.press("n")
        assert "This record is invalid" in text(page, "problems")
    assert page.console() == []


def test_a_drawing_is_saved(page: Browser) -> None:
    page.value("ringfen.games()")
    page.press("End")
    svg = saved(page, "save-svg")
    assert svg.count("<circle") == Position(fen(page)).svg().count("<circle")
    assert "target" not in svg
    caption = re.findall("<text [^>]*>([^<]+)</text>", Position(fen(page)).svg())
    assert re.findall("<text [^>]*>([^<]+)</text>", svg)[-1] == caption[-1]
    saved(page, "save-png")
    start = page.value("window.savedFile.slice(1, 4).text()")
    assert (start, page.value("window.savedFile.size > 5000")) == ("PNG", True)
    assert page.console() == []


# ---- sheets of diagrams ----


def drop(page: Browser, name: str, content: str) -> None:
    """Drops a file on the page."""
    make = f"const data = new DataTransfer(); data.items.add(new File([{json.dumps(content)}], {name!r}));"
    options = "{ dataTransfer: data, bubbles: true, cancelable: true }"
    page.value("for (const id of ['note', 'error']) document.getElementById(id).textContent = ''")
    page.value(f"(() => {{ {make} document.body.dispatchEvent(new DragEvent('drop', {options})); }})()")
    until(page, "['note', 'error'].some(id => document.getElementById(id).textContent)")


def test_a_sheet_shows_positions_with_answers(browser: Browser, tmp_path: Path) -> None:
    small = Position("siaius 1c1/3/C2 s - - 0 huff=off")
    source, answers, file = tmp_path / "in.txt", tmp_path / "answers.jsonl", tmp_path / "sheet.html"
    won = Position("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1")
    source.write_text("".join(f"{one.fen}\n" for one in (small, won, *map(Position, game_ids()))), encoding="utf-8")
    ringfen("solve", "--file", str(source), "--nodes", "20", "--out", str(answers))
    assert ringfen("view", str(answers), "--out", str(file)).exit_code == 0
    browser.events.clear()
    browser.open(file)
    browser.value("ringfen.games()")
    browser.value("window.dispatchEvent(new Event('beforeprint'))")
    figures = "document.querySelectorAll('#sheet figure')"
    assert text(browser, "about") == f"{2 + len(game_ids())} positions"
    captions = browser.value(f"[...{figures}].map(e => e.querySelector('figcaption').textContent)")
    told = ringfen("solve", "--file", str(source), "--nodes", "20").stdout
    for caption, block in zip(captions, told.split("\n\n"), strict=True):
        lines = [line for line in block.splitlines()[1:] if "effort" not in line and "tablebase build" not in line]
        rows = dict(line.split("  ", 1) for line in lines)
        for name, words in rows.items():
            assert f"{name}{words.strip()}" in caption
    for index, position in enumerate([small, won]):
        shapes = browser.value(f"{figures}[{index}].querySelectorAll('circle').length")
        assert shapes == position.svg().count("<circle")
    click(browser, "#sheet figure:nth-child(2) a")
    until(browser, "document.getElementById('sheet').hidden")
    assert (fen(browser), browser.value("document.getElementById('sheet').hidden")) == (won.fen, True)
    browser.value("history.back(); new Promise(done => addEventListener('hashchange', done, {once: true}))")
    assert browser.value("document.getElementById('game').hidden") is True
    drop(browser, "more.txt", f"# x\n{small.fen}\nrings <b>\ngyges # start\n")
    assert text(browser, "about") == f"{4 + len(game_ids())} positions"
    with pytest.raises(RingfenError) as caught:
        Position("rings <b>")
    assert text(browser, "error") == (
        f"2 positions added; more.txt:3:{1 + caught.value.at}: {caught.value.reason}: {caught.value.message}"
    )
    drop(browser, "more.jsonl", answers.read_text(encoding="utf-8") + '{"fen": 3, "status": "<b>"}\n')
    assert (
        text(browser, "error")
        == f"{2 + len(game_ids())} positions added; line {3 + len(game_ids())} of more.jsonl is not an answer"
    )
    drop(browser, "games.rgn", SECOND)
    assert (text(browser, "heading"), browser.value("document.getElementById('sheet').hidden")) == ("A – <b>", True)
    click(browser, "#to-sheet")
    until(browser, "!document.getElementById('sheet').hidden")
    assert browser.console() == []


PROBLEMS = """[FEN "siaius 3t/M3/S3/4 s - - 0"]
[Stipulation "win in 2"]
[Author "<i>N. N.</i>"]

1. a3-b4 $1 (1. a2-b3 {<b>try</b>}) 1... b4xd4 1-0

[FEN "gyges ....../3.23../111331/2.2..2/....../...... n - 1+1"]
[Stipulation "<img src=x onerror=alert(1)>"]

*
"""


@pytest.fixture
def problems(browser: Browser, tmp_path: Path) -> Browser:
    source, file = tmp_path / "problems.rgn", tmp_path / "problems.html"
    source.write_text(PROBLEMS, encoding="utf-8")
    assert ringfen("view", str(source), "--out", str(file)).exit_code == 0
    browser.open(file)
    browser.value("localStorage.clear()")
    browser.events.clear()
    browser.open(file)
    browser.value("ringfen.games()")
    browser.value("window.dispatchEvent(new Event('beforeprint'))")
    browser.value("window.dispatchEvent(new Event('afterprint'))")
    return browser


def test_problems_hide_their_solutions_until_the_reader_opens_them(problems: Browser) -> None:
    assert text(problems, "about") == "2 problems"
    assert text(problems, "meanings").startswith("Win in n: "), "only the stipulations of the sheet are explained"
    assert problems.value("document.querySelectorAll('#meanings p').length") == 1
    captions = problems.value("[...document.querySelectorAll('#sheet figcaption')].map(e => e.innerText.split('\\n'))")
    assert [caption[0] for caption in captions] == ["1. South to move", "2. North to move"]
    assert captions[0][1:3] == ["<i>N. N.</i>", "win in 2"]
    assert captions[1][1] == "<img src=x onerror=alert(1)>"
    assert "a3-b4" not in body(problems)
    assert problems.value("document.querySelectorAll('#sheet details').length") == 1, "the second has no solution"
    click(problems, "#sheet summary")
    until(problems, "document.querySelector('#sheet details .moves')")
    solution = problems.value("document.querySelector('#sheet details .moves').innerText.replace(/\\s+/g, ' ')")
    assert solution == "1. a3-b4! b4xd4 1-0 1. a2-b3 <b>try</b>"
    click(problems, "#sheet .variation button")
    after = Position("siaius 3t/M3/S3/4 s - - 0").apply("a2-b3")
    assert (fen(problems), current(problems)) == (after.fen, "a2-b3")
    click(problems, "#to-sheet")
    until(problems, "!document.getElementById('sheet').hidden")
    click(problems, "#sheet a")
    until(problems, "document.getElementById('sheet').hidden")
    assert text(problems, "meanings") == ""
    assert fen(problems) == "siaius 3t/M3/S3/4 s - - 0"
    assert text(problems, "note") == "problem 1: win in 2"
    assert "a3-b4" not in text(problems, "movetext"), "the reader tries to solve it"
    assert problems.console() == []


def test_problems_are_printed_before_their_solutions(problems: Browser) -> None:
    problems.call("Emulation.setEmulatedMedia", media="print")
    try:
        problems.value("window.dispatchEvent(new Event('beforeprint'))")
        shown = problems.value("document.getElementById('solutions').innerText.replace(/\\s+/g, ' ')")
        assert shown == "Solutions 1. win in 2 1. a3-b4! b4xd4 1-0 1. a2-b3 <b>try</b>"
        assert problems.value("getComputedStyle(document.getElementById('solutions')).breakBefore") == "page"
        assert problems.value("document.querySelector('#sheet details').offsetHeight") == 0
        pages = base64.b64decode(problems.call("Page.printToPDF")["data"])
        assert len(re.findall(rb"/Type /Page\b", pages)) == 2
    finally:
        problems.call("Emulation.setEmulatedMedia", media="")
    problems.value("window.dispatchEvent(new Event('afterprint'))")
    assert problems.value("document.getElementById('solutions').children.length") == 0


MORE_PROBLEMS = """\
[FEN "rings .k(1).../K(1111111)..k./..k(111)1K(1)/...K(53331)3/k(1111)..../...../.K(1).K(1). n 0+1 0"]
[Stipulation "best margin 15"]

1... @e4 $1 2. e5-d5 (2. e5xe4 d6-c6 (2... d6-c7) (2... d6-d7 {<i>}) (2... d6-e5) 3. e4xc6) (2. e5xd6) e4xd4 0-1

[FEN "gran d4:2:-/e2:1:UE/d3:1:TG @2 e1,a2,f3,h5,i5,e7,g7,i7,d8,e8,i8,a9,b9,c9,e9,h9 0.0.3.1.1.1.0 2 move"]
[Stipulation "best chance 2/3 maxn 3"]

1... e2-g2 $1 2:1 (1... 2:2 g2-h2) (1... 2:3 g2-h2) (1... 3:1) *
"""


def test_a_solution_shows_each_line_before_its_variations(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "more.html"
    (tmp_path / "more.rgn").write_text(MORE_PROBLEMS, encoding="utf-8")
    assert ringfen("view", str(tmp_path / "more.rgn"), "--out", str(file)).exit_code == 0
    browser.open(file)
    browser.value("ringfen.games()")
    rows = "[...document.querySelectorAll('#list button')].map(e => e.innerText.split('\\n'))"
    assert browser.value(rows) == [
        ["best margin 15", "The King of Rings"],
        ["best chance 2/3 maxn 3", "GRAN"],
    ]
    browser.value("window.print = () => { window.printed = true; }; document.getElementById('print-sheet').click()")
    assert browser.value("window.printed") is True
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        browser.value("window.dispatchEvent(new Event('beforeprint'))")
        lines = "[...document.querySelectorAll('#solutions .moves')].map(e => e.innerText.replace(/\\s+/g, ' '))"
        assert browser.value(lines) == [
            "1... @e4! 2. e5-d5 e4xd4 0-1; South has 11 points, North 26"
            " 2. e5xe4 d6-c6 3. e4xc6 2... d6-c7, d6-e5 2... d6-d7 <i> 2. e5xd6",
            "1... e2-g2! 2:1 1... 2:2, 2:3 g2-h2 1... 3:1",
        ]
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
    words = browser.value("[...document.querySelectorAll('#sheet figure:last-child p')].map(e => e.textContent)")
    assert words == [
        "Player 1 on d4, amulets 2, seals: none",
        "Player 2 on e2, amulets 1, seals: Urgad, Elgad, carries the ring",
        "Player 3 on d3, amulets 1, seals: Tirad, Galad",
        "Cards left of value 0 to 6: 0 0 3 1 1 1 0; stones on the board: 16",
        "Seals needed to win: 3",
    ]
    assert browser.console() == []


def test_dropped_problems_become_diagrams(empty: Browser) -> None:
    drop(empty, "problems.rgn", PROBLEMS)
    assert (text(empty, "about"), text(empty, "note")) == ("2 problems", "2 records added")
    empty.value("window.dispatchEvent(new Event('beforeprint'))")
    captions = empty.value("[...document.querySelectorAll('#sheet figcaption')].map(e => e.innerText.split('\\n'))")
    assert captions[0][1:3] == ["<i>N. N.</i>", "win in 2"]
    assert captions[1][1] == "<img src=x onerror=alert(1)>"
    assert "a3-b4!" in text(empty, "solutions")
    assert empty.console() == []


def test_a_link_opens_the_record_of_a_problem(problems: Browser) -> None:
    follow_link(problems, "#1/2")
    assert current(problems) == "b4xd4"
    reload(problems)
    assert (current(problems), problems.value("document.getElementById('sheet').hidden")) == ("b4xd4", True)


# ---- records: changed ----


def press(page: Browser, key: str, *, modifiers: int = 0) -> None:
    """Presses a key with Alt (1), Ctrl (2) or Shift (8)."""
    code = {"z": 90, "y": 89, "ArrowUp": 38, "ArrowDown": 40, "Escape": 27}[key]
    common = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code}
    page.call("Input.dispatchKeyEvent", type="keyDown", **common)
    page.call("Input.dispatchKeyEvent", type="keyUp", **common)


def write(page: Browser, words: str) -> None:
    """Types into the field that has the focus."""
    page.call("Input.insertText", text=words)


def body(page: Browser) -> str:
    """The movetext of the record on one line."""
    return " ".join(str(script(page, "record")).partition("\n\n")[2].split())


def test_a_record_is_changed_by_keys_only(page: Browser) -> None:
    page.value("ringfen.games()")
    before = body(page)
    page.press("ArrowRight")
    page.press("c")
    assert page.value("document.activeElement.getAttribute('aria-label')") == "New comment"
    write(page, "a } <b>brace</b>\u200b")
    page.press("Enter")
    assert body(page) == before.replace("1. 321123 321123", "1. 321123 ; a } <b>brace</b>\u200b 1... 321123")
    assert "a } <b>brace</b>" in text(page, "movetext")
    page.value("document.activeElement.blur()")
    press(page, "z", modifiers=2)
    assert body(page) == before
    press(page, "y", modifiers=2)
    press(page, "z", modifiers=2)
    for _ in range(2):
        page.press("ArrowRight")
    page.press("ArrowDown")
    assert current(page) == "b1-b3"
    press(page, "ArrowUp", modifiers=8)
    assert "2. b1-b3 (2. a1-b3 $4" in body(page)
    press(page, "ArrowDown", modifiers=8)
    assert body(page) == before
    page.press("ArrowDown")
    page.press("Delete")
    assert body(page) == before.replace(" ({[%best] why} 2. c1-c2)", "").replace(
        "2... b6-b4)) 2...", "2... b6-b4)) 2..."
    )
    assert page.console() == []


def test_nags_tags_and_results_are_changed(page: Browser) -> None:
    page.value("ringfen.games()")
    page.press("ArrowRight")
    for name in ("annotating", "more"):
        page.value(f"document.querySelector('#{name} summary').click()")
    until(page, "document.querySelector('#nags button') && document.querySelector('#tags input')")
    click(page, "#nags button[aria-label='NAG !?']")
    assert (current(page), "1. 321123 $5 321123" in body(page)) == ("321123!?", True)
    page.value("document.querySelector('#nags input').focus()")
    page.value("document.querySelector('#nags input').value = '? $13 $300'")
    page.press("Enter")
    assert text(page, "error") == "$300: expected $ and a number from 0 to 255, or ! ? !! ?? !? ?!"
    page.value("document.querySelector('#nags input').value = '? $13'")
    page.press("Enter")
    assert "1. 321123 $2 $13 321123" in body(page)
    for name, value in (("Date", "2026.13.40"), ("no name", "x"), ("Round", 'a"b\\')):
        page.value(f"document.getElementById('tag-name').value = {name!r}")
        page.value(
            f"document.getElementById('tag-value').value = {value!r}; document.getElementById('tag-value').focus()"
        )
        page.press("Enter")
    record = str(script(page, "record"))
    assert '[Date "2026.13.40"]\n[Round "a\\"b\\\\"]\n[South' in record
    assert "no name" not in record
    assert "bad-date" in text(page, "problems")
    assert "1998.03.12, with ? for each unknown digit" not in text(page, "tags")
    assert text(page, "about-Date") == "the calendar has no such day"
    fill(page, "Date", "")
    assert '[Date "?"]' in str(script(page, "record"))
    click(page, "#tags button[aria-label='Remove the tag Round']")
    assert "[Round" not in str(script(page, "record"))
    page.value("document.getElementById('result').value = '1-0'")
    page.value("document.getElementById('result').dispatchEvent(new Event('change'))")
    assert body(page).endswith(" 1-0")
    assert "1-0" in text(page, "about")
    assert page.console() == []


def fill(page: Browser, name: str, value: str) -> None:
    """Types the value of a tag into its field."""
    page.value(f"document.querySelector('#tags [aria-label={name}]').focus()")
    page.value("document.activeElement.select()")
    page.write(value)
    page.press("Enter")


@pytest.mark.parametrize("game_id", game_ids())
def test_a_new_game_has_fields_for_players_event_date_and_result(empty: Browser, game_id: str) -> None:
    sides = ["Player1", "Player2", "Player3"] if game_id == "gran" else ["South", "North"]
    start_new(empty, game_id)
    until(empty, "document.querySelector('#tags input')")
    fields = "[...document.querySelectorAll('#tags input, #tags select')]"
    assert empty.value(f"{fields}.map(one => one.ariaLabel)") == ["Event", "Date", *sides, "Result"]
    assert empty.value(f"{fields}.map(one => one.value)") == [""] * (2 + len(sides)) + ["*"]
    assert empty.value(f"{fields}.every(one => one.offsetHeight > 0)") is True
    fill(empty, sides[1], "Anna")
    assert text(empty, "heading") == " – ".join([sides[0], "Anna", *sides[2:]])
    fill(empty, "Event", "Club")
    fill(empty, "Date", "12.3.1998")
    assert text(empty, "about-Date").startswith("a date is YYYY.MM.DD, such as 1998.03.12")
    (dated,) = read_records(text=str(script(empty, "record")))
    assert [found.message for found in dated.diagnostics] == [f"Date 12.3.1998: {text(empty, 'about-Date')}"]
    fill(empty, "Date", "1998.03.12")
    assert empty.value("document.getElementById('about-Date')") is None
    result = "0-1-0" if game_id == "gran" else "0-1"
    empty.value(f"document.getElementById('result').value = '{result}'")
    empty.value("document.getElementById('result').dispatchEvent(new Event('change'))")
    record = str(script(empty, "record"))
    assert f'[Result "{result}"]\n\n{result}\n' in record
    (found,) = read_records(text=record)
    assert (found.diagnostics, found.tags[sides[1]]) == ([], "Anna")
    assert empty.console() == []


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_a_new_game_of_gran_has_the_chosen_number_of_players(empty: Browser, players: int) -> None:
    start_new(empty, "gran", players)
    assert fen(empty) == game_by_id("gran").start(players=players)
    until(empty, "document.querySelector('#tags input')")
    names = empty.value("[...document.querySelectorAll('#tags input')].map(one => one.ariaLabel)")
    names = [name for name in names if name != "FEN"]
    assert names == ["Event", "Date", *(f"Player{number + 1}" for number in range(players))]
    start_new(empty, "rings")
    assert len(empty.value("[...document.querySelectorAll('#list li')]")) == 1, "an empty board is not kept"


def test_new_games_have_every_size(empty: Browser) -> None:
    click(empty, "#new summary")
    name = f"{game_by_id('rings').name}, 5×7"
    buttons = "[...document.querySelectorAll('#new button')]"
    empty.value(f"{buttons}.find(one => one.textContent === {json.dumps(name)}).click()")
    assert fen(empty) == game_by_id("rings").start(size="5x7")


def test_the_list_of_new_games_closes(either: AnyBrowser) -> None:
    is_open = "document.getElementById('new').open"
    script(either, "setPosition", "siaius")
    click_place(either, "a3")
    click(either, "#new summary")
    either.press("Tab")
    assert either.value(is_open)
    either.press("Escape")
    assert either.value(f"[{is_open}, document.activeElement.textContent]") == [False, "New…"]
    assert either.value("document.getElementById('undo').disabled") is False, "the click on a3 stays"
    click(either, "#new summary")
    click(either, "#heading")
    assert either.value(is_open) is False
    assert either.console() == []


def test_a_new_game_keeps_the_one_before(empty: Browser) -> None:
    script(empty, "play", "231123")
    entered = str(script(empty, "record"))
    for game_id, count in (("rings", 2), ("siaius", 2)):
        start_new(empty, game_id)
        assert len(empty.value("[...document.querySelectorAll('#list li')]")) == count, "an empty board is not kept"
    assert text(empty, "note") == ""
    for name, value in (("South", "Anna"), ("North", "Ben")):
        fill(empty, name, value)
    named = str(script(empty, "record"))
    script(empty, "setPosition", "gran")
    assert text(empty, "note") == "the previous game is in the list of records: Anna – Ben"
    script(empty, "play", "g3-f3")
    last = str(script(empty, "record"))
    assert saved(empty, "download") == entered + named + last
    reload(empty)
    assert saved(empty, "download") == entered + named + last
    click(empty, "#list li:nth-child(2) button")
    assert text(empty, "heading") == "Anna – Ben"
    position = random_position("siaius")
    script(empty, "setPosition", random_position("rings"))
    script(empty, "setPosition", position)
    assert saved(empty, "download").count("[FEN ") == 1, "undo brings a position back"
    start_new(empty, "rings")
    assert f'[FEN "{position}"]' in saved(empty, "download"), "a position on the board may be work"
    assert empty.console() == []


def test_invisible_characters_of_tags_and_comments_are_code_points(empty: Browser) -> None:
    record = '[Game "gyges"]\n[Event "a\u202eb"]\n[South "x\u2066y\x07"]\n[North "N"]\n\n{c\u200bd} *\n'
    script(empty, "setRecord", record)
    assert text(empty, "heading") == "xU+2066yU+0007 – N"
    assert "aU+202Eb" in text(empty, "about")
    assert "cU+200Bd" in text(empty, "movetext")
    assert "xU+2066yU+0007" in empty.value("document.querySelector('#list li').textContent")
    assert text(empty, "about-South") == "xU+2066yU+0007"
    assert "\u2066" in str(script(empty, "record")), "the record keeps them"


def test_the_field_for_positions_takes_them_without_the_game(empty: Browser) -> None:
    for game_id in game_ids():
        script(empty, "setPosition", game_id)
        wanted = random_position(game_id)
        empty.value("document.getElementById('fen').focus()")
        empty.value("document.activeElement.select()")
        empty.write(wanted.partition(" ")[2])
        empty.press("Enter")
        assert (text(empty, "error"), fen(empty)) == ("", wanted)


def random_position(game_id: str) -> str:
    """A position of a random game."""
    return list(random_game(game_id, 5, plies=7).positions())[-1].fen


def test_the_last_position_decides_the_result(empty: Browser) -> None:
    won = "gyges 1.23../....../....../....../....../3..... s - 1+1"
    start = Position("siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0")
    assert won
    script(empty, "setRecord", f'[Game "siaius"]\n[FEN "{start.fen}"]\n[Result "*"]\n\n*\n')
    position, plies = start, []
    chance = random.Random(3)
    while not position.is_over:
        plies.append(chance.choice(position.plies()))
        position = position.apply(plies[-1])
        assert script(empty, "play", plies[-1]) == plies[-1]
    (record,) = read_records(text=str(script(empty, "record")))
    assert (record.valid, record.result, record.tags["Result"]) == (True, record.result, record.result)
    assert record.result != "*"
    empty.value("[...document.querySelectorAll('#more summary')].forEach(one => one.click())")
    other = "0-1" if record.result == "1-0" else "1-0"
    empty.value(f"document.getElementById('result').value = '{other}'")
    empty.value("document.getElementById('result').dispatchEvent(new Event('change'))")
    assert f"the last position says {record.result}" in text(empty, "error")
    empty.press("End")
    empty.press("Delete")
    assert str(script(empty, "record")).endswith("*\n\n")
    assert '[Result "*"]' in str(script(empty, "record"))


# ---- records: kept by the browser ----


def reload(page: Browser) -> None:
    """Loads the page again; its core is ready then."""
    page.reload()
    page.value("ringfen.games()")


def test_changes_survive_a_reload_until_they_are_discarded(page: Browser) -> None:
    page.value("localStorage.clear()")
    page.value("ringfen.games()")
    assert page.value("document.getElementById('kept').hidden") is True
    original = saved(page, "download")
    page.press("ArrowRight")
    assert script(page, "play", "112233") == "112233"
    paste = "const d = new DataTransfer(); d.setData('text/plain', " + json.dumps(SECOND) + ");"
    options = "{ clipboardData: d, bubbles: true, cancelable: true }"
    page.value(f"(() => {{ {paste} document.body.dispatchEvent(new ClipboardEvent('paste', {options})); }})()")
    until(page, "document.querySelectorAll('#list li').length === 4")
    assert str(script(page, "setPosition", "siaius 1c1/3/C2 s - - 0 huff=off")).startswith("siaius 1c1")
    assert script(page, "play", "a1-a2") == "a1-a2"
    changed = saved(page, "download")
    assert changed != original
    assert "1... 112233" in changed
    assert "3 changed records" in text(page, "kept-words")
    assert "local storage" in text(page, "kept-words")
    assert text(page, "kept-words").endswith("Your changes are saved in the file Some bgamesb.rgn.")
    page.press("ArrowRight")
    page.press("Delete")
    assert text(page, "kept-words").endswith("Save all records writes a file.")
    click(page, "#undo")
    reload(page)
    assert saved(page, "download") == changed
    assert text(page, "count") == "5 of 5 records"
    assert "112233" in text(page, "movetext")
    for name in ("discard", "discard-no", "discard", "discard-yes"):
        page.value(f"document.getElementById('{name}').click()")
    assert text(page, "count") == "3 of 3 records"
    assert "112233" not in text(page, "movetext")
    assert saved(page, "download") == original
    reload(page)
    assert saved(page, "download") == original
    assert page.value("localStorage.length") == 0


def test_hostile_texts_in_the_storage_stay_text(page: Browser) -> None:
    page.value("localStorage.clear()")
    page.value("ringfen.games()")
    script(page, "play", "321132")
    (key,) = page.value("Object.keys(localStorage)")
    prefix = key.rpartition(":")[0]
    hostile = {
        f"{prefix}:1": '[Game "gyges"]\n[South "<img src=x onerror=alert(1)>"]\n\n{</script><b>} 1. 321123 *\n',
        f"{prefix}:2": '[Game "gyges"]\n\n1. a1-a2 <b>',
        f"{prefix}:7": SECOND + SECOND,
        f"{prefix}:__proto__": SECOND,
        f"{prefix}:-1": SECOND,
        f"{prefix}:8": "",
        f"{prefix}:9": SECOND,
        f"{prefix}:analysis": '{"a": [1]}\0',
        "other": SECOND,
    }
    page.value(f"Object.entries({json.dumps(hostile)}).forEach(([k, v]) => localStorage.setItem(k, v))")
    page.events.clear()
    reload(page)
    assert text(page, "count").endswith(" of 5 records")
    assert page.value("document.querySelectorAll('b, img').length") == 0
    page.press("n")
    assert text(page, "heading") == "<img src=x onerror=alert(1)> – North" or "<img" in text(page, "heading")
    assert "</script><b>" in text(page, "movetext")
    page.press("n")
    assert "This record is invalid" in text(page, "problems")
    assert page.console() == []
    page.value("localStorage.clear()")


def sheet_shown(page: Browser) -> list[str]:
    """The first line of each diagram, if the sheet is shown."""
    page.value("window.dispatchEvent(new Event('beforeprint'))")
    page.value("window.dispatchEvent(new Event('afterprint'))")
    shown = "[...document.querySelectorAll('#sheet:not([hidden]) figcaption')].map(e => e.innerText.split('\\n')[0])"
    found: list[str] = page.value(shown)
    return found


def test_added_diagrams_survive_a_reload_until_they_are_discarded(empty: Browser, tmp_path: Path) -> None:
    positions, answers = tmp_path / "positions.txt", tmp_path / "answers.jsonl"
    small = Position("siaius 1c1/3/C2 s - - 0 huff=off")
    positions.write_text(f"# <b>\n{small.fen}\n", encoding="utf-8")
    ringfen("solve", "--file", str(positions), "--out", str(answers))
    for file in (positions, answers):
        drop(empty, file.name, file.read_text(encoding="utf-8"))
        assert text(empty, "note") == "1 position added"
    drop(empty, "problems.rgn", PROBLEMS)
    before = sheet_shown(empty)
    assert len(before) == 4
    kept = text(empty, "kept-words")
    assert kept.startswith("This browser keeps 2 changed records and the added diagrams in its local storage")
    assert empty.value("document.getElementById('kept').offsetHeight > 0") is True, "the sheet shows it too"
    for _ in range(2):
        reload(empty)
        assert (sheet_shown(empty), text(empty, "kept-words")) == (before, kept)
    captions = empty.value("[...document.querySelectorAll('#sheet figcaption')].map(e => e.textContent)")
    assert "draw" in captions[1]
    assert "win in 2" in captions[2]
    click(empty, "#sheet figure:nth-child(3) summary")
    until(empty, "document.querySelector('#sheet details .moves')")
    click(empty, "#sheet .moves button")
    until(empty, "document.getElementById('sheet').hidden")
    assert current(empty) == "a3-b4!"
    for name in ("discard", "discard-yes"):
        empty.value(f"document.getElementById('{name}').click()")
    assert sheet_shown(empty) == []
    assert empty.value("document.getElementById('to-sheet').hidden") is True
    assert empty.value("localStorage.length") == 0
    reload(empty)
    assert empty.value("document.getElementById('game').hidden") is False
    assert empty.console() == []


def test_discarding_keeps_the_sheet_of_the_page(problems: Browser) -> None:
    before = sheet_shown(problems)
    drop(problems, "more.txt", "siaius\n")
    assert sheet_shown(problems) == [*before, "1. South to move"]
    for name in ("discard", "discard-yes"):
        problems.value(f"document.getElementById('{name}').click()")
    assert sheet_shown(problems) == before
    assert text(problems, "about") == "2 problems"
    assert problems.console() == []


@pytest.mark.parametrize(
    "kept",
    ["", "{", "null", "3", '{"length": 2}', '[3, null, {}, ["__proto__", 7], [], "x", "<img src=x>", "rings <b>"]'],
)
def test_hostile_diagrams_in_the_storage_are_ignored(empty: Browser, kept: str) -> None:
    drop(empty, "one.txt", "siaius\n")
    (key,) = (name for name in empty.value("Object.keys(localStorage)") if name.endswith(":sheet"))
    empty.value(f"localStorage.setItem({json.dumps(key)}, {json.dumps(kept)})")
    reload(empty)
    assert sheet_shown(empty) == []
    assert empty.value("document.querySelectorAll('img').length") == 0
    drop(empty, "one.txt", "gyges\n")
    assert sheet_shown(empty) == ["1. South sets up six rings"]
    reload(empty)
    assert sheet_shown(empty) == ["1. South sets up six rings"]
    assert empty.console() == []


def test_a_full_storage_is_reported(page: Browser) -> None:
    page.value("localStorage.clear()")
    page.value("ringfen.games()")
    page.value("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.press("End")
    plies = script(page, "plies")
    assert isinstance(plies, list)
    assert script(page, "play", plies[0]) == plies[0]
    assert "no room to keep your changes" in text(page, "kept-words")
    saved(page, "download")
    words = text(page, "kept-words")
    assert "no room to keep your changes" in words
    assert words.endswith("Your changes are saved in the file Some bgamesb.rgn.")
    assert page.value("document.getElementById('kept').hidden") is False


def test_messages_take_no_room_without_words_but_stay_displayed(empty: Browser) -> None:
    for width, height in ((1300, 900), (390, 844)):
        empty.resize(width, height)
        script(empty, "setPosition", "siaius")
        box = "document.getElementById('messages')"
        assert empty.value(f"{box}.getBoundingClientRect().height") == 0
        for name in ("error", "note"):
            assert empty.value(f"getComputedStyle(document.getElementById('{name}')).display") == "block"
        empty.press("Delete")
        assert empty.value(f"{box}.getBoundingClientRect().height") > 20
    empty.resize(1300, 900)


def test_the_board_is_large_and_the_new_games_are_seen_in_a_low_window(empty: Browser) -> None:
    for width, height in ((844, 390), (1024, 600), (568, 320)):
        empty.resize(width, height)
        box = empty.value("document.querySelector('#board svg').getBoundingClientRect().height")
        assert box > 0.5 * height
        click(empty, "#new summary")
        assert empty.value("document.querySelector('#new div').getBoundingClientRect().top + scrollY") >= 0
        empty.press("Escape")
    empty.resize(1300, 900)


def test_a_record_that_cannot_be_changed_has_no_buttons_for_it(page: Browser) -> None:
    shown = "['edit', 'tagging'].map(name => document.getElementById(name).offsetHeight > 0)"
    page.value("ringfen.games()")
    page.value("document.getElementById('more').open = true")
    until(page, "document.querySelector('#tags input')")
    assert page.value(shown) == [True, True]
    page.press("n")
    assert "This record is invalid" in text(page, "problems")
    assert page.value(shown) == [True, False]
    file = Path(page.value("decodeURIComponent(location.pathname)"))
    without_core = re.sub(r'<script[^>]* id="core".*?</script>', "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    file.write_text(without_core, encoding="utf-8")
    page.open(file)
    page.value("document.getElementById('more').open = true")
    assert page.value(shown) == [False, False]
    assert page.console() == []
