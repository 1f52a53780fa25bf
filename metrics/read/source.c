// The bytes of an input in blocks.
// Bytes come through read(2) or from memory, are unpacked and decoded where they have to be, and
// cut after the last newline of each block; what is left over begins the next block.
#include "metrics/read/source.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/utf16.h"
#include "metrics/read/ahead.h"
#include "metrics/read/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_BYTES = 128 * 1024, HEAD_BYTES = 64 * 1024 };

struct pj_source {
    char *path;
    pj_job *job;
    int fd; // -1 = memory
    bool again;
    bool awaited; // a named pipe that nobody has written into so far
    uint64_t file_bytes, text_bytes;
    uint64_t size; // when it was opened

    pj_str input;      // stored bytes not used yet
    char *input_bytes; // their memory; NULL when the source is memory or plain
    bool input_ended;
    pj_unpack *unpack; // NULL = plain
    bool member_begun; // inside packed data
    uint64_t *seams;   // of the text, where members begin
    size_t seam_count, seam_cap;
    const char *damage;

    bool is_utf16;
    pj_utf16 utf16;
    pj_str coded; // bytes of it that are not decoded yet
    char *coded_bytes;
    pj_buf decoded; // text from `decoded_at` on
    size_t decoded_at;

    pj_buf carry; // text that begins the next block
    uint64_t carry_offset;
    bool text_ended;
    bool begun; // a block has been asked for
    pj_ahead *ahead;

    bool folder;
    const char *title; // of the format
    char *whole;       // all of the text, when it is wanted so
    uint64_t whole_room;
};

/// Waits for somebody who writes, but only so long that an interrupt is seen soon. `*ended`: who
/// wrote has gone.
static bool await_bytes(const pj_source *source, bool *ended, pj_err *err)
{
    enum { MOMENT_MS = 50 };
    struct pollfd pipe = {.fd = source->fd, .events = POLLIN};
    if (pj_job_stopped(source->job))
        return pj_fail(err, PJ_E_STOPPED, source->path, 0, "interrupted");
    poll(&pipe, 1, MOMENT_MS);
    *ended = (pipe.revents & POLLHUP) && !(pipe.revents & POLLIN);
    return true;
}

/// Reads up to `size` stored bytes; false with an error. `*got` 0 means the end.
static bool read_stored(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    *got = 0;
    bool ended = source->fd < 0;
    while (!ended && *got == 0) {
        ssize_t n = read(source->fd, out, size);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return pj_fail_io(err, source->path, "cannot be read");
        if (n == 0 && !source->awaited)
            return true;
        *got = n > 0 ? (size_t)n : 0;
        if (n <= 0 && !await_bytes(source, &ended, err))
            return false;
    }
    source->awaited = false;
    source->file_bytes += *got;
    atomic_fetch_add_explicit(&source->job->bytes_done, *got, memory_order_relaxed);
    return true;
}

/// Makes `source->input` hold stored bytes unless they have ended.
static bool want_input(pj_source *source, pj_err *err)
{
    if (source->input.len || source->input_ended)
        return true;
    size_t got;
    if (!read_stored(source, source->input_bytes, INPUT_BYTES, &got, err))
        return false;
    source->input = (pj_str){source->input_bytes, got};
    source->input_ended = got == 0;
    return true;
}

/// Up to `size` bytes of plain text; first what was read while guessing, then from the file.
static bool get_plain(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    if (source->input.len) {
        *got = source->input.len < size ? source->input.len : size;
        memcpy(out, source->input.at, *got);
        source->input = pj_str_from(source->input, *got);
        return true;
    }
    return read_stored(source, out, size, got, err);
}

/// Whether another member follows; bytes behind the last one that are none are ignored, as gzip(1)
/// does.
static bool next_member(pj_source *source, pj_err *err)
{
    if (!want_input(source, err))
        return false;
    return pj_unpack_goes_on(source->unpack, source->input);
}

static void add_seam(pj_source *source)
{
    enum { MOST = 1 << 20 };
    if (!source->text_bytes || source->seam_count == MOST)
        return;
    pj_grow(source->seams, &source->seam_cap, source->seam_count + 1);
    source->seams[source->seam_count++] = source->text_bytes;
}

static bool get_unpacked(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    *got = 0;
    while (*got == 0) {
        if (!source->member_begun && !next_member(source, err))
            return !err->code;
        if (!want_input(source, err))
            return false;
        if (!source->member_begun)
            add_seam(source);
        source->member_begun = true;
        if (source->input.len == 0) {
            source->damage = "the compressed data end early";
            return true;
        }
        pj_unpack_end end = pj_unpack_step(source->unpack, &source->input, out, size, got);
        if (end == PJ_UNPACK_MEMBER)
            source->member_begun = false;
        if (end == PJ_UNPACK_CORRUPT) {
            source->damage = "the compressed data are corrupt";
            return true;
        }
    }
    return true;
}

/// Up to `size` bytes without compression; `*got` 0 means the end.
static bool get_bytes(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    *got = 0;
    if (source->damage)
        return true;
    return source->unpack ? get_unpacked(source, out, size, got, err)
                          : get_plain(source, out, size, got, err);
}

/// The same of UTF-16 as UTF-8.
static bool get_decoded(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    pj_buf *text = &source->decoded;
    bool ended = false;
    while (source->decoded_at == text->len && !ended) {
        size_t more = source->coded.len;
        text->len = source->decoded_at = 0;
        if (!more && !get_bytes(source, source->coded_bytes, HEAD_BYTES, &more, err))
            return false;
        pj_str coded = source->coded.len ? source->coded : (pj_str){source->coded_bytes, more};
        pj_utf16_add(&source->utf16, coded, text);
        source->coded.len = 0;
        ended = more == 0;
        if (ended)
            pj_utf16_end(&source->utf16, text);
    }
    size_t left = text->len - source->decoded_at;
    *got = left < size ? left : size;
    if (*got)
        memcpy(out, text->at + source->decoded_at, *got);
    source->decoded_at += *got;
    return true;
}

/// Up to `size` bytes of text; `*got` 0 means the end.
static bool get_text(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    bool ok = source->is_utf16 ? get_decoded(source, out, size, got, err)
                               : get_bytes(source, out, size, got, err);
    source->text_bytes += ok ? *got : 0;
    return ok;
}

void pj_block_free(pj_block *block)
{
    free(block->memory);
    *block = (pj_block){.memory = NULL};
}

/// Room for `cap` bytes of text between the pads; keeps the text. Memory that a long line needed is
/// given back.
static void reserve(pj_block *block, size_t cap)
{
    bool wasteful = block->len == 0 && block->cap > 4 * (size_t)cap;
    if (cap > block->cap || wasteful) {
        block->memory = pj_resize_memory(block->memory, cap + 1 + 2 * PJ_BLOCK_PAD);
        block->cap = cap;
        block->text = block->memory + PJ_BLOCK_PAD;
        memset(block->memory, 0, PJ_BLOCK_PAD);
    }
}

/// Adds text up to `cap` bytes in all.
static bool fill_up(pj_source *source, pj_block *block, size_t cap, pj_err *err)
{
    reserve(block, cap);
    while (block->len < cap && !source->text_ended) {
        size_t got;
        if (!get_text(source, block->text + block->len, cap - block->len, &got, err))
            return false;
        block->len += got;
        source->text_ended = got == 0;
    }
    return true;
}

static void carry_over(pj_source *source, pj_str rest, uint64_t offset)
{
    source->carry.len = 0;
    pj_buf_add(&source->carry, rest);
    source->carry_offset = offset;
}

/// Reads on to the end of a line that is too long and drops it.
static bool drop_line(pj_source *source, pj_block *block, pj_err *err)
{
    uint64_t offset = block->offset;
    const char *newline = NULL;
    while (!newline && !source->text_ended) {
        offset += block->len;
        block->len = 0;
        if (!fill_up(source, block, PJ_BLOCK_BYTES, err))
            return false;
        newline = memchr(block->text, '\n', block->len);
    }
    size_t used = newline ? (size_t)(newline - block->text) + 1 : block->len;
    carry_over(source, (pj_str){block->text + used, block->len - used}, offset + used);
    block->len = 0;
    block->dropped = true;
    return true;
}

/// Ends the block after its last newline, or with one of its own at the end of the input.
static void cut_block(pj_source *source, pj_block *block, const char *newline)
{
    size_t used = newline ? (size_t)(newline - block->text) + 1 : 0;
    if (!source->text_ended) {
        carry_over(source, (pj_str){block->text + used, block->len - used}, block->offset + used);
        block->len = used;
    } else if (used < block->len) {
        block->text[block->len++] = '\n';
        block->unended = true;
    }
    memset(block->text + block->len, 0, PJ_BLOCK_PAD);
}

static bool fill_block(void *context, pj_block *block, pj_err *err)
{
    pj_source *source = context;
    if (pj_job_stopped(source->job))
        return pj_fail(err, PJ_E_STOPPED, source->path, 0, "interrupted");
    size_t cap = PJ_BLOCK_BYTES;
    block->len = 0;
    block->dropped = block->unended = false;
    block->offset = source->carry_offset;
    reserve(block, cap);
    while (cap < source->carry.len)
        cap *= 2;
    reserve(block, cap);
    if (source->carry.len)
        memcpy(block->text, source->carry.at, source->carry.len);
    block->len = source->carry.len;
    source->carry.len = 0;

    for (;; cap *= 2) {
        if (!fill_up(source, block, cap, err))
            return false;
        const char *newline = memrchr(block->text, '\n', block->len);
        if (newline || source->text_ended) {
            cut_block(source, block, newline);
            return block->len > 0;
        }
        if (cap >= PJ_LINE_BYTES_MAX)
            return drop_line(source, block, err);
    }
}

/// Reads the head of the text into the carry.
static bool read_head(pj_source *source, pj_err *err)
{
    char *room = pj_buf_room(&source->carry, HEAD_BYTES);
    source->text_ended = false;
    while (source->carry.len < HEAD_BYTES && !source->text_ended) {
        size_t got;
        if (!get_text(source, room + source->carry.len, HEAD_BYTES - source->carry.len, &got, err))
            return false;
        source->carry.len += got;
        source->text_ended = got == 0;
    }
    return true;
}

/// Whether the head is UTF-16 by its byte order mark: then it is to be decoded.
static bool begin_utf16(pj_source *source)
{
    enum { MARK = 2 };
    if (!pj_utf16_begin(pj_buf_str(&source->carry), &source->utf16))
        return false;
    source->is_utf16 = true;
    source->coded_bytes = pj_take_memory(HEAD_BYTES);
    memcpy(source->coded_bytes, source->carry.at, source->carry.len);
    source->coded = pj_str_from((pj_str){source->coded_bytes, source->carry.len}, MARK);
    source->carry.len = 0;
    source->text_bytes = 0;
    return true;
}

/// UTF-8 may begin with a mark of its own, which is not of the text.
static void drop_mark(pj_source *source)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t size = sizeof mark - 1;
    if (!pj_str_starts(pj_buf_str(&source->carry), pj_str_of(mark)))
        return;
    source->carry.len -= size;
    memmove(source->carry.at, source->carry.at + size, source->carry.len);
    source->carry_offset = size;
}

/// Recognises how the input is packed and coded, and reads the head of its text.
static bool begin_text(pj_source *source, pj_err *err)
{
    if (!want_input(source, err))
        return false;
    if (source->input.len == 0)
        return pj_fail(err, PJ_E_FORMAT, source->path, 0,
                       "is empty; copy or record the trace again");
    pj_err problem = {.code = PJ_E_NONE};
    source->unpack = pj_unpack_new(source->input, source->path, &problem);
    if (problem.code) {
        *err = problem;
        return false;
    }
    if (!read_head(source, err) || (begin_utf16(source) && !read_head(source, err)))
        return false;
    drop_mark(source);
    if (source->carry.len == 0)
        return pj_fail(err, PJ_E_FORMAT, source->path, 0, "holds nothing that can be read: %s",
                       source->damage ? source->damage : "it is empty inside");
    return true;
}

static pj_source *begin(pj_source *source, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    if (begin_text(source, &local))
        return source;
    pj_source_close(source);
    if (err && !err->code)
        *err = local;
    return NULL;
}

static pj_source *new_source(const char *path, pj_job *job)
{
    pj_source *source = pj_take_memory(sizeof *source);
    *source = (pj_source){.fd = -1, .job = job, .again = true};
    size_t size = strlen(path) + 1;
    source->path = pj_take_memory(size);
    memcpy(source->path, path, size);
    return source;
}

/// Whether bytes of a trace can come from it.
static bool is_readable(const struct stat *facts, const char *path, pj_err *err)
{
    if (S_ISREG(facts->st_mode) || S_ISFIFO(facts->st_mode))
        return true;
    if (S_ISDIR(facts->st_mode))
        return pj_fail(err, PJ_E_IO, path, 0, "is a folder; name a trace file in it");
    return pj_fail(err, PJ_E_IO, path, 0, "is a %s; a trace is read from a file or a pipe",
                   S_ISSOCK(facts->st_mode) ? "socket" : "device");
}

/// Without waiting for the other end of a pipe; -1 with an error. It is looked at before, for to
/// open a device may move it.
static int open_readable(const char *path, struct stat *facts, pj_err *err)
{
    if (stat(path, facts) == 0 && !is_readable(facts, path, err))
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, facts) == 0 && is_readable(facts, path, err))
        return fd;
    pj_fail_io(err, path, "cannot be opened");
    if (fd >= 0)
        close(fd);
    return -1;
}

pj_source *pj_source_open(const char *path, pj_job *job, pj_err *err)
{
    struct stat facts;
    int fd = open_readable(path, &facts, err);
    if (fd < 0)
        return NULL;
    pj_source *source = new_source(path, job);
    source->fd = fd;
    source->again = S_ISREG(facts.st_mode);
    source->awaited = !source->again && pj_file_has_name(fd);
    source->size = source->again ? (uint64_t)facts.st_size : 0;
    source->input_bytes = pj_take_memory(INPUT_BYTES);
    if (source->again)
        atomic_fetch_add(&job->bytes_total, (uint64_t)facts.st_size);
    return begin(source, err);
}

pj_source *pj_source_memory(const char *name, pj_str bytes, pj_job *job, pj_err *err)
{
    pj_source *source = new_source(name, job);
    source->input = bytes;
    source->file_bytes = bytes.len;
    source->input_ended = true;
    return begin(source, err);
}

pj_source *pj_source_folder(const char *path, pj_job *job)
{
    pj_source *source = new_source(path, job);
    source->folder = true;
    return source;
}

void pj_source_close(pj_source *source)
{
    if (!source)
        return;
    atomic_fetch_sub(&source->job->memory_used, source->whole_room);
    free(source->whole);
    pj_ahead_stop(source->ahead);
    pj_unpack_free(source->unpack);
    pj_buf_free(&source->decoded);
    free(source->seams);
    free(source->coded_bytes);
    pj_buf_free(&source->carry);
    free(source->input_bytes);
    if (source->fd >= 0)
        close(source->fd);
    free(source->path);
    free(source);
}

pj_str pj_source_head(const pj_source *source)
{
    return pj_buf_str(&source->carry);
}

const char *pj_source_path(const pj_source *source)
{
    return source->path;
}

pj_job *pj_source_job(const pj_source *source)
{
    return source->job;
}

bool pj_source_next(pj_source *source, pj_block *block, pj_err *err)
{
    if (source->unpack && !source->begun)
        source->ahead = pj_ahead_start(fill_block, source);
    source->begun = true;
    return source->ahead ? pj_ahead_next(source->ahead, block, err)
                         : fill_block(source, block, err);
}

bool pj_source_read(pj_source *source, char *out, size_t size, size_t *got, pj_err *err)
{
    if (!pj_job_check(source->job, source->path, err))
        return false;
    *got = source->carry.len < size ? source->carry.len : size;
    if (*got == 0)
        return get_text(source, out, size, got, err);
    memcpy(out, source->carry.at, *got);
    source->carry.len -= *got;
    memmove(source->carry.at, source->carry.at + *got, source->carry.len);
    return true;
}

uint64_t pj_source_seam(const pj_source *source, uint64_t offset)
{
    size_t low = 0, high = source->seam_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (source->seams[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < source->seam_count ? source->seams[low] : UINT64_MAX;
}

uint64_t pj_source_position(const pj_source *source)
{
    return source->carry_offset;
}

bool pj_source_skip(pj_source *source, uint64_t offset, pj_err *err)
{
    if (lseek(source->fd, (off_t)offset, SEEK_SET) < 0)
        return pj_fail_io(err, source->path, "cannot be read");
    source->input.len = 0;
    source->carry.len = 0;
    source->carry_offset = offset;
    source->text_ended = false;
    return true;
}

pj_source_facts pj_source_facts_of(const pj_source *source)
{
    return (pj_source_facts){
        .file_bytes = source->file_bytes,
        .text_bytes = source->text_bytes,
        .size = source->size,
        .compressed = source->unpack != NULL,
        .again = source->again,
        .skips = source->again && source->fd >= 0 && !source->unpack && !source->is_utf16,
        .folder = source->folder,
        .damage = source->damage,
    };
}

/// Makes room for `room` bytes of all of the text and what follows it.
static bool grow_whole(pj_source *source, uint64_t room, pj_err *err)
{
    source->whole = pj_resize_memory(source->whole, room + PJ_BLOCK_PAD);
    atomic_fetch_add(&source->job->memory_used, room - source->whole_room);
    source->whole_room = room;
    return pj_job_check(source->job, source->path, err);
}

static bool is_bomb(const pj_source *source)
{
    enum { MOST_TIMES = 1000, SMALL = 1 << 20 };
    return source->unpack && source->text_bytes > SMALL &&
           source->text_bytes / MOST_TIMES > source->file_bytes;
}

/// What the head has left and all that follows; `*used` bytes of it.
static bool read_whole(pj_source *source, uint64_t most, uint64_t *used, pj_err *err)
{
    enum { STEP = 1 << 20 };
    uint64_t hint = source->unpack ? 4 * source->size : source->size;
    uint64_t first = source->carry.len + 1;
    if (!grow_whole(source, hint < most && hint > first ? hint + 1 : first + STEP, err))
        return false;
    memcpy(source->whole, source->carry.at, source->carry.len);
    *used = source->carry.len;
    source->carry.len = 0;
    while (!source->text_ended) {
        if (*used == source->whole_room && !grow_whole(source, 2 * source->whole_room, err))
            return false;
        uint64_t room = source->whole_room - *used;
        size_t got;
        if (!get_text(source, source->whole + *used, room < STEP ? room : STEP, &got, err) ||
            !pj_job_check(source->job, source->path, err))
            return false;
        *used += got;
        source->text_ended = got == 0;
        if (*used > most || is_bomb(source))
            return pj_source_damaged(source, (pj_spot){.line = 0}, err,
                                     "it holds more than %llu bytes",
                                     (unsigned long long)(*used > most ? most : *used));
    }
    return true;
}

bool pj_source_whole(pj_source *source, uint64_t most, pj_str *bytes, pj_err *err)
{
    uint64_t used = 0;
    if (!read_whole(source, most, &used, err))
        return false;
    if (source->damage)
        return pj_source_damaged(source, (pj_spot){.line = 0}, err, "%s", source->damage);
    memset(source->whole + used, 0, PJ_BLOCK_PAD);
    *bytes = (pj_str){source->whole, used};
    return true;
}

void pj_source_call(pj_source *source, const char *title)
{
    source->title = title;
}

bool pj_source_damaged(const pj_source *source, pj_spot spot, pj_err *err, const char *what, ...)
{
    char text[512], place[40] = "";
    const char *title = source->title ? source->title : "input";
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    if (spot.at_byte)
        snprintf(place, sizeof place, ", at byte %llu", (unsigned long long)spot.offset);
    return pj_fail(err, PJ_E_FORMAT, source->path, spot.line,
                   "is a damaged %s: %s%s; copy it again or record it anew", title, text, place);
}
