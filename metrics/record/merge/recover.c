// Reads chunks as rec_chunk.h writes them. Of a thread that was closed only its last chunk is
// looked at; of one that was killed everything, for what was open must be left.
#include "metrics/record/merge/recover.h"

#include "metrics/base/arena.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"
#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_shape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = PJ_REC_CHUNK_BYTES,
    HEAD = PJ_REC_CHUNK_HEAD,
    TIME_BYTES = 9,
    ENDING = 2, // bytes at the end of a file
    OFF = 2,    // mark of MEASUREMENT_ON_OFF
    LEAVE_MOST = 16,
    PATH_BYTES = 4096,
};

typedef struct reading {
    const pj_recover_known *known;
    pj_recovered *out;
    uint32_t *open;
    size_t depth, cap;
    bool follows;        // `open` is all that is open
    const uint8_t *mark; // a last OFF
    uint64_t field[PJ_REC_MEMBERS_MOST];
} reading;

static bool take_number(const uint8_t **at, const uint8_t *stop, uint64_t *value)
{
    if (*at >= stop)
        return false;
    unsigned size = *(*at)++;
    *value = PJ_REC_UNDEFINED;
    if (size == UINT8_MAX)
        return true;
    if (size > sizeof *value || stop - *at < (ptrdiff_t)size)
        return false;
    *value = 0;
    for (unsigned i = 0; i < size; i++)
        *value |= (uint64_t)(*at)[i] << 8 * i;
    *at += size;
    return true;
}

static bool take_member(reading *r, unsigned i, char kind, const uint8_t **at, const uint8_t *stop)
{
    if (kind == 'n' || kind == 'i')
        return take_number(at, stop, &r->field[i]);
    ptrdiff_t size = kind == 'b' ? 1 : 8;
    if (stop - *at < size)
        return false;
    r->field[i] = **at;
    *at += size;
    return true;
}

/// A metric's record: id, number of values, kinds and values.
static bool take_metric(reading *r, const uint8_t *at, const uint8_t *stop)
{
    uint64_t value;
    if (!take_number(&at, stop, &r->field[0]) || at >= stop)
        return false;
    for (unsigned count = *at++; count > 0; count--)
        if (at >= stop || (at++, !take_number(&at, stop, &value)))
            return false;
    return at == stop;
}

static bool knows(uint64_t id, uint32_t most)
{
    return id > 0 && id <= most;
}

/// Whether what the record refers to is defined.
static bool is_defined(const reading *r, uint8_t type)
{
    const pj_recover_known *known = r->known;
    const uint64_t *m = r->field;
    switch (type) {
    case PJ_REC_ENTER:
    case PJ_REC_LEAVE:
        return m[0] > 0 && m[0] < UINT32_MAX;
    case PJ_REC_METRIC:
        return knows(m[0], known->metrics);
    case PJ_REC_PARAMETER_STRING:
        return knows(m[0], known->parameters) && knows(m[1], known->strings);
    case PJ_REC_PARAMETER_INT:
    case PJ_REC_PARAMETER_UNSIGNED:
        return knows(m[0], known->parameters);
    case PJ_REC_PROGRAM_BEGIN:
        return knows(m[0], known->strings) && m[1] == 0;
    case PJ_REC_MPI_SEND:
    case PJ_REC_MPI_RECV:
    case PJ_REC_MPI_ISEND:
    case PJ_REC_MPI_IRECV:
    case PJ_REC_MPI_COLLECTIVE_END:
    case PJ_REC_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return knows(m[1], known->comms);
    case PJ_REC_COMM_CREATE:
    case PJ_REC_COMM_DESTROY:
    case PJ_REC_THREAD_TEAM_BEGIN:
    case PJ_REC_THREAD_TEAM_END:
        return knows(m[0], known->comms);
    case PJ_REC_IO_CREATE_HANDLE:
    case PJ_REC_IO_DESTROY_HANDLE:
    case PJ_REC_IO_SEEK:
    case PJ_REC_IO_OPERATION_BEGIN:
    case PJ_REC_IO_OPERATION_COMPLETE:
        return knows(m[0], known->handles);
    case PJ_REC_IO_DUPLICATE_HANDLE:
        return knows(m[0], known->handles) && knows(m[1], known->handles);
    case PJ_REC_MPI_ISEND_COMPLETE:
    case PJ_REC_MPI_IRECV_REQUEST:
    case PJ_REC_MPI_REQUEST_TEST:
    case PJ_REC_MPI_REQUEST_CANCELLED:
    case PJ_REC_MPI_COLLECTIVE_BEGIN:
    case PJ_REC_NON_BLOCKING_COLLECTIVE_REQUEST:
    case PJ_REC_PROGRAM_END:
        return true;
    case PJ_REC_THREAD_FORK:
    case PJ_REC_THREAD_JOIN:
        return m[0] == PJ_REC_PARADIGM_OPENMP;
    case PJ_REC_MEASUREMENT_ON_OFF:
        return m[0] == 1 || m[0] == OFF;
    default:
        return false; // the recorder has not written it
    }
}

/// Keeps the stack; false for a leave of what is not open.
static bool follow(reading *r, uint8_t type)
{
    if (type != PJ_REC_ENTER && type != PJ_REC_LEAVE)
        return true;
    const uint32_t region = (uint32_t)r->field[0];
    if (r->out->regions < region)
        r->out->regions = region;
    if (!r->follows)
        return true;
    if (type == PJ_REC_ENTER) {
        pj_grow(r->open, &r->cap, r->depth + 1);
        r->open[r->depth++] = region;
        return true;
    }
    size_t i = r->depth;
    while (i > 0 && r->open[i - 1] != region)
        i--;
    if (i == 0)
        return false;
    memmove(r->open + i - 1, r->open + i, (r->depth - i) * sizeof *r->open);
    r->depth--;
    return true;
}

/// Behind the record at `at`, or NULL when there is no whole one.
static const uint8_t *take_record(reading *r, const uint8_t *at, const uint8_t *end)
{
    uint64_t time;
    if (end - at < TIME_BYTES + 2 || *at != PJ_REC_CHUNK_TIME)
        return NULL;
    memcpy(&time, at + 1, sizeof time);
    const uint8_t type = at[TIME_BYTES];
    const pj_rec_shape *of = &pj_rec_shapes[type];
    const uint8_t *member = at + TIME_BYTES + (of->single ? 1 : 2);
    const uint8_t *stop = at + TIME_BYTES + 2 +
                          (of->single && at[TIME_BYTES + 1] == UINT8_MAX ? 0 : at[TIME_BYTES + 1]);
    if (stop >= end || time < r->out->last) // behind the record there is a byte more
        return NULL;
    if (type == PJ_REC_METRIC) {
        if (!take_metric(r, member, stop))
            return NULL;
    } else {
        if (!of->members)
            return NULL;
        for (unsigned i = 0; of->members[i]; i++)
            if (!take_member(r, i, of->members[i], &member, stop))
                return NULL;
        if (member != stop)
            return NULL;
    }
    if (!is_defined(r, type) || !follow(r, type))
        return NULL;
    r->mark = type == PJ_REC_MEASUREMENT_ON_OFF && r->field[0] == OFF ? at : NULL;
    r->out->last = time;
    if (r->out->events++ == 0)
        r->out->first = time;
    return stop;
}

static uint64_t load_8(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/// Bytes of the chunk up to the last good record; 0 when it does not follow the events so far.
static size_t take_chunk(reading *r, const uint8_t *chunk, size_t size)
{
    if (size < HEAD || chunk[0] != PJ_REC_CHUNK_BEGIN || chunk[1] != 'B' ||
        load_8(chunk + PJ_REC_CHUNK_FIRST) != r->out->events + 1)
        return 0;
    const uint8_t *at = chunk + HEAD, *next;
    const uint8_t *end = chunk + (size < CHUNK - ENDING ? size : CHUNK - ENDING);
    while ((next = take_record(r, at, end)))
        at = next;
    if (at < end && *at != PJ_REC_CHUNK_END && *at != PJ_REC_FILE_END_1)
        r->out->damaged = true;
    return (size_t)(at - chunk);
}

// What is written behind the whole chunks

typedef struct ending {
    pj_buf *out;
    size_t chunk; // where the chunk begins that is written
    uint64_t events;
} ending;

static void end_chunk(const ending *e)
{
    memcpy(e->out->at + e->chunk + PJ_REC_CHUNK_LAST, &e->events, sizeof e->events);
}

static void begin_chunk(ending *e)
{
    e->chunk = e->out->len;
    pj_rec_chunk_begin((uint8_t *)pj_buf_room(e->out, HEAD + 1), e->events + 1);
    e->out->len += HEAD;
}

/// Room for one more record in the chunk, or a new chunk.
static uint8_t *room_for_record(ending *e)
{
    if (e->out->len - e->chunk + LEAVE_MOST + TIME_BYTES + ENDING > CHUNK) {
        end_chunk(e);
        size_t rest = CHUNK - (e->out->len - e->chunk);
        memset(pj_buf_room(e->out, rest), PJ_REC_CHUNK_END, rest);
        e->out->len += rest;
        begin_chunk(e);
    }
    return (uint8_t *)pj_buf_room(e->out, LEAVE_MOST + TIME_BYTES);
}

static void add_record(ending *e, uint64_t time, uint8_t type, const uint8_t *members, size_t size)
{
    uint8_t *at = room_for_record(e);
    memcpy(at + TIME_BYTES + 2, members, size);
    pj_rec_chunk_commit(at, time, type, (uint8_t)size);
    e->out->len += TIME_BYTES + 2 + size;
    e->events++;
}

static void leave_open(reading *r, ending *e)
{
    const uint8_t off = OFF;
    const bool marked = r->mark != NULL && r->depth > 0;
    if (marked) { // what is open is left before the measurement goes off
        e->out->len -= TIME_BYTES + 3;
        e->events--;
    }
    while (r->depth > 0) {
        uint8_t number[2 * sizeof(uint64_t)];
        const uint8_t *behind = pj_rec_chunk_number(number, r->open[--r->depth]);
        add_record(e, r->out->last, PJ_REC_LEAVE, number + 1, (size_t)(behind - number) - 1);
        r->out->left++;
    }
    if (marked)
        add_record(e, r->out->last, PJ_REC_MEASUREMENT_ON_OFF, &off, 1);
}

/// The last chunk, `used` bytes of it good, with what is missing behind it.
static void write_tail(reading *r, const uint8_t *chunk, size_t used, pj_buf *tail)
{
    ending e = {.out = tail, .events = r->out->events};
    if (used) {
        pj_buf_add(tail, (pj_str){(const char *)chunk, used});
    } else {
        begin_chunk(&e);
    }
    leave_open(r, &e);
    end_chunk(&e);
    pj_buf_add_char(tail, PJ_REC_FILE_END_1);
    pj_buf_add_char(tail, PJ_REC_FILE_END_2);
    r->out->events = e.events;
}

static void take_current(reading *r, pj_str current, size_t *good)
{
    size_t size = current.len < CHUNK ? current.len : CHUNK;
    *good = take_chunk(r, (const uint8_t *)current.at, size);
}

/// Of a thread that was closed the last whole chunk says how far it came.
static const uint8_t *take_last_chunk(reading *r, const pj_recover_chunks *whole, size_t *used)
{
    const uint8_t *chunk = whole->chunk(whole->self, 0);
    const uint64_t first = chunk ? load_8(chunk + HEAD + 1) : 0;
    chunk = chunk ? whole->chunk(whole->self, whole->count - 1) : NULL;
    if (!chunk)
        return NULL;
    r->out->events = load_8(chunk + PJ_REC_CHUNK_FIRST) - 1;
    *used = take_chunk(r, chunk, CHUNK);
    r->out->first = first;
    return *used ? chunk : NULL;
}

/// All chunks as far as they are good; gives the last one.
static const uint8_t *take_chunks(reading *r, const pj_recover_chunks *whole, size_t *used,
                                  uint64_t *taken)
{
    const uint8_t *last = NULL;
    for (*taken = 0; *taken < whole->count; ++*taken) {
        const uint8_t *chunk = whole->chunk(whole->self, *taken);
        size_t good = chunk ? take_chunk(r, chunk, CHUNK) : 0;
        if (good == 0)
            break;
        *used = good;
        last = chunk;
        if (r->out->events != load_8(chunk + PJ_REC_CHUNK_LAST)) {
            ++*taken;
            r->out->damaged = true;
            break;
        }
    }
    r->out->damaged |= *taken < whole->count;
    return last;
}

void pj_recover_bytes(const pj_recover_chunks *whole, pj_str current, const pj_recover_known *known,
                      pj_recovered *out, pj_recovered_tail *tail)
{
    *out = (pj_recovered){0};
    reading r = {.known = known, .out = out, .follows = !known->closed || whole->count == 0};
    uint64_t taken = whole->count;
    size_t used = 0, good = 0;
    const uint8_t *last = r.follows          ? take_chunks(&r, whole, &used, &taken)
                          : whole->count > 0 ? take_last_chunk(&r, whole, &used)
                                             : NULL;
    if (!out->damaged)
        take_current(&r, current, &good);
    const bool goes_on = good > HEAD;
    tail->kept = (taken - (last && !goes_on)) * CHUNK;
    write_tail(&r, goes_on ? (const uint8_t *)current.at : last, goes_on ? good : used,
               &tail->bytes);
    free(r.open);
}

/// Chunks of a file, two at a time in memory.
typedef struct chunk_file {
    int file;
    uint8_t *room; // of two
    unsigned turn;
} chunk_file;

static const uint8_t *read_chunk(void *self, uint64_t index)
{
    chunk_file *f = self;
    uint8_t *to = f->room + (size_t)(f->turn++ % 2) * CHUNK;
    return pread(f->file, to, CHUNK, (off_t)(index * CHUNK)) == CHUNK ? to : NULL;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static bool write_end(const char *path, uint64_t kept, pj_str tail, pj_err *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool ok = file >= 0;
    for (size_t done = 0; ok && done < tail.len;) {
        ssize_t size = pwrite(file, tail.at + done, tail.len - done, (off_t)(kept + done));
        ok = size > 0;
        done += ok ? (size_t)size : 0;
    }
    ok = ok && ftruncate(file, (off_t)(kept + tail.len)) == 0;
    int why = errno;
    if (!ok)
        pj_fail_io(err, path, "cannot be written");
    if (!ok && file >= 0 && ftruncate(file, (off_t)kept) != 0)
        why = errno; // half a chunk is none
    if (file >= 0)
        close(file);
    errno = why;
    return ok;
}

/// The chunk that was being filled: a file of its own, or behind the whole ones where an earlier
/// merge had to put it.
static bool read_current(const char *path, const chunk_file *from, uint64_t size, pj_buf *chunk,
                         pj_err *err)
{
    if (is_there(path) && !pj_file_read(path, chunk, err))
        return false;
    const size_t rest = (size_t)(size % CHUNK);
    if (chunk->len == 0 && rest > 0 &&
        pread(from->file, pj_buf_room(chunk, rest), rest, (off_t)(size - rest)) == (ssize_t)rest)
        chunk->len = rest;
    return true;
}

/// Without room on the disk the chunk's own file, which is in memory, makes it.
static bool write_events(const char *path, const char *current, const pj_recovered_tail *tail,
                         pj_str chunk, pj_err *err)
{
    pj_err first = {0};
    const pj_str bytes = pj_buf_str(&tail->bytes);
    if (write_end(path, tail->kept, bytes, &first))
        return true;
    bool full = errno == ENOSPC && chunk.len > 0 && truncate(current, 0) == 0;
    if (full && write_end(path, tail->kept, bytes, err))
        return true;
    if (full && !write_end(current, 0, chunk, &first))
        return false;
    if (!full)
        *err = first;
    return false;
}

bool pj_recover_thread(const char *folder, uint32_t thread, const pj_recover_known *known,
                       pj_recovered *out, pj_err *err)
{
    char events[PATH_BYTES], current[PATH_BYTES];
    snprintf(events, sizeof events, "%s/%u.evt", folder, thread);
    snprintf(current, sizeof current, "%s/%u.cur", folder, thread);
    pj_auto_buf chunk = {0};
    struct stat info = {0};
    chunk_file from = {.file = open(events, O_RDONLY | O_CLOEXEC)};
    if (from.file >= 0 && fstat(from.file, &info) != 0)
        info.st_size = 0;
    if (!read_current(current, &from, (uint64_t)info.st_size, &chunk, err)) {
        if (from.file >= 0)
            close(from.file);
        return false;
    }
    from.room = info.st_size >= CHUNK ? pj_take_memory(2 * (size_t)CHUNK) : NULL;
    const pj_recover_chunks whole = {read_chunk, &from, (uint64_t)info.st_size / CHUNK};
    pj_recovered_tail tail = {0};
    pj_recover_bytes(&whole, pj_buf_str(&chunk), known, out, &tail);
    free(from.room);
    if (from.file >= 0)
        close(from.file);
    bool ok = out->events == 0 || write_events(events, current, &tail, pj_buf_str(&chunk), err);
    pj_buf_free(&tail.bytes);
    return ok;
}
