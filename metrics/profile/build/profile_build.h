// Makes a profile of what a reader finds: the one way to make one.
// Ownership: new/free; what is handed in is borrowed, texts are copied.
//
// A reader of a format does, in any order that suits its file:
//
//     uint32_t here = pj_build_location(b, (pj_profile_location){.rank = 3, .thread = 0});
//     uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s",
//                                                      .stored = PJ_STORED_BOTH});
//     uint32_t self = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
//     uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
//     uint32_t main = pj_build_region(b, PJ_S("main"), PJ_S("a.py"), 12);
//     pj_build_add(b, self, main, here, 1.5);
//     pj_build_count(b, calls, main, here, 7);
//
// Of a tree, values go to nodes (PJ_AT_NODE), of a graph to regions and edges, of a flat profile to
// regions. A cell holds nothing (absent) until something is added; what is added to a value that is
// there is folded in as the measure says (sum, min, max). Store exclusive or inclusive values of a
// tree, as the file has them, never both where one follows: say which in `stored`.
//
// No call needs a check: the first thing that goes wrong (a limit, the memory of the job) stays in
// the builder, every later call does nothing, and pj_build_finish tells it. A long loop asks
// pj_build_ok now and then. What is odd but can be read is counted with pj_build_odd; what breaks
// the invariants of a profile is counted by pj_build_finish. Nothing is repaired in silence.
//
// Speed: add all locations before the first value if they are known (values are rows of locations).
// A name that the file repeats by number is interned once: pj_build_text, then pj_build_region_of.
#ifndef PJ_PROFILE_BUILD_H
#define PJ_PROFILE_BUILD_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/profile.h"

typedef struct pj_build pj_build;

enum {
    PJ_BUILD_NAME_BYTES = 1 << 20, // of one text
    PJ_BUILD_REGIONS = 1 << 24,
    PJ_BUILD_NODES = 1 << 26, // edges and lines too
    PJ_BUILD_DEPTH = 4096,
    PJ_BUILD_LOCATIONS = 1 << 20,
};

/// `where` names the input in errors; `job` must outlive the builder.
pj_build *pj_build_new(const char *where, pj_job *job);
/// NULL is allowed.
void pj_build_free(pj_build *build);
static inline void pj_build_drop(pj_build **build)
{
    pj_build_free(*build);
}
#define pj_auto_build __attribute__((cleanup(pj_build_drop))) pj_build *

/// False once something has gone wrong.
bool pj_build_ok(pj_build *build);
/// What is made so far. Set plain members directly (format, title, shape, tick, command, created,
/// tool, version); arrays and counts are the builder's, and move when they grow.
pj_profile *pj_build_profile(pj_build *build);
void pj_build_odd(pj_build *build, pj_oddity oddity, uint64_t line);
/// What is made is of profiles that were checked, whose oddities it has already.
void pj_build_is_checked(pj_build *build);
/// Checks the invariants and hands over the profile, to be released by the caller; NULL with the
/// first error. The builder is empty then.
PJ_CHECKED pj_profile *pj_build_finish(pj_build *build, pj_err *err);

/// Number of a text; equal texts have one number, "" has 0. Longer than PJ_BUILD_NAME_BYTES: an
/// error.
uint32_t pj_build_text(pj_build *build, pj_str text);
/// The region with this name, file and line; a new one is a function without module.
uint32_t pj_build_region(pj_build *build, pj_str name, pj_str file, uint32_t line);
uint32_t pj_build_region_of(pj_build *build, uint32_t name, uint32_t file, uint32_t line);
/// The same where the source has several of one name, file and line: `apart` (a text; 0 = nothing)
/// says which: a module with an address, a stage of the program.
uint32_t pj_build_region_apart(pj_build *build, uint32_t name, uint32_t file, uint32_t line,
                               uint32_t apart);
/// The region itself, to set kind, module, end_line; valid until the next region is added.
pj_profile_region *pj_build_region_at(pj_build *build, uint32_t region);
/// Puts regions in another order, by their numbers so far: `first` come first in their order, then
/// the others. At the end of reading: nodes, edges and lines that are added later may be there.
void pj_build_order(pj_build *build, const uint32_t *first, uint32_t count);
/// The groups (texts) of a region, replaces those it had.
void pj_build_groups(pj_build *build, uint32_t region, const uint32_t *groups, uint32_t count);

/// The node of this region below `parent` (PJ_NO_ITEM: a root). Below PJ_BUILD_DEPTH no node is
/// made and the number has the bit PJ_NODE_CUT: exclusive values added to it go to the last node
/// kept, others nowhere. So numbers of nodes are not indices until the profile is finished, unless
/// the reader looks at the bit.
uint32_t pj_build_node(pj_build *build, uint32_t parent, uint32_t region);
/// The same with parameters (a text: "parity=1"), which make it another node.
uint32_t pj_build_node_with(pj_build *build, uint32_t parent, uint32_t region, uint32_t parameters);
#define PJ_NODE_CUT (UINT32_C(1) << 31)
uint32_t pj_build_edge(pj_build *build, uint32_t caller, uint32_t callee);
/// The same, where the reader knows that there is no such edge yet: quicker.
uint32_t pj_build_new_edge(pj_build *build, uint32_t caller, uint32_t callee);
/// `text` (0 = not known) is the line's source.
uint32_t pj_build_line(pj_build *build, uint32_t region, uint32_t line, uint32_t text);
/// The same, where the reader knows that there is no such line yet: quicker.
uint32_t pj_build_new_line(pj_build *build, uint32_t region, uint32_t line, uint32_t text);

/// The stop flag of the job, for sorts of what a file has millions of; pj_build_ok looks at it.
const atomic_bool *pj_build_stop(const pj_build *build);

/// A new location each.
uint32_t pj_build_location(pj_build *build, pj_profile_location location);
/// The measure of that key; a new one is made of the row, whose texts are copied.
uint32_t pj_build_measure(pj_build *build, pj_measure measure);
/// Number of a column of values; made at the first request. `whole`: its values are integers.
/// `measure` is PJ_NO_ITEM for calls.
uint32_t pj_build_column(pj_build *build, pj_site site, pj_value_part part, uint32_t measure,
                         bool whole);
/// How many items there may be, as the size of a file suggests: room for their values is made at
/// once. Memory that is not used costs nothing, but stands on the job's account.
void pj_build_expect(pj_build *build, pj_site site, size_t items);
/// Columns of integers of this measure become columns of doubles: what a reader asks for at the
/// first value that is no integer.
void pj_build_make_real(pj_build *build, uint32_t measure);
/// Adds to the value of an item at a location. What is not finite is left out and counted; a
/// negative number of calls counts as unknown. Either may be used with any column: pj_build_add
/// rounds where the column is of integers.
void pj_build_add(pj_build *build, uint32_t column, uint32_t item, uint32_t location, double value);
void pj_build_count(pj_build *build, uint32_t column, uint32_t item, uint32_t location,
                    int64_t value);
/// Of samples: who is above a call path with exclusive values was there itself, with 0 if with no
/// value of its own. To be called behind the last value.
void pj_build_zero_above(pj_build *build);
/// The cells of an item, one per location, all of which have been added: for files that hold such
/// rows. Valid until the next call; NULL when something has gone wrong or the node was cut.
double *pj_build_row(pj_build *build, uint32_t column, uint32_t item);
int64_t *pj_build_row_whole(pj_build *build, uint32_t column, uint32_t item);

/// Adds the cells of an item of another profile's column with as many locations and values of the
/// same type: pj_build_add or pj_build_count of each that is not absent.
void pj_build_add_cells(pj_build *build, uint32_t column, uint32_t item,
                        const pj_profile_column *from, uint32_t from_item);
/// Items `from` to `to` of one location of another profile's column, `width` locations wide.
typedef struct pj_build_cells {
    const pj_profile_column *column;
    const uint32_t *map; // their items here; PJ_NO_ITEM = to be left out
    uint32_t from, to, location, width;
} pj_build_cells;
/// Adds them to a location here: pj_build_add or pj_build_count of each that is not absent.
void pj_build_put_cells(pj_build *build, uint32_t column, uint32_t location, pj_build_cells cells);
/// Cells, absent, for all items so far, for those who have made all before any value.
bool pj_build_all_rows(pj_build *build);
/// The cells of the first `items` items of a column without values in one piece, `*stride` apart,
/// zeros: for files that hold such rows, also for several threads. Valid until the next call; NULL
/// when something has gone wrong or the column has values.
double *pj_build_rows(pj_build *build, uint32_t column, uint32_t items, size_t *stride);
int64_t *pj_build_rows_whole(pj_build *build, uint32_t column, uint32_t items, size_t *stride);

uint32_t pj_build_series(pj_build *build, uint32_t location, pj_str quantity, pj_str unit);
void pj_build_point(pj_build *build, uint32_t series, double time, double value);
void pj_build_bracket(pj_build *build, pj_profile_bracket bracket);
void pj_build_phase(pj_build *build, pj_profile_phase phase);
void pj_build_event(pj_build *build, pj_profile_event event);
/// Metadata; `location` PJ_NO_ITEM = of the whole profile.
void pj_build_pair(pj_build *build, uint32_t location, pj_str key, pj_str value);
/// An input file; its index for pj_profile_location.file.
uint32_t pj_build_file(pj_build *build, const char *path);

#endif
