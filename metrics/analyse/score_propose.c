// Filter files proposed for what costs much and tells little.
#include "metrics/analyse/score.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdio.h>
#include <stdlib.h>

/// Numbers of a proposal, by Score-P's own words.
static const struct key {
    const char *name;
    size_t offset;
} keys[] = {
    {"bufferpercent", offsetof(pj_score_proposal, buffer_percent)},
    {"timepervisit", offsetof(pj_score_proposal, time_per_visit)},
    {"bufferabsolute", offsetof(pj_score_proposal, buffer_absolute)},
    {"visits", offsetof(pj_score_proposal, visits)},
};

static bool parse_type(pj_str value, pj_score_proposal *out, pj_err *err)
{
    bool both = pj_str_equal(value, PJ_S("both"));
    out->usr = both || pj_str_equal(value, PJ_S("usr"));
    out->com = both || pj_str_equal(value, PJ_S("com"));
    return out->usr || out->com ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "type is usr, com or both, not \"" PJ_STR_FMT "\"",
                   PJ_STR_ARG(value));
}

static bool parse_item(pj_str item, pj_score_proposal *out, pj_err *err)
{
    pj_str value = item;
    pj_str key = pj_str_trim(pj_str_cut(&value, '='));
    value = pj_str_trim(value);
    if (pj_str_equal(key, PJ_S("type")))
        return parse_type(value, out, err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double number;
        if (!pj_str_equal(key, pj_str_of(keys[i].name)))
            continue;
        if (!pj_parse_double(value, &number) || !(number >= 0))
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s wants a number, not \"" PJ_STR_FMT "\"",
                           keys[i].name, PJ_STR_ARG(value));
        *(double *)((char *)out + keys[i].offset) = number;
        return true;
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "\"" PJ_STR_FMT "\" is no limit of a proposal; there are bufferpercent, "
                   "timepervisit, bufferabsolute (MB), visits, type",
                   PJ_STR_ARG(key));
}

bool pj_score_parse_proposal(pj_str text, pj_score_proposal *out, pj_err *err)
{
    *out = (pj_score_proposal){.buffer_percent = 1, .time_per_visit = 1, .usr = true};
    while (text.len) {
        pj_str item = pj_str_trim(pj_str_cut(&text, ','));
        if (item.len && !parse_item(item, out, err))
            return false;
    }
    return true;
}

static double per_visit(const pj_score_row *row)
{
    return row->visits ? row->time / (double)row->visits * 1e6 : 0;
}

static bool is_proposed(const pj_score *score, const pj_score_proposal *p, const pj_score_row *row)
{
    double all = (double)score->all.groups[PJ_SCORE_ALL].max_buf, own = (double)row->max_buf;
    bool type = (row->group == PJ_SCORE_USR && p->usr) || (row->group == PJ_SCORE_COM && p->com);
    return type && !row->filtered && own * 100 >= p->buffer_percent * all &&
           per_visit(row) < p->time_per_visit && own >= p->buffer_absolute * 1024 * 1024 &&
           (double)row->visits >= p->visits;
}

static void add_head(const pj_score_proposal *p, pj_str prefix, pj_buf *out)
{
    pj_buf_puts(out, "# Initial filter file, starting point for further adaptation.\n"
                     "#\n"
                     "# Considerations:\n"
                     "#  - check possible wildcard options\n"
                     "#  - check selected functions for relevancy\n"
                     "#    (w.r.t. your knowledge of the application)\n"
                     "#\n"
                     "# Generated with the following parameters:\n");
    pj_buf_addf(out, "#  - A region has to use at least %g%% of the estimated trace buffer.\n",
                p->buffer_percent);
    if (p->buffer_absolute > 0)
        pj_buf_addf(out, "#  - A region has to use at least %g MB of the estimated trace buffer.\n",
                    p->buffer_absolute);
    if (p->visits > 0)
        pj_buf_addf(out, "#  - A region has to have at least %.0f visits.\n", p->visits);
    pj_buf_addf(out, "#  - A region has to have a time/visits value of less than %g us.\n",
                p->time_per_visit);
    pj_buf_addf(out, "#  - A region that is of type %s.\n",
                p->usr && p->com ? "COM or USR"
                : p->com         ? "COM"
                                 : "USR");
    pj_buf_puts(out, "#\n"
                     "# The file contains comments for each region providing additional "
                     "information\n"
                     "# regarding the respective region.\n"
                     "# The common prefix for the files is:\n# '");
    pj_buf_add(out, prefix);
    pj_buf_puts(out, "'\n"
                     "#\n"
                     "# Please refer to the Score-P user guide for more options on filtering.\n"
                     "SCOREP_REGION_NAMES_BEGIN\n"
                     "  EXCLUDE\n");
}

/// A name as a pattern that fits nothing else.
static void add_pattern(pj_str name, pj_buf *out)
{
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" ][*!", name.at[i]))
            pj_buf_add_char(out, '\\');
        pj_buf_add_char(out, name.at[i]);
    }
}

typedef struct widths {
    int bytes, visits;
} widths;

static widths widths_of(const pj_score *score)
{
    widths w = {.bytes = sizeof "max_buf[B]" - 1, .visits = sizeof "visits" - 1};
    const pj_score_row *all = &score->all.groups[PJ_SCORE_ALL]; // the largest of both
    char text[32];
    int bytes = (int)pj_format_grouped((int64_t)all->max_buf, text);
    int visits = (int)pj_format_grouped((int64_t)all->visits, text);
    w.bytes = bytes > w.bytes ? bytes : w.bytes;
    w.visits = visits > w.visits ? visits : w.visits;
    return w;
}

static void add_region(const widths *w, const pj_score *score, const pj_score_row *row,
                       size_t prefix, pj_buf *out)
{
    char bytes[32], visits[32];
    double total = score->all.groups[PJ_SCORE_ALL].time;
    bytes[pj_format_grouped((int64_t)row->max_buf, bytes)] = 0;
    visits[pj_format_grouped((int64_t)row->visits, visits)] = 0;
    pj_buf_addf(out,
                "    # type=%s max_buf=%*s visits=%*s, time= %6.2fs (%5.1f%%), "
                "time/visit= %7.2fus\n    # name='",
                pj_score_group_name(row->group), w->bytes, bytes, w->visits, visits, row->time,
                total > 0 ? 100 * row->time / total : 0, per_visit(row));
    pj_buf_add(out, row->name);
    pj_buf_puts(out, "'\n    # file='");
    pj_buf_add(out, pj_str_from(row->file, prefix));
    pj_buf_puts(out, "'\n    MANGLED ");
    add_pattern(row->mangled.len ? row->mangled : row->name, out);
    pj_buf_puts(out, "\n\n");
}

static size_t shared_prefix(pj_str a, pj_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.at[same] == b.at[same])
        same++;
    return same;
}

void pj_score_propose(const pj_score *score, pj_score_proposal proposal, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t kept, count = 0;
    const pj_score_row **rows =
        pj_score_sorted(score->regions, score->region_count, PJ_SCORE_BY_MAX_BUFFER, arena, &kept);
    pj_str prefix = {NULL, 0};
    for (size_t i = 0; i < kept; i++)
        if (is_proposed(score, &proposal, rows[i])) {
            prefix =
                count ? pj_str_head(prefix, shared_prefix(prefix, rows[i]->file)) : rows[i]->file;
            rows[count++] = rows[i];
        }
    add_head(&proposal, prefix, out);
    widths w = widths_of(score);
    for (size_t i = 0; i < count; i++)
        add_region(&w, score, rows[i], prefix.len, out);
    pj_buf_puts(out, "SCOREP_REGION_NAMES_END\n");
}
