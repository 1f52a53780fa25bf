// Definitions, interned by their own text, so that one table serves every kind. No descriptor is
// kept: the program around may close all of them and open files of its own in their place.
#include "metrics/record/rec_defs.h"

#include "metrics/record/rec_lock.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"
#include "metrics/record/rec_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KINDS = 128,
    PATH_BYTES = 4096,
    FIRST_SLOTS = 1024,
    LINE_BYTES = 4096,
    RESERVED = 64 * 1024
};

static const char INHERITED[] = "SRQMICJ"; // the kinds with ids, which a forked child goes on with

typedef struct line {
    char *text; // grows
    size_t size, most;
    bool failed; // no memory
} line;

typedef struct slot {
    char *text; // kind and fields, without the id; NULL = free
    uint64_t hash;
    uint32_t id;
} slot;

static pj_rec_lock lock = PJ_REC_LOCK_FREE;
static char log_path[PATH_BYTES];
static uint64_t log_size;
static slot *slots;
static size_t slot_count, slots_used;
static pj_rec_texts texts;
static uint32_t ids[KINDS];
static line made, numbered; // under the lock: what is asked for, and the same with an id

void pj_rec_defs_lock(void)
{
    pj_rec_lock_take(&lock);
}

void pj_rec_defs_unlock(void)
{
    pj_rec_lock_give(&lock);
}

static void add(line *l, const char *text, size_t size)
{
    if (l->most - l->size < size) {
        const size_t most = 2 * l->most + size + LINE_BYTES;
        char *more = pj_rec_store_grow(l->text, l->most, most);
        if (!more) {
            l->failed = true;
            return;
        }
        l->text = more;
        l->most = most;
    }
    if (size)
        memcpy(l->text + l->size, text, size);
    l->size += size;
}

static void add_field(line *l, const char *text)
{
    add(l, "\t", 1);
    for (; text && *text; text++) {
        const char *escaped = *text == '\t'   ? "\\t"
                              : *text == '\n' ? "\\n"
                              : *text == '\\' ? "\\\\"
                                              : NULL;
        add(l, escaped ? escaped : text, escaped ? 2 : 1);
    }
}

static void begin_line(line *l)
{
    l->size = 0;
    l->failed = false;
}

static void make_line(char kind, const char *const *fields, size_t count)
{
    begin_line(&made);
    add(&made, &kind, 1);
    for (size_t i = 0; i < count; i++)
        add_field(&made, fields[i]);
}

/// All or nothing: a torn line is taken back.
static bool write_all(const char *text, size_t size)
{
    int file = open(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return false;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    bool ok = write(file, text, size) == (ssize_t)size;
    pj_rec_signal_release(&held);
    if (ok)
        log_size += size;
    else
        ok = ftruncate(file, (off_t)log_size) != 0 && false;
    close(file);
    return ok;
}

static bool write_line(line *l)
{
    add(l, "\n", 1);
    return !l->failed && write_all(l->text, l->size);
}

static uint64_t hash_of(const char *text, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001B3;
    return hash ^ hash >> 29;
}

static slot *find_slot(slot *in, size_t count, uint64_t hash, const char *text)
{
    size_t i = hash & (count - 1);
    while (in[i].text && (in[i].hash != hash || !text || strcmp(in[i].text, text) != 0))
        i = (i + 1) & (count - 1);
    return &in[i];
}

static bool grow_slots(void)
{
    size_t count = slot_count ? 2 * slot_count : FIRST_SLOTS;
    slot *more = pj_rec_store_grow(NULL, 0, count * sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].text)
            *find_slot(more, count, slots[i].hash, NULL) = slots[i];
    pj_rec_store_free(slots, slot_count * sizeof *slots);
    slots = more;
    slot_count = count;
    return true;
}

static bool write_new(const char *body, uint32_t id)
{
    char head[16];
    int size = snprintf(head, sizeof head, "%c\t%u", body[0], id);
    begin_line(&numbered);
    add(&numbered, head, (size_t)size);
    add(&numbered, body + 1, strlen(body + 1));
    return write_line(&numbered);
}

/// Id of what is made.
static uint32_t id_of_made(void)
{
    add(&made, "", 1);
    if (made.failed || (2 * slots_used >= slot_count && !grow_slots()))
        return 0;
    uint64_t hash = hash_of(made.text, made.size - 1);
    slot *at = find_slot(slots, slot_count, hash, made.text);
    if (at->text)
        return at->id;
    unsigned kind = (unsigned char)made.text[0] % KINDS;
    char *text = pj_rec_store_text(&texts, made.text, made.size);
    if (!text || !write_new(text, ids[kind] + 1))
        return 0;
    *at = (slot){.text = text, .hash = hash, .id = ++ids[kind]};
    slots_used++;
    return at->id;
}

uint32_t pj_rec_defs_id(char kind, const char *const *fields, size_t count)
{
    if (!pj_rec_part_ready())
        return 0;
    pj_rec_defs_lock();
    make_line(kind, fields, count);
    uint32_t id = id_of_made();
    pj_rec_defs_unlock();
    if (id == 0)
        pj_rec_part_stop("a definition could not be written");
    return id;
}

bool pj_rec_defs_line(char kind, const char *const *fields, size_t count)
{
    pj_rec_defs_lock();
    make_line(kind, fields, count);
    bool ok = write_line(&made);
    pj_rec_defs_unlock();
    return ok;
}

bool pj_rec_defs_numbers(char kind, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof text)
        return false;
    pj_rec_defs_lock();
    make_line(kind, NULL, 0);
    add(&made, "\t", 1);
    add(&made, text, (size_t)size);
    bool ok = write_line(&made);
    pj_rec_defs_unlock();
    return ok;
}

void pj_rec_note(int severity, const char *format, ...)
{
    char text[512], number[12];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pj_rec_part_ready(); // what is said before the first event is said in the part, too
    snprintf(number, sizeof number, "%d", severity);
    pj_rec_defs_line('X', (const char *[]){number, text}, 2);
}

bool pj_rec_defs_open(const char *folder)
{
    int size = snprintf(log_path, sizeof log_path, "%s/defs", folder);
    if (size < 0 || (size_t)size >= sizeof log_path)
        return false;
    int file = open(log_path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    // So that on a full disk what went wrong can still be said.
    if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, RESERVED) != 0)
        errno = 0;
    close(file);
    log_size = 0;
    return true;
}

static bool copy_lines(const char *text, size_t size)
{
    line kept = {0};
    for (const char *at = text, *end = text + size; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (!next)
            break;
        if (strchr(INHERITED, *at))
            add(&kept, at, (size_t)(next + 1 - at));
        at = next + 1;
    }
    bool ok = !kept.failed && (kept.size == 0 || write_all(kept.text, kept.size));
    pj_rec_store_free(kept.text, kept.most);
    return ok;
}

bool pj_rec_defs_inherit(const char *folder)
{
    size_t size = log_size;
    char *text = pj_rec_store_grow(NULL, 0, size + 1);
    int parent = open(log_path, O_RDONLY | O_CLOEXEC);
    bool ok = text && parent >= 0 && read(parent, text, size) == (ssize_t)size &&
              pj_rec_defs_open(folder) && copy_lines(text, size);
    if (parent >= 0)
        close(parent);
    pj_rec_store_free(text, size + 1);
    return ok;
}
