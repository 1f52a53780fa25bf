// TAU's pprof (2.3x, utils/pprof.cpp): columns, number formats and order.
#include "metrics/profile/listing/pprof_listing.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/write/tau_entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char RULE[] = "-----------------------------------------------------------------------"
                           "----------------\n";

/// A line of the listing; times in microseconds.
typedef struct row {
    pj_str name;
    double calls, child_calls, exclusive, inclusive;
    double part; // of the whole, in percent
    double per_call;
} row;

typedef struct listing {
    pj_tau_entries *entries;
    size_t time; // which measure
    row *rows, *totals;
    pj_buf *out;
} listing;

/// Without "[{file} {line}]", and no blanks twice.
static pj_str short_name(pj_str name, pj_arena *arena)
{
    pj_auto_buf plain = {.at = NULL};
    for (size_t i = 0; i < name.len; i++) {
        if (pj_str_starts(pj_str_from(name, i), PJ_S("[{"))) {
            i += pj_str_find(pj_str_from(name, i), ']');
            continue;
        }
        bool twice = name.at[i] == ' ' && plain.len && plain.at[plain.len - 1] == ' ';
        if (!twice)
            pj_buf_add_char(&plain, name.at[i]);
    }
    return pj_arena_str(arena, pj_str_trim(pj_buf_str(&plain)));
}

static int by_inclusive(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->inclusive != b->inclusive)
        return a->inclusive > b->inclusive ? -1 : 1;
    return pj_str_order(a->name, b->name);
}

/// "0.449", "27", "1,049", "1:02.404", "1:00:00.000": milliseconds, cut off.
static void format_time(double microseconds, char *out, size_t size)
{
    double milliseconds = microseconds / 1000;
    if (milliseconds < 1) {
        snprintf(out, size, "%9.3G", milliseconds);
        return;
    }
    uint64_t whole = (uint64_t)milliseconds;
    uint64_t ms = whole % 1000, s = whole / 1000, minutes = s / 60, hours = minutes / 60;
    if (!s)
        snprintf(out, size, "%" PRIu64, ms);
    else if (!minutes)
        snprintf(out, size, "%" PRIu64 ",%03" PRIu64, s, ms);
    else if (!hours)
        snprintf(out, size, "%" PRIu64 ":%02" PRIu64 ".%03" PRIu64, minutes, s % 60, ms);
    else
        snprintf(out, size, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64, hours,
                 minutes % 60, s % 60, ms);
}

static void add_rows(listing *l, row *rows, size_t count)
{
    pj_buf_puts(l->out, RULE);
    pj_buf_puts(l->out, "%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name\n"
                        "              msec   total msec                          usec/call \n");
    pj_buf_puts(l->out, RULE);
    if (count)
        qsort(rows, count, sizeof *rows, by_inclusive);
    for (size_t i = 0; i < count; i++) {
        char exclusive[64], inclusive[64];
        format_time(rows[i].exclusive, exclusive, sizeof exclusive);
        format_time(rows[i].inclusive, inclusive, sizeof inclusive);
        pj_buf_addf(l->out, "%5.1f %12s %12s %11G %11G %10.0f ", rows[i].part, exclusive, inclusive,
                    rows[i].calls, rows[i].child_calls, rows[i].per_call);
        pj_buf_add(l->out, rows[i].name);
        pj_buf_add_char(l->out, '\n');
    }
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static double per_call(const row *r)
{
    return r->calls > 0 ? r->inclusive / r->calls : 0;
}

/// The rows of a thread, which are added to the totals; the largest inclusive time.
static size_t take_thread(listing *l, uint32_t location, double *largest)
{
    pj_tau_entries *e = l->entries;
    size_t count = 0;
    *largest = 0;
    pj_tau_entries_at(e, location);
    for (size_t i = 0; i < e->count; i++) {
        size_t cell = i * e->measure_count + l->time;
        if (isnan(e->calls[i]) && isnan(e->inclusive[cell]))
            continue;
        row r = {.name = l->totals[i].name,
                 .calls = known(e->calls[i]),
                 .child_calls = known(e->child_calls[i]),
                 .exclusive = known(e->exclusive[cell]),
                 .inclusive = known(e->inclusive[cell])};
        r.per_call = per_call(&r);
        *largest = r.inclusive > *largest ? r.inclusive : *largest;
        l->totals[i].calls += r.calls;
        l->totals[i].child_calls += r.child_calls;
        l->totals[i].exclusive += r.exclusive;
        l->totals[i].inclusive += r.inclusive;
        l->totals[i].part = 1; // some thread has it
        l->rows[count++] = r;
    }
    for (size_t i = 0; i < count; i++)
        l->rows[i].part = *largest > 0 ? 100 * l->rows[i].inclusive / *largest : 0;
    return count;
}

typedef struct named_event {
    pj_str name;
    const pj_profile_event *event;
} named_event;

static int by_text(const void *left, const void *right)
{
    const named_event *a = left, *b = right;
    return pj_str_order(a->name, b->name);
}

static void add_events(listing *l, uint32_t location, const int32_t place[3])
{
    const pj_profile *p = l->entries->profile;
    pj_auto_arena arena = pj_arena_new(NULL);
    named_event *events = pj_new_n(arena, named_event, p->event_count + (size_t)1);
    size_t count = 0;
    for (uint32_t i = 0; i < p->event_count; i++)
        if (p->events[i].location == location)
            events[count++] = (named_event){p->texts[p->events[i].name], &p->events[i]};
    if (!count)
        return;
    qsort(events, count, sizeof *events, by_text);
    pj_buf_puts(l->out, RULE);
    pj_buf_addf(l->out,
                "\nUSER EVENTS Profile :NODE %d, CONTEXT %d, THREAD %d\n%s"
                "NumSamples   MaxValue   MinValue  MeanValue  Std. Dev.  Event Name\n%s",
                place[0], place[1], place[2], RULE, RULE);
    for (size_t i = 0; i < count; i++) {
        const pj_profile_event *e = events[i].event;
        double spread =
            e->count > 0 ? sqrt(fabs(e->sum_of_squares / e->count - e->mean * e->mean)) : 0;
        pj_buf_addf(l->out, "%10G %10.4G %10.4G %10.4G %10.4G  ", e->count, e->max, e->min, e->mean,
                    spread);
        pj_buf_add(l->out, events[i].name);
        pj_buf_add_char(l->out, '\n');
    }
    pj_buf_puts(l->out, RULE);
}

static double add_threads(listing *l)
{
    const pj_profile *p = l->entries->profile;
    double all = 0;
    for (uint32_t at = 0; at < p->location_count; at++) {
        int32_t place[3];
        double largest;
        size_t count = take_thread(l, at, &largest);
        pj_tau_entries_place(p, at, place);
        pj_buf_addf(l->out, "\nNODE %d;CONTEXT %d;THREAD %d:\n", place[0], place[1], place[2]);
        add_rows(l, l->rows, count);
        add_events(l, at, place);
        all += largest;
    }
    return all;
}

/// Over all threads, whether they have a function or not.
static void add_summary(listing *l, const char *title, double whole, double threads)
{
    size_t count = 0;
    for (size_t i = 0; i < l->entries->count; i++) {
        row r = l->totals[i];
        if (r.part == 0)
            continue;
        r.part = whole > 0 ? 100 * r.inclusive / whole : 0;
        r.per_call = per_call(&r);
        r.calls /= threads;
        r.child_calls /= threads;
        r.exclusive /= threads;
        r.inclusive /= threads;
        l->rows[count++] = r;
    }
    pj_buf_addf(l->out, "\nFUNCTION SUMMARY (%s):\n", title);
    add_rows(l, l->rows, count);
}

static bool find_time(listing *l)
{
    const pj_tau_entries *e = l->entries;
    for (l->time = 0; l->time < e->measure_count; l->time++)
        if (e->profile->measures[e->measures[l->time]].kind == PJ_MEASURE_TIME)
            return e->count > 0;
    return false;
}

bool pj_pprof_listing(const pj_profile *profile, pj_buf *out, pj_err *err)
{
    listing l = {.entries = pj_tau_entries_new(profile), .out = out};
    bool ok = find_time(&l);
    if (ok) {
        pj_arena *arena = l.entries->arena;
        l.rows = pj_new_n(arena, row, l.entries->count + 1);
        l.totals = pj_new_n(arena, row, l.entries->count + 1);
        for (size_t i = 0; i < l.entries->count; i++)
            l.totals[i].name = short_name(l.entries->entries[i].name, arena);
        pj_buf_puts(out, "Reading Profile files in profile.*\n");
        double whole = add_threads(&l);
        if (profile->location_count > 1) {
            add_summary(&l, "total", whole, 1);
            add_summary(&l, "mean", whole, profile->location_count);
        }
    }
    pj_tau_entries_free(l.entries);
    return ok || pj_fail(err, PJ_E_MISSING, NULL, 0,
                         "pprof's listing wants times of functions, which the profile lacks");
}
