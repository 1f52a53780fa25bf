// Processes run the same programs: a place is looked for once, and an object stays open for the
// regions that follow, which are mostly of the same one.
#include "metrics/record/merge/code_place.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/module.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/definition_table.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/rec_names.h"

#include <stdlib.h>
#include <string.h>

enum { PARADIGM = 1, NAME = 4, SYMBOL = 5, OBJECT = 7, ADDRESS = 8 }; // fields

typedef struct placing {
    const pj_code_place_lib *lib;
    pj_arena *arena;
    pj_definition_table *before; // lines; those they become stand in `after`
    pj_str *after;
    size_t after_cap;
    const char *object; // that is open
    void *information;
} placing;

static bool is_wanted(pj_str line)
{
    return pj_part_log_number(line, PARADIGM) == PJ_REC_PARADIGM_OPENMP &&
           pj_part_log_field(line, OBJECT).len > 0;
}

static void open_object(placing *p, const char *object)
{
    if (p->object && strcmp(p->object, object) == 0)
        return;
    p->lib->close(p->information);
    p->object = object;
    p->information = p->lib->open(object);
}

/// As a field of the log.
static const char *escape(const char *text, pj_arena *arena)
{
    static const char special[] = "\t\n\\", written[] = "tn\\";
    char *out = pj_arena_alloc(arena, 2 * strlen(text) + 1), *to = out;
    for (; *text; text++) {
        const char *which = strchr(special, *text);
        if (which)
            *to++ = '\\';
        *to++ = which ? written[which - special] : *text;
    }
    *to = '\0';
    return out;
}

/// "!$omp parallel @heat.c:42 in solve" in place of "!$omp parallel @solve._omp_fn.0".
static pj_str place(placing *p, pj_str line)
{
    pj_code_place found;
    open_object(p, pj_part_log_unescape(pj_part_log_field(line, OBJECT), p->arena));
    if (!p->information ||
        !p->lib->find(p->information, pj_part_log_number(line, ADDRESS),
                      pj_part_log_unescape(pj_part_log_field(line, SYMBOL), p->arena), &found))
        return line;
    const pj_str role = pj_part_log_field(line, 0), symbol = pj_part_log_field(line, SYMBOL);
    pj_str construct = pj_part_log_field(line, NAME);
    construct.len = pj_str_find(construct, '@');
    const char *file = escape(found.file, p->arena), *slash = strrchr(file, '/');
    return pj_str_of(pj_arena_format(
        p->arena, PJ_STR_FMT "\t%d\t%u\t0\t" PJ_STR_FMT "@%s:%u%s%s\t" PJ_STR_FMT "\t%s",
        PJ_STR_ARG(role), PJ_REC_PARADIGM_OPENMP, found.line, PJ_STR_ARG(construct),
        slash ? slash + 1 : file, found.line, *found.function ? " in " : "",
        escape(found.function, p->arena), PJ_STR_ARG(symbol), file));
}

static pj_str placed(placing *p, pj_str line)
{
    const uint32_t known = pj_definition_table_count(p->before);
    const uint32_t id = pj_definition_table_id(p->before, line);
    if (!p->after || id > known) {
        pj_grow(p->after, &p->after_cap, id + (size_t)1);
        p->after[id] = place(p, line);
    }
    return p->after[id];
}

static void place_all(placing *p, pj_part_log *log)
{
    for (uint32_t i = 0; i < pj_part_log_count(log, 'R'); i++) {
        const pj_str line = pj_part_log_line(log, 'R', i);
        if (is_wanted(line))
            pj_part_log_put(log, 'R', i, placed(p, line));
    }
}

static bool any_wanted(const pj_united_part *parts, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < pj_part_log_count(parts[k].log, 'R'); i++)
            if (is_wanted(pj_part_log_line(parts[k].log, 'R', i)))
                return true;
    return false;
}

bool pj_code_place_regions(const pj_united_part *parts, size_t count, pj_arena *arena, pj_err *err)
{
    placing p = {.arena = arena};
    if (!any_wanted(parts, count))
        return true;
    p.lib = pj_module_open("popinjay-debug.so", "pj_code_place_module",
                           "lines of OpenMP constructs need libdw", err);
    if (!p.lib)
        return false;
    p.before = pj_definition_table_new();
    for (size_t i = 0; i < count; i++)
        place_all(&p, parts[i].log);
    p.lib->close(p.information);
    pj_definition_table_free(p.before);
    free(p.after);
    return true;
}
