/* The path of the depth-first search, and failures that depend on it.
 *
 * Idea: a position that repeats on the path fails for the attacker (K11). A failure that comes from a repetition is
 * provisional: it depends on the positions of the path that were repeated (the graph-history interaction problem,
 * Campbell 1985; Kishimoto and Mueller 2004). Provisional failures are in groups, joined by union-find. A group is
 * used only while the positions that it depends on are on the path.
 *
 * Invariants:
 *   - A success is a finite tree without repetitions: it is proven, whatever the path.
 *   - If a position fails and depends on nothing above it, the groups that depend only on it are proven: in the set
 *     of their positions and this one, the defender always has a ply that stays in the set or leads to a proven
 *     failure.
 *   - If a position succeeds, the groups that depend on it are void.
 *   - Open groups are in rising order, and those made below a position on the path are at the end.
 *
 * Example: on the path P0 P1 P2, a ply from P2 leads back to P1. P2 fails and depends on depth 1: it begins a group
 * with low = high = 1. If P1 then fails without another repetition, the group depends only on P1, so P2 is proven. */
#ifndef RINGFEN_RINGS_PATH_H
#define RINGFEN_RINGS_PATH_H

#include "control.h"
#include "rings/solver/table.h"

/* A question's answer, from the attacker's view. */
enum { KR_UNDECIDED = -1, KR_FAILS = 0, KR_SUCCEEDS = 1 };

static const uint32_t kr_depends_on_nothing RF_UNUSED = UINT32_MAX;

typedef struct kr_answer {
    int answer;
    uint32_t low, high; /* of a provisional failure: it depends on positions at these depths and between */
} kr_answer;

static inline kr_answer kr_proven(int answer) { return (kr_answer){answer, kr_depends_on_nothing, 0}; }

/* ---- the path ---- */

enum {
    KR_FRAMES_PER_CHUNK = 256,
    KR_MAX_CHUNKS = 1024, /* no path is longer than 2^18 positions */
    KR_PATH_LISTS = 1 << 16
};

/* A position on the path. */
typedef struct kr_frame {
    rf_state state;
    uint64_t key;
    uint64_t nodes_before;
    rf_ply plies[KR_MAX_PLIES]; /* in the order in which they are tried */
    uint32_t count, next;
    uint32_t not_deferred; /* plies that were not deferred come before this index */
    uint32_t cycle_start;  /* depth of the first position that can repeat: the one after the last progress (K11) */
    uint32_t low, high;    /* what failures below depend on; low > high: nothing */
    uint32_t groups_before;
    rf_ply best;
    int goal; /* the answer that the player to move wants */
} kr_frame;

typedef struct kr_path {
    kr_frame **chunks;
    uint32_t chunk_count;
    uint64_t *keys; /* by depth */
    /* Lists by the low bits of a key: the depth of the last position, and for each depth that of the one before it.
     * Depths count from 1; 0 ends a list. */
    uint32_t *last, *previous;
} kr_path;

RF_PRIVATE bool kr_path_init(kr_path *path);
RF_PRIVATE void kr_path_free(kr_path *path);
/* Makes the frame at `depth` available; false if memory ran out. */
RF_PRIVATE bool kr_path_grow(kr_path *path, uint32_t depth);

static inline kr_frame *kr_frame_at(const kr_path *path, uint32_t depth)
{
    return &path->chunks[depth / KR_FRAMES_PER_CHUNK][depth % KR_FRAMES_PER_CHUNK];
}

/* Depth, counted from 1, of the last position with this key from depth `start` on; 0 if there is none. */
static inline uint32_t kr_find_on_path(const kr_path *path, uint64_t key, uint32_t start)
{
    uint32_t at = path->last[key % KR_PATH_LISTS];
    while (at > start && path->keys[at - 1] != key)
        at = path->previous[at - 1];
    return at > start ? at : 0;
}

static inline void kr_push(kr_path *path, uint64_t key, uint32_t depth)
{
    uint32_t *last = &path->last[key % KR_PATH_LISTS];
    path->keys[depth] = key;
    path->previous[depth] = *last;
    *last = depth + 1;
}

static inline void kr_pop(kr_path *path, uint32_t depth)
{
    path->last[path->keys[depth] % KR_PATH_LISTS] = path->previous[depth];
}

/* Moves the ply that was tried last to the end of the list. */
RF_PRIVATE void kr_defer_ply(kr_frame *f);

/* ---- groups of provisional failures ---- */

enum { KR_GROUP_OPEN, KR_GROUP_PROVEN, KR_GROUP_INVALID };
enum { KR_MAX_GROUPS = 1 << 22 };

typedef struct kr_group {
    uint32_t parent;    /* in the union-find tree; a root is its own parent */
    uint32_t state;     /* of a root: KR_GROUP_* */
    uint32_t low, high; /* of a root: it depends on positions at these depths and between */
} kr_group;

typedef struct kr_groups {
    kr_group *groups;
    uint32_t count, max;
    uint32_t *open; /* roots in state KR_GROUP_OPEN */
    uint32_t open_count;
} kr_groups;

RF_PRIVATE bool kr_groups_init(kr_groups *g);
RF_PRIVATE void kr_groups_free(kr_groups *g);
RF_PRIVATE uint32_t kr_group_root(kr_group *groups, uint32_t group);
/* A new question begins: groups that a stopped search left open are void. */
RF_PRIVATE void kr_invalidate_open_groups(kr_groups *g);
/* The position at `depth` succeeds: groups that depend on it are void. */
RF_PRIVATE void kr_invalidate_groups(kr_groups *g, const kr_frame *f, uint32_t depth);
/* It fails and depends on nothing above: groups that depend only on it are proven. */
RF_PRIVATE void kr_prove_groups(kr_groups *g, const kr_frame *f, uint32_t depth);
/* It fails and depends on positions above: it begins a group, which groups that depend on it join. */
RF_PRIVATE uint32_t kr_add_group(kr_groups *g, const kr_frame *f, uint32_t depth);
/* Settles every provisional entry of a closed group in the table and renumbers the open groups from 0. False if too
 * many are open. */
RF_PRIVATE bool kr_renumber_groups(kr_groups *g, const kr_table *table);

#endif
