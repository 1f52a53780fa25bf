// What one rank of an AI run recorded: the work of its devices, the calls that launched it, its
// steps; and what remains of it once the last record is known (AI runs: DEFINITIONS 13).
// Ownership: new/free; times are ns of the rank's own clock.
#ifndef PJ_AI_RANK_H
#define PJ_AI_RANK_H

#include "metrics/ai/ai_cover.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"

/// What a device does in a record.
typedef enum pj_ai_work {
    PJ_AI_COMPUTE,
    PJ_AI_EXCHANGE,
    PJ_AI_COPY,
    PJ_AI_OUTSIDE // of what is looked at
} pj_ai_work;

/// What a thread of the host does in a call.
typedef enum pj_ai_doing { PJ_AI_RUNTIME, PJ_AI_SYNCHRONISE, PJ_AI_LOADING } pj_ai_doing;

/// Calls of MPI; PJ_AI_MPI_ALL is the union.
typedef enum pj_ai_mpi {
    PJ_AI_MPI_MESSAGES,
    PJ_AI_MPI_COLLECTIVES,
    PJ_AI_MPI_FILES,
    PJ_AI_MPI_ALL,
    PJ_AI_MPI_KINDS
} pj_ai_mpi;

#define PJ_AI_NONE UINT32_MAX

/// One piece of work on a stream.
typedef struct pj_ai_record {
    int64_t begin, end;
    uint32_t call; // correlation; once settled the index of its launch, or PJ_AI_NONE
    uint32_t name;
    uint32_t exchange; // its arguments; PJ_AI_NONE = no exchange
    uint16_t stream;   // of pj_ai_rank.streams
    uint8_t work;
    uint8_t user; // of the device's, where several ranks use it
} pj_ai_record;

/// A call of the device's runtime.
typedef struct pj_ai_call {
    int64_t begin, end;
    uint32_t id; // correlation
    uint16_t doing;
    uint16_t place; // its thread; once ranges are known, its region
} pj_ai_call;

/// ProfilerStep#number.
typedef struct pj_ai_step {
    int64_t begin, end;
    int64_t number;
    int64_t first;    // begin of the first record that it launched; INT64_MAX = none
    int64_t until;    // begin of the next one, or the end of all; once settled
    uint64_t driving; // ns of it that are in calls of the runtime
} pj_ai_step;

/// One rank's part of a collective or a message.
typedef struct pj_ai_exchange {
    int64_t begin, end;
    int64_t step;                      // INT64_MIN = in none
    int64_t seq;                       // the group's own counter; -1 = not told
    int64_t in_elements, out_elements; // -1 = not told
    int64_t source, target;            // in the group; -1 = none
    uint32_t group, operation, kernel; // names of the rank; operation 0 = not told
    uint32_t type;                     // name of its type of data
    uint32_t size;                     // of the group; 0 = not told
    uint32_t device;
    uint64_t idle[PJ_AI_IDLE_CAUSES]; // of the device up to its begin
    int64_t computed[2], copied[2];   // up to its begin and its end
    int64_t wait;                     // once matched; of an invalid one 0
    uint32_t culprit;                 // whom that is for; its own rank = for nobody
    uint64_t exposed;                 // part of the wait in which its device does nothing else
    uint16_t region;                  // in which it was launched
    bool split;
    bool marked; // a range told its operation: groups are not known
} pj_ai_exchange;

typedef struct pj_ai_stream {
    int64_t device, number, last; // last: the latest begin so far
    uint32_t of;                  // index of its device
    uint16_t was;                 // its index before it was settled
} pj_ai_stream;

/// A part of an exchange or a copy under which nothing is computed.
typedef struct pj_ai_piece {
    int64_t begin, end;
    uint32_t exchange; // PJ_AI_NONE = a copy
    uint16_t region;   // in which that was launched
    uint8_t user;      // of the device's, whose exchange and region it is
} pj_ai_piece;

/// A range by its name and those around it; 0 is what lies in none.
typedef struct pj_ai_region {
    uint32_t parent, name;
    uint64_t instances;
    uint64_t time; // ns of its thread, over all instances
} pj_ai_region;

/// What a device does of what was launched in a region itself.
typedef struct pj_ai_region_share {
    pj_ai_share share;
    uint64_t kernels;
} pj_ai_region_share;

typedef struct pj_ai_ranges pj_ai_ranges;   // metrics/ai/ai_ranges.h
typedef struct pj_ai_repeats pj_ai_repeats; // metrics/ai/ai_repeats.h

/// What of a rank outlives its settling, to be drawn.
typedef enum pj_ai_drawn {
    PJ_AI_DRAWS_NOTHING,
    PJ_AI_DRAWS_DEVICES,
    PJ_AI_DRAWS_STREAMS
} pj_ai_drawn;

typedef struct pj_ai_device {
    int64_t number;
    uint64_t unit;       // by which all ranks know it; 0 = not told
    int64_t first, last; // of its records
    uint64_t kernels, useful, active, exchange_total, copy_total, hidden;
    uint64_t idle[PJ_AI_IDLE_CAUSES]; // between its records
    uint64_t to_device, to_host;
    pj_ai_piece *pieces;
    size_t piece_count, piece_cap;
    pj_ai_spans computed;          // once settled, where it is drawn
    uint64_t *step_useful;         // by step, once settled
    pj_ai_region_share *of_region; // by user and region, once settled; NULL = nobody asked
    bool busy;                     // it has records
    pj_ai_share share;             // once all ranks are matched
    struct pj_ai_rank **users;     // all ranks that use it, its own first; NULL = its own alone
    uint8_t user_count;
} pj_ai_device;

/// Oddities, each with a sentence: ai_oddities.def.
typedef enum pj_ai_oddity {
#define ODDITY(name, severity, sentence) PJ_AI_ODD_##name,
#include "metrics/ai/ai_oddities.def"
#undef ODDITY
    PJ_AI_ODDITIES
} pj_ai_oddity;

typedef struct pj_ai_rank {
    pj_arena *arena;
    pj_ai_spill spill; // where arrays go that grow with the input
    const char *path;
    int64_t rank, world; // -1 = the file does not tell
    bool hip, cut;
    bool true_ends; // of records of HIP: the device's own stamps
    bool windowed;  // only what lies from `from` to `until` counts
    int64_t from, until;
    bool some_steps; // only what these launch counts, both included
    int64_t first_step, last_step;
    pj_ai_drawn draws;
    uint64_t cut_at; // byte after which nothing could be used
    bool unchecked;  // all of its text is there, but its checksum is not, or does not fit
    uint64_t file_bytes, text_bytes, events;
    uint64_t odd[PJ_AI_ODDITIES];
    uint64_t overhead; // ns that the profiler took
    int64_t offset;    // its clock to that of the first rank
    double drift;      // how much that grows in each ns since `drift_from` of its clock
    int64_t drift_from;
    const struct pj_ai_rank *clock; // a rank that has the same one; NULL = none is known

    const char **names; // [0] is ""
    uint32_t name_count;
    size_t name_cap;
    pj_map by_name;
    uint8_t *name_kinds; // by name: whether a kernel of this name exchanges; 0 = not looked at
    size_t name_kind_cap;

    pj_ai_record *records;
    size_t record_count, record_cap;
    pj_ai_call *calls; // those that may have launched a record
    size_t call_count, call_cap;
    uint64_t *launches;      // bits of hashed correlations of all records; NULL = not known yet
    size_t launch_words;     // a power of two
    pj_ai_spans loading;     // data loading
    pj_ai_cover waiting;     // calls that wait for a device
    pj_ai_cover driving;     // all calls; once settled those before the devices' first record and
                             // behind their last
    uint64_t driving_within; // ns of the others, once settled
    uint64_t driving_in_mpi; // of these in calls of MPI
    pj_ai_cover mpi[PJ_AI_MPI_KINDS];
    bool keeps_mpi; // each call of MPI is to be told
    struct pj_ai_mpi_call *mpi_calls;
    size_t mpi_call_count, mpi_call_cap;
    pj_ai_step *steps;
    size_t step_count, step_cap;
    pj_ai_exchange *exchanges; // once settled in the order of device and begin
    size_t exchange_count, exchange_cap;
    pj_ai_stream *streams;
    size_t stream_count, stream_cap;
    pj_ai_device *devices;
    size_t device_count, device_cap;
    pj_map by_stream;
    pj_ai_ranges *ranges;   // while they are read
    pj_ai_repeats *repeats; // ranges that may be steps; NULL = nobody asks
    uint32_t repeated;      // the name of those that are; 0 = steps are marked as such
    pj_ai_region *regions;  // NULL = none is known
    size_t region_count;
    pj_map by_thread;
    bool wants_regions; // their shares are to be found
} pj_ai_rank;

pj_ai_rank *pj_ai_rank_new(const char *path);
void pj_ai_rank_free(pj_ai_rank *rank);
/// As for qsort, of two `pj_ai_rank *const *`: by their numbers, then their files.
int pj_ai_rank_by_number(const void *a, const void *b);

/// The number of a text, each once; "" is 0.
uint32_t pj_ai_rank_name(pj_ai_rank *rank, pj_str text);
/// The stream of a device, made when it is new; past the most that are kept, the last one.
uint16_t pj_ai_rank_stream(pj_ai_rank *rank, int64_t device, int64_t stream);
/// Whether kernels of this name exchange data between ranks.
bool pj_ai_rank_exchanges(pj_ai_rank *rank, uint32_t name);
/// Whether kernels of this name, which were looked at, seem to exchange data beside computing.
bool pj_ai_rank_is_fused(const pj_ai_rank *rank, uint32_t name);

void pj_ai_rank_add_record(pj_ai_rank *rank, pj_ai_record record);
/// All records are there: of the calls to come those alone are kept that may have launched one.
void pj_ai_rank_expect_calls(pj_ai_rank *rank);
/// A call of a thread, whose number is any.
void pj_ai_rank_add_call(pj_ai_rank *rank, pj_ai_call call, int64_t thread);
void pj_ai_rank_add_mpi(pj_ai_rank *rank, pj_ai_mpi kind, int64_t begin, int64_t end);
/// ns between two times in calls of the device's runtime that lie in calls of MPI.
uint64_t pj_ai_rank_driving_in_mpi(const pj_ai_rank *rank, int64_t begin, int64_t end);
/// Threads counted from 0 as they come.
uint16_t pj_ai_rank_thread(pj_ai_rank *rank, int64_t thread);
void pj_ai_rank_add_step(pj_ai_rank *rank, pj_ai_step step);
/// The index of a new exchange.
uint32_t pj_ai_rank_add_exchange(pj_ai_rank *rank, pj_ai_exchange exchange);
/// All times by `by` ns later.
void pj_ai_rank_shift(pj_ai_rank *rank, int64_t by);
/// Bytes of memory that it takes.
uint64_t pj_ai_rank_bytes(const pj_ai_rank *rank);
/// Counts them as the job's, until the rank is freed; what grows with the input leaves memory once
/// half of the budget is used. Errors: PJ_E_MEMORY, PJ_E_STOPPED; PJ_E_IO where that cannot be put
/// into a file.
PJ_CHECKED bool pj_ai_rank_fit(pj_ai_rank *rank, pj_job *job, pj_err *err);
/// What lies in files leaves memory now and then, in a loop over all ranks that passes item `i`.
static inline void pj_ai_ranks_pass(pj_ai_rank *const *ranks, size_t count, size_t i)
{
    for (size_t r = 0; i % 4096 == 0 && r < count; r++)
        if (ranks[r]->spill.active)
            pj_ai_spill_relax(&ranks[r]->spill);
}

/// All records are there: what each device did, and why it did nothing in between; frees the
/// records. Errors: PJ_E_STOPPED, PJ_E_IO.
PJ_CHECKED bool pj_ai_rank_settle(pj_ai_rank *rank, pj_job *job, pj_err *err);
/// The same of ranks whose clocks are one: a device that several of them use becomes one of the
/// first of these.
PJ_CHECKED bool pj_ai_rank_settle_all(pj_ai_rank *const *ranks, size_t count, pj_job *job,
                                      pj_err *err);

/// A time of the rank on the clock of all.
static inline int64_t pj_ai_rank_common(const pj_ai_rank *rank, int64_t time)
{
    int64_t drifted =
        rank->drift != 0 ? (int64_t)(rank->drift * (double)(time - rank->drift_from)) : 0;
    return time + rank->offset + drifted;
}

/// And back.
static inline int64_t pj_ai_rank_own(const pj_ai_rank *rank, int64_t common)
{
    int64_t time = common - rank->offset;
    double drifted = rank->drift / (1 + rank->drift) * (double)(time - rank->drift_from);
    return rank->drift != 0 ? time - (int64_t)drifted : time;
}

/// How much of a time lies in what is looked at.
static inline int64_t pj_ai_rank_inside(const pj_ai_rank *rank, int64_t begin, int64_t end)
{
    if (rank->windowed) {
        begin = begin > rank->from ? begin : rank->from;
        end = end < rank->until ? end : rank->until;
    }
    return end > begin ? end - begin : 0;
}

/// One of the users of a device of `rank`.
static inline pj_ai_rank *pj_ai_device_user(pj_ai_rank *rank, const pj_ai_device *device,
                                            uint8_t user)
{
    return device->users ? device->users[user] : rank;
}

#endif
