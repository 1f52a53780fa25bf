// Lines by their kind; fields are cut out when they are asked for, for most are never looked at.
#include "metrics/record/merge/part_log.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"

#include <stdlib.h>

enum { KINDS = 128 };

static const char NUMBERED[] = "RSQMCIJ", OTHERS[] = "HKPOTNFVXE";

typedef struct lines {
    pj_str *items;
    size_t count, cap;
} lines;

struct pj_part_log {
    pj_buf text;
    char *folder;
    lines of[KINDS];
};

static bool take_line(pj_part_log *log, pj_str line, uint64_t number, pj_err *err)
{
    const char kind = line.len ? line.at[0] : '\0';
    const bool numbered = kind && strchr(NUMBERED, kind);
    if (!numbered && !(kind && strchr(OTHERS, kind)))
        return pj_fail(err, PJ_E_FORMAT, log->folder, number,
                       "of a newer version or damaged: a definition of unknown kind");
    lines *of = &log->of[(unsigned char)kind];
    pj_str rest = pj_str_from(line, 2);
    if (numbered) {
        uint64_t id;
        if (!pj_parse_u64(pj_str_cut(&rest, '\t'), &id) || id != of->count + 1)
            return pj_fail(err, PJ_E_FORMAT, log->folder, number,
                           "damaged: a definition out of its order");
    }
    pj_grow(of->items, &of->cap, of->count + 1);
    of->items[of->count++] = rest;
    return true;
}

static bool take_lines(pj_part_log *log, pj_err *err)
{
    pj_str rest = pj_buf_str(&log->text);
    for (uint64_t number = 1; pj_str_find(rest, '\n') < rest.len; number++)
        if (!take_line(log, pj_str_cut(&rest, '\n'), number, err))
            return false;
    return true;
}

static pj_part_log *new_log(const char *folder)
{
    pj_part_log *log = pj_take_memory(sizeof *log);
    *log = (pj_part_log){.folder = pj_take_memory(strlen(folder) + 1)};
    memcpy(log->folder, folder, strlen(folder) + 1);
    return log;
}

pj_part_log *pj_part_log_take(const char *folder, pj_str text, pj_err *err)
{
    pj_part_log *log = new_log(folder);
    pj_buf_add(&log->text, text);
    if (take_lines(log, err))
        return log;
    pj_part_log_free(log);
    return NULL;
}

pj_part_log *pj_part_log_read(const char *folder, pj_err *err)
{
    pj_part_log *log = new_log(folder);
    pj_auto_buf path = {0};
    pj_buf_addf(&path, "%s/defs", folder);
    if (pj_file_read(path.at, &log->text, err) && take_lines(log, err))
        return log;
    pj_part_log_free(log);
    return NULL;
}

void pj_part_log_free(pj_part_log *log)
{
    if (!log)
        return;
    for (unsigned i = 0; i < KINDS; i++)
        free(log->of[i].items);
    pj_buf_free(&log->text);
    free(log->folder);
    free(log);
}

const char *pj_part_log_folder(const pj_part_log *log)
{
    return log->folder;
}

uint32_t pj_part_log_count(const pj_part_log *log, char kind)
{
    return (uint32_t)log->of[(unsigned char)kind % KINDS].count;
}

pj_str pj_part_log_line(const pj_part_log *log, char kind, uint32_t index)
{
    const lines *of = &log->of[(unsigned char)kind % KINDS];
    return index < of->count ? of->items[index] : (pj_str){0};
}

void pj_part_log_put(pj_part_log *log, char kind, uint32_t index, pj_str line)
{
    log->of[(unsigned char)kind % KINDS].items[index] = line;
}

pj_str pj_part_log_field(pj_str line, unsigned index)
{
    for (; index > 0; index--)
        pj_str_cut(&line, '\t');
    return pj_str_cut(&line, '\t');
}

const char *pj_part_log_unescape(pj_str field, pj_arena *arena)
{
    char *out = pj_arena_alloc(arena, field.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < field.len; i++) {
        char c = field.at[i];
        if (c == '\\' && i + 1 < field.len) {
            c = field.at[++i];
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
        }
        out[len++] = c;
    }
    return out;
}

pj_str pj_part_log_thread(const pj_part_log *log, uint32_t number)
{
    pj_str name = {0};
    for (uint32_t i = 0; i < pj_part_log_count(log, 'T'); i++) {
        pj_str line = pj_part_log_line(log, 'T', i);
        if (pj_part_log_number(line, 0) == number)
            name = pj_part_log_field(line, 1);
    }
    return name.len ? name : pj_str_of(number ? "Thread" : "Master thread");
}

bool pj_part_log_reads(const pj_part_log *log, uint32_t number)
{
    for (uint32_t i = 0; i < pj_part_log_count(log, 'T'); i++) {
        pj_str line = pj_part_log_line(log, 'T', i);
        if (pj_part_log_number(line, 0) == number &&
            pj_str_equal(pj_part_log_field(line, 2), PJ_S("readings")))
            return true;
    }
    return false;
}

uint64_t pj_part_log_number(pj_str line, unsigned index)
{
    uint64_t value;
    return pj_parse_u64(pj_part_log_field(line, index), &value) ? value : 0;
}
