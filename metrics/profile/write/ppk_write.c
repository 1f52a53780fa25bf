// Packed TAU profiles: big-endian Java data in gzip, as read/profile/ppk.c reads them.
#include "metrics/profile/write/ppk_write.h"

#include "metrics/profile/write/profile_write.h"

#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/write/tau_entries.h"

#include <stdlib.h>
#include <zlib.h>

enum { GROUPS_MAX = 64, TEXT_MAX = UINT16_MAX };

static void add_int(pj_buf *out, uint32_t value)
{
    uint32_t bits = __builtin_bswap32(value);
    pj_buf_add(out, (pj_str){(const char *)&bits, sizeof bits});
}

static void add_double(pj_buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = __builtin_bswap64(bits);
    pj_buf_add(out, (pj_str){(const char *)&bits, sizeof bits});
}

static void add_unit(pj_buf *out, uint32_t unit)
{
    pj_buf_add_char(out, (char)(0xe0 | unit >> 12));
    pj_buf_add_char(out, (char)(0x80 | (unit >> 6 & 0x3f)));
    pj_buf_add_char(out, (char)(0x80 | (unit & 0x3f)));
}

/// Modified UTF-8; what is longer than Java can tell is cut.
static void add_text(pj_buf *out, pj_str text)
{
    pj_auto_buf modified = {.at = NULL};
    for (size_t last = 0; text.len && modified.len <= TEXT_MAX; last = modified.len) {
        pj_str before = text;
        uint32_t code = pj_utf8_next(&text);
        if (code == 0) {
            pj_buf_add(&modified, PJ_S("\xc0\x80"));
        } else if (code > 0xffff) {
            add_unit(&modified, 0xd800 | (code - 0x10000) >> 10);
            add_unit(&modified, 0xdc00 | ((code - 0x10000) & 0x3ff));
        } else {
            pj_buf_add(&modified, pj_str_head(before, before.len - text.len));
        }
        if (modified.len > TEXT_MAX) {
            modified.len = last;
            break;
        }
    }
    pj_buf_add_char(out, (char)(modified.len >> 8));
    pj_buf_add_char(out, (char)modified.len);
    pj_buf_add(out, pj_buf_str(&modified));
}

static void add_place(const pj_profile *p, uint32_t location, pj_buf *out)
{
    int32_t place[3];
    pj_tau_entries_place(p, location, place);
    for (unsigned i = 0; i < 3; i++)
        add_int(out, (uint32_t)place[i]);
}

static void add_pairs(const pj_profile *p, uint32_t location, pj_buf *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->pair_count; i++)
        count += p->pairs[i].location == location;
    add_int(out, count);
    for (uint32_t i = 0; i < p->pair_count; i++)
        if (p->pairs[i].location == location) {
            add_text(out, p->texts[p->pairs[i].key]);
            add_text(out, p->texts[p->pairs[i].value]);
        }
}

static void add_header(const pj_profile *p, pj_buf *out)
{
    enum { VERSION = 2, LOWEST_READER = 1 };
    pj_auto_buf header = {.at = NULL};
    add_int(&header, 0);
    add_pairs(p, PJ_NO_ITEM, &header);
    add_int(&header, p->location_count);
    for (uint32_t at = 0; at < p->location_count; at++) {
        add_place(p, at, &header);
        add_pairs(p, at, &header);
    }
    pj_buf_add(out, (pj_str){"\0P\0P\0K", 6});
    add_int(out, VERSION);
    add_int(out, LOWEST_READER);
    add_int(out, (uint32_t)header.len);
    pj_buf_add(out, pj_buf_str(&header));
}

/// Texts by number, each once.
typedef struct names {
    pj_str *texts;
    uint32_t count;
    size_t cap;
} names;

static uint32_t number_of(names *all, pj_str text)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (pj_str_equal(all->texts[i], text))
            return i;
    pj_grow(all->texts, &all->cap, all->count + (size_t)1);
    all->texts[all->count] = text;
    return all->count++;
}

static void add_names(const names *all, pj_buf *out)
{
    add_int(out, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        add_text(out, all->texts[i]);
}

static void add_functions(const pj_tau_entries *e, const pj_job *job, pj_buf *out)
{
    names groups = {.texts = NULL};
    pj_auto_buf functions = {.at = NULL};
    for (size_t i = 0; i < e->count && !pj_job_stopped(job); i++) {
        pj_str own[GROUPS_MAX];
        size_t count = pj_tau_entries_groups(e->profile, &e->entries[i], own, GROUPS_MAX);
        add_text(&functions, e->entries[i].name);
        add_int(&functions, (uint32_t)count);
        for (size_t g = 0; g < count; g++)
            add_int(&functions, number_of(&groups, own[g]));
    }
    add_names(&groups, out);
    add_int(out, (uint32_t)e->count);
    pj_buf_add(out, pj_buf_str(&functions));
    free(groups.texts);
}

static void add_records(const pj_tau_entries *e, pj_buf *out)
{
    pj_auto_buf records = {.at = NULL};
    uint32_t count = 0;
    for (size_t i = 0; i < e->count; i++) {
        const double *exclusive = e->exclusive + i * e->measure_count;
        const double *inclusive = e->inclusive + i * e->measure_count;
        bool known = !isnan(e->calls[i]);
        for (size_t m = 0; m < e->measure_count; m++)
            known |= !isnan(exclusive[m]) || !isnan(inclusive[m]);
        if (!known)
            continue;
        add_int(&records, (uint32_t)i);
        add_double(&records, isnan(e->calls[i]) ? 0 : e->calls[i]);
        add_double(&records, isnan(e->child_calls[i]) ? 0 : e->child_calls[i]);
        for (size_t m = 0; m < e->measure_count; m++) {
            add_double(&records, isnan(exclusive[m]) ? 0 : exclusive[m]);
            add_double(&records, isnan(inclusive[m]) ? 0 : inclusive[m]);
        }
        count++;
    }
    add_int(out, count);
    pj_buf_add(out, pj_buf_str(&records));
}

static void add_events(const pj_profile *p, const pj_map *numbers, uint32_t location, pj_buf *out)
{
    uint32_t count = 0, number = 0;
    for (uint32_t i = 0; i < p->event_count; i++)
        count += p->events[i].location == location;
    add_int(out, count);
    for (uint32_t i = 0; i < p->event_count; i++) {
        const pj_profile_event *event = &p->events[i];
        if (event->location != location || !pj_map_get(numbers, event->name, &number))
            continue;
        add_int(out, number);
        add_int(out, event->count > 0 && event->count <= INT32_MAX ? (uint32_t)event->count : 0);
        add_double(out, event->min);
        add_double(out, event->max);
        add_double(out, event->mean);
        add_double(out, event->sum_of_squares);
    }
}

static void add_threads(pj_tau_entries *e, const pj_job *job, pj_buf *out)
{
    const pj_profile *p = e->profile;
    pj_map numbers = {.count = 0};
    names events = {.texts = NULL};
    for (uint32_t i = 0; i < p->event_count; i++) {
        uint32_t known;
        if (pj_map_get(&numbers, p->events[i].name, &known))
            continue;
        pj_map_put(&numbers, p->events[i].name, events.count);
        pj_grow(events.texts, &events.cap, events.count + (size_t)1);
        events.texts[events.count++] = p->texts[p->events[i].name];
    }
    add_names(&events, out);
    add_int(out, p->location_count);
    for (uint32_t at = 0; at < p->location_count && !pj_job_stopped(job); at++) {
        pj_tau_entries_at(e, at);
        add_place(p, at, out);
        add_records(e, out);
        add_events(p, &numbers, at, out);
    }
    free(events.texts);
    pj_map_free(&numbers);
}

/// With a header that does not tell when.
static void pack(pj_str bytes, const pj_job *job, pj_buf *out)
{
    enum { GZIP = 15 + 16, MEMORY = 8, STEP = 1 << 18 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes.at};
    size_t left = bytes.len;
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY);
    int status = Z_OK;
    while (status != Z_STREAM_END && !pj_job_stopped(job)) {
        if (!stream.avail_in) {
            stream.avail_in = (uInt)(left < STEP ? left : STEP);
            left -= stream.avail_in;
        }
        stream.next_out = (Bytef *)pj_buf_room(out, STEP);
        stream.avail_out = STEP;
        status = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
        out->len += STEP - stream.avail_out;
    }
    deflateEnd(&stream);
}

bool pj_ppk_write(const pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err)
{
    pj_tau_entries *e = pj_tau_entries_new(profile);
    bool ok = e->count > 0;
    if (ok) {
        pj_auto_buf plain = {.at = NULL};
        add_header(profile, &plain);
        add_int(&plain, (uint32_t)e->measure_count);
        for (size_t m = 0; m < e->measure_count; m++)
            add_text(&plain, pj_tau_entries_metric(e, m));
        add_functions(e, job, &plain);
        add_threads(e, job, &plain);
        pack(pj_buf_str(&plain), job, out);
    }
    pj_tau_entries_free(e);
    if (ok)
        return pj_job_check(job, NULL, err);
    return pj_fail(err, PJ_E_MISSING, NULL, 0,
                   "a packed TAU profile wants functions, which this profile lacks");
}

static bool write_ppk(pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err)
{
    return pj_ppk_write(profile, job, out, err);
}

const pj_profile_writer pj_profile_writer_ppk = {
    .suffixes = "ppk",
    .title = "packed TAU profile",
    .write = write_ppk,
};
