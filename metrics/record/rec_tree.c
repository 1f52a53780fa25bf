// Call paths by a hash of (parent, region), with the child that was looked up last beside each.
#include "metrics/record/rec_tree.h"

#include "metrics/record/rec_allocations.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"
#include "metrics/record/rec_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SEGMENT_BYTES = PJ_REC_TREE_SEGMENT * (int)sizeof(pj_rec_node),
    SEGMENTS_MOST = 512,     // 160 MiB a thread
    SEGMENTS_OF_PATHS = 256, // the rest is for what is folded
    FIRST_SLOTS = 1024,
    CLOCK_EVERY = 1 << 16, // events
};

_Static_assert(sizeof(pj_rec_node) == sizeof(pj_rec_tree_head), "the head has the place of a node");

struct pj_rec_tree {
    pj_rec_node *segments[SEGMENTS_MOST];
    uint32_t count, room; // nodes, and those mapped
    uint32_t depth_most;
    uint32_t *recent; // of a node: the child that was looked up last
    size_t recent_bytes;
    uint32_t *slots; // numbers of nodes; 0 = free
    size_t mask;
    bool anonymous; // memory only
    bool folds;     // some path was folded
    bool counts;    // allocations
    pj_rec_allocations told;
    uint8_t scratch[PJ_REC_RECORD_MOST + PJ_REC_CHUNK_RESERVE];
    char path[PATH_MAX];
};

static pj_rec_node *node_at(const pj_rec_tree *tree, uint32_t number)
{
    return &tree->segments[number / PJ_REC_TREE_SEGMENT][number % PJ_REC_TREE_SEGMENT];
}

static pj_rec_tree_head *head_of(const pj_rec_tree *tree)
{
    return (pj_rec_tree_head *)tree->segments[0];
}

/// A segment of the file with all its blocks, so that no write to it can fail.
static void *map_segment(pj_rec_tree *tree, off_t from)
{
    int file = open(tree->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return MAP_FAILED;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    int failed = posix_fallocate(file, from, SEGMENT_BYTES);
    pj_rec_signal_release(&held);
    void *at = MAP_FAILED;
    if (!failed && !tree->anonymous)
        at = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, from);
    close(file);
    errno = failed;
    if (!failed && at == MAP_FAILED && (tree->anonymous || from == 0)) {
        tree->anonymous = true;
        at = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return at;
}

static bool grow_recent(pj_rec_tree *tree, size_t bytes)
{
    uint32_t *more = bytes > tree->recent_bytes
                         ? pj_rec_store_grow(tree->recent, tree->recent_bytes, bytes)
                         : NULL;
    if (more) {
        tree->recent = more;
        tree->recent_bytes = bytes;
    }
    return bytes <= tree->recent_bytes;
}

static bool add_segment(pj_rec_tree *tree)
{
    const uint32_t number = tree->room / PJ_REC_TREE_SEGMENT;
    if (number == SEGMENTS_MOST || !pj_rec_part_spend(SEGMENT_BYTES))
        return false;
    if (!grow_recent(tree, (tree->room + (size_t)PJ_REC_TREE_SEGMENT) * sizeof *tree->recent))
        return false;
    void *at = map_segment(tree, (off_t)number * SEGMENT_BYTES);
    if (at == MAP_FAILED)
        return false;
    madvise(at, SEGMENT_BYTES, MADV_DONTFORK);
    tree->segments[number] = at;
    tree->room += PJ_REC_TREE_SEGMENT;
    return true;
}

static size_t place_of(uint32_t parent, uint32_t region)
{
    uint64_t key = (uint64_t)parent << 32 | region;
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(key ^ key >> 32);
}

static uint32_t *slot_of(const pj_rec_tree *tree, uint32_t parent, uint32_t region)
{
    size_t at = place_of(parent, region) & tree->mask;
    for (; tree->slots[at]; at = (at + 1) & tree->mask) {
        const pj_rec_node *node = node_at(tree, tree->slots[at]);
        if (node->parent == parent && node->region == region)
            break;
    }
    return &tree->slots[at];
}

static bool grow_slots(pj_rec_tree *tree)
{
    const size_t before = tree->slots ? tree->mask + 1 : 0,
                 count = before ? 2 * before : FIRST_SLOTS;
    uint32_t *slots = pj_rec_store_grow(NULL, 0, count * sizeof *slots);
    if (!slots)
        return false;
    pj_rec_store_free(tree->slots, before * sizeof *slots);
    tree->slots = slots;
    tree->mask = count - 1;
    for (uint32_t i = PJ_REC_TREE_FIRST; i < tree->count; i++)
        *slot_of(tree, node_at(tree, i)->parent, node_at(tree, i)->region) = i;
    return true;
}

/// The new node counts once it is whole.
static uint32_t make_node(pj_rec_tree *tree, uint32_t parent, uint32_t region)
{
    if ((2 * (size_t)tree->count > tree->mask && !grow_slots(tree)) ||
        (tree->count == tree->room && !add_segment(tree)))
        return 0;
    const uint32_t number = tree->count;
    *node_at(tree, number) = (pj_rec_node){.parent = parent, .region = region, .least = UINT64_MAX};
    *slot_of(tree, parent, region) = number;
    __asm__ volatile("" ::: "memory");
    head_of(tree)->count = ++tree->count;
    return number;
}

/// No handler jumps out of it (siglongjmp), which would leave it half done.
static uint32_t add_node(pj_rec_tree *tree, uint32_t parent, uint32_t region)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    const uint32_t number = make_node(tree, parent, region);
    pj_rec_signal_let(&before);
    return number;
}

static uint32_t find_node(pj_rec_tree *tree, uint32_t parent, uint32_t region)
{
    uint32_t found = tree->recent[parent];
    if (found && node_at(tree, found)->region == region)
        return found;
    found = *slot_of(tree, parent, region);
    if (found)
        tree->recent[parent] = found;
    return found;
}

/// What has no path of its own is counted for its region, and that is said.
static void fold(pj_rec_tree *tree)
{
    tree->folds = true;
    pj_rec_node *node = node_at(tree, PJ_REC_TREE_FOLDED);
    if (!node->region)
        node->region = pj_rec_region(&(pj_rec_region_of){.name = "call paths left out",
                                                         .role = PJ_REC_ROLE_ARTIFICIAL,
                                                         .paradigm = PJ_REC_PARADIGM_SYSTEM});
    pj_rec_note(1, "calls deeper than %u, or of too many call paths, are counted by function only",
                tree->depth_most);
}

static uint32_t folded_child(pj_rec_tree *tree, uint32_t region)
{
    uint32_t number = find_node(tree, PJ_REC_TREE_FOLDED, region);
    if (!number)
        number = add_node(tree, PJ_REC_TREE_FOLDED, region);
    return number ? number : PJ_REC_TREE_FOLDED;
}

static bool is_folded(const pj_rec_tree *tree, uint32_t number)
{
    return number == PJ_REC_TREE_FOLDED ||
           (number >= PJ_REC_TREE_FIRST && node_at(tree, number)->parent == PJ_REC_TREE_FOLDED);
}

static uint32_t child_of(pj_rec_tree *tree, uint32_t parent, uint32_t region, uint32_t depth)
{
    uint32_t found = find_node(tree, parent, region);
    if (__builtin_expect(found != 0, 1))
        return found;
    bool fits = depth < tree->depth_most && !is_folded(tree, parent) &&
                tree->count < SEGMENTS_OF_PATHS * PJ_REC_TREE_SEGMENT;
    found = fits ? add_node(tree, parent, region) : 0;
    if (found)
        return found;
    if (!tree->folds)
        fold(tree);
    return folded_child(tree, region);
}

static uint32_t innermost(const pj_rec_thread *t)
{
    return t->depth ? t->frames[t->depth - 1].node : PJ_REC_TREE_ROOT;
}

static void charge_allocations(const pj_rec_thread *t, uint32_t number)
{
    const pj_rec_allocations now = pj_rec_allocated, last = t->tree->told;
    t->tree->told = now;
    if (number && !t->off) {
        pj_rec_node *node = node_at(t->tree, number);
        node->allocations += now.count - last.count;
        node->allocated += now.bytes - last.bytes;
    }
}

void pj_rec_tree_charge(pj_rec_thread *t, uint64_t ticks)
{
    const uint32_t number = innermost(t);
    if (__builtin_expect(t->tree->counts, 0))
        charge_allocations(t, number);
    if (ticks <= t->last)
        return;
    if (number && !t->off)
        node_at(t->tree, number)->own += ticks - t->last;
    t->last = ticks;
}

static void count_event(pj_rec_thread *t)
{
    if (++t->events % CLOCK_EVERY == 0)
        pj_rec_part_tick(t->last);
}

void pj_rec_tree_enter(pj_rec_thread *t, uint32_t region, uint64_t ticks)
{
    pj_rec_tree *tree = t->tree;
    pj_rec_tree_charge(t, ticks);
    const uint32_t number = child_of(tree, innermost(t), region, t->depth);
    node_at(tree, number)->visits++;
    t->frames[t->depth++] = (pj_rec_frame){.ticks = t->last, .region = region, .node = number};
    count_event(t);
}

void pj_rec_tree_leave(pj_rec_thread *t, uint64_t ticks)
{
    pj_rec_tree_charge(t, ticks);
    const pj_rec_frame *frame = &t->frames[t->depth - 1];
    pj_rec_node *node = node_at(t->tree, frame->node);
    const uint64_t took = t->last - frame->ticks;
    node->least = took < node->least ? took : node->least;
    node->most = took > node->most ? took : node->most;
    t->depth--;
    count_event(t);
}

uint8_t *pj_rec_tree_scratch(pj_rec_tree *tree)
{
    return tree->scratch;
}

void pj_rec_tree_record(pj_rec_thread *t, pj_rec_event_type type, uint64_t ticks,
                        const uint64_t *members, size_t bytes)
{
    enum { LENGTH = 3, SENT = 3, RECEIVED = 4 }; // members of messages and of collectives
    pj_rec_tree_charge(t, ticks);
    const uint32_t number = innermost(t);
    if (!number)
        return;
    pj_rec_node *node = node_at(t->tree, number);
    node->records += bytes;
    if (type == PJ_REC_MPI_SEND || type == PJ_REC_MPI_ISEND) {
        node->sent += members[LENGTH];
    } else if (type == PJ_REC_MPI_RECV || type == PJ_REC_MPI_IRECV) {
        node->received += members[LENGTH];
    } else if (type == PJ_REC_MPI_COLLECTIVE_END ||
               type == PJ_REC_NON_BLOCKING_COLLECTIVE_COMPLETE) {
        node->sent += members[SENT];
        node->received += members[RECEIVED];
    }
    count_event(t);
}

pj_rec_tree *pj_rec_tree_new(const char *path, uint32_t depth_most)
{
    size_t len = strlen(path);
    pj_rec_tree *tree = len < sizeof tree->path ? pj_rec_store_grow(NULL, 0, sizeof *tree) : NULL;
    if (!tree)
        return NULL;
    memcpy(tree->path, path, len + 1);
    tree->depth_most = depth_most;
    tree->counts = pj_rec_allocations_wanted();
    if (!add_segment(tree) || !grow_slots(tree)) {
        pj_rec_tree_free(tree);
        return NULL;
    }
    *node_at(tree, PJ_REC_TREE_FOLDED) = (pj_rec_node){.least = UINT64_MAX};
    tree->count = PJ_REC_TREE_FIRST;
    *head_of(tree) = (pj_rec_tree_head){.magic = PJ_REC_TREE_MAGIC, .count = PJ_REC_TREE_FIRST};
    return tree;
}

void pj_rec_tree_free(pj_rec_tree *tree)
{
    for (uint32_t i = 0; i < tree->room / PJ_REC_TREE_SEGMENT; i++)
        munmap(tree->segments[i], SEGMENT_BYTES);
    pj_rec_store_free(tree->recent, tree->recent_bytes);
    pj_rec_store_free(tree->slots, tree->slots ? (tree->mask + 1) * sizeof *tree->slots : 0);
    pj_rec_store_free(tree, sizeof *tree);
}

static bool write_segments(const pj_rec_tree *tree, const char *path)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = file >= 0;
    for (uint32_t i = 0; ok && i < tree->room / PJ_REC_TREE_SEGMENT; i++)
        ok = pwrite(file, tree->segments[i], SEGMENT_BYTES, (off_t)i * SEGMENT_BYTES) ==
             SEGMENT_BYTES;
    if (file >= 0)
        close(file);
    return ok;
}

bool pj_rec_tree_close(pj_rec_tree *tree, const char *path)
{
    bool ok = (!tree->anonymous || write_segments(tree, path)) &&
              truncate(path, (off_t)(tree->count * sizeof(pj_rec_node))) == 0;
    pj_rec_tree_free(tree);
    return ok;
}
