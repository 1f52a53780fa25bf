// Packed profiles of TAU (.ppk), as ParaProf packs and reads them: gzip of big-endian Java data.
// Versions 1 and 2 of edu.uoregon.tau.perfdmf's PackedProfileDataSource. Every count is checked
// against the bytes that are left before anything is made of it.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/tau/trial.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

static const uint64_t WHOLE_MAX = (uint64_t)16 << 30;
static const char MAGIC[] = "\0P\0P\0K";
enum { MAGIC_LEN = 6, VERSION_READ = 2 };

/// The rest of the input. What goes wrong first stays: `what` is NULL until then.
typedef struct unpacking {
    pj_source *source;
    pj_trial trial;
    pj_str all, rest;
    const char *what;
    pj_buf text;
} unpacking;

static bool sniff(pj_str head)
{
    return pj_str_starts(head, (pj_str){MAGIC, MAGIC_LEN});
}

static void fail(unpacking *u, const char *what)
{
    if (!u->what)
        u->what = what;
}

static const unsigned char *take(unpacking *u, size_t size)
{
    static const unsigned char nothing[8];
    if (u->what || u->rest.len < size) {
        fail(u, "the file ends too soon");
        return nothing;
    }
    const unsigned char *at = (const unsigned char *)u->rest.at;
    u->rest = pj_str_from(u->rest, size);
    return at;
}

static int32_t take_int(unpacking *u)
{
    uint32_t bits;
    memcpy(&bits, take(u, sizeof bits), sizeof bits);
    return (int32_t)__builtin_bswap32(bits);
}

static double take_double(unpacking *u)
{
    uint64_t bits;
    double value;
    memcpy(&bits, take(u, sizeof bits), sizeof bits);
    bits = __builtin_bswap64(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// A number of things that take at least `least` bytes each.
static uint32_t take_count(unpacking *u, size_t least)
{
    int32_t count = take_int(u);
    if (count >= 0 && (uint64_t)(uint32_t)count * least <= u->rest.len)
        return u->what ? 0 : (uint32_t)count;
    fail(u, "a count is larger than the bytes that are left");
    return 0;
}

/// A number of something that there are `count` of.
static uint32_t take_index(unpacking *u, size_t count)
{
    int32_t index = take_int(u);
    if (index >= 0 && (size_t)index < count)
        return (uint32_t)index;
    fail(u, "a number names nothing");
    return 0;
}

static void skip(unpacking *u, int32_t size)
{
    if (size < 0)
        fail(u, "a length is negative");
    else if (size)
        take(u, (size_t)size);
}

/// Modified UTF-8: NUL as c0 80, what lies beyond 16 bits as two surrogates of three bytes each.
static pj_str take_text(unpacking *u)
{
    const unsigned char *size = take(u, 2);
    size_t len = (size_t)size[0] << 8 | size[1];
    if (u->what || u->rest.len < len) {
        fail(u, "a text is longer than the bytes that are left");
        return (pj_str){NULL, 0};
    }
    pj_str raw = pj_str_head(u->rest, len);
    u->rest = pj_str_from(u->rest, len);
    return raw;
}

static bool is_surrogate(pj_str s, size_t at, unsigned char kind)
{
    return at + 3 <= s.len && (unsigned char)s.at[at] == 0xed &&
           ((unsigned char)s.at[at + 1] & 0xf0) == kind;
}

static uint32_t half(pj_str s, size_t at)
{
    return ((uint32_t)s.at[at + 1] & 0x0f) << 6 | ((uint32_t)s.at[at + 2] & 0x3f);
}

/// As plain UTF-8, valid until the next call; lone surrogates stay as they are.
static pj_str take_utf8(unpacking *u)
{
    pj_str raw = take_text(u);
    if (!memchr(raw.len ? raw.at : "", 0xc0, raw.len) &&
        !memchr(raw.len ? raw.at : "", 0xed, raw.len))
        return raw;
    u->text.len = 0;
    for (size_t i = 0; i < raw.len;) {
        if (is_surrogate(raw, i, 0xa0) && is_surrogate(raw, i + 3, 0xb0)) {
            pj_utf8_add(&u->text, 0x10000 + (half(raw, i) << 10 | half(raw, i + 3)));
            i += 6;
        } else if ((unsigned char)raw.at[i] == 0xc0 && i + 1 < raw.len &&
                   (unsigned char)raw.at[i + 1] == 0x80) {
            pj_buf_add_char(&u->text, 0);
            i += 2;
        } else {
            pj_buf_add_char(&u->text, raw.at[i++]);
        }
    }
    return pj_buf_str(&u->text);
}

// The parts, in the order of the file

static void take_pairs(unpacking *u, uint32_t location)
{
    enum { LEAST = 4 };
    pj_auto_buf key = {.at = NULL};
    for (uint32_t n = take_count(u, LEAST); n > 0 && !u->what; n--) {
        key.len = 0;
        pj_buf_add(&key, take_utf8(u));
        pj_build_pair(u->trial.build, location, pj_buf_str(&key), take_utf8(u));
    }
}

/// Locations in the order of the file, for what comes later; threads may be told in both parts.
static uint32_t take_location(unpacking *u, pj_map *known)
{
    int32_t node = take_int(u), context = take_int(u), thread = take_int(u);
    uint32_t location;
    uint64_t key =
        ((uint64_t)(uint32_t)node * 1000003 + (uint32_t)context) * 1000003 + (uint32_t)thread;
    if (u->what)
        return 0;
    if (pj_map_get(known, key, &location))
        return location;
    location = pj_trial_location(&u->trial, node, context, thread);
    pj_map_put(known, key, location);
    return location;
}

static void take_header(unpacking *u, pj_map *known)
{
    enum { LEAST_THREAD = 16 };
    int32_t version = take_int(u), lowest = take_int(u);
    if (lowest > VERSION_READ || version < 1)
        fail(u, "it is of a version that is not known");
    int32_t bytes = take_int(u);
    if (version < 2) {
        skip(u, bytes);
        return;
    }
    if (bytes < 0 || (size_t)bytes > u->rest.len) {
        fail(u, "its header is longer than the file");
        return;
    }
    pj_str behind = pj_str_from(u->rest, (size_t)bytes);
    skip(u, take_int(u));
    take_pairs(u, PJ_NO_ITEM);
    for (uint32_t n = take_count(u, LEAST_THREAD); n > 0 && !u->what; n--)
        take_pairs(u, take_location(u, known));
    if (u->rest.len < behind.len)
        fail(u, "its header is longer than it says");
    u->rest = behind;
}

static void take_metrics(unpacking *u)
{
    enum { LEAST = 2, METRICS_MAX = 4096 };
    uint32_t count = take_count(u, LEAST);
    if (count > METRICS_MAX)
        fail(u, "it has more than 4096 metrics");
    if (u->what)
        return;
    pj_str *names = pj_take_memory((count + 1) * sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = take_text(u);
    pj_trial_metrics(&u->trial, names, count);
    free(names);
}

/// Texts that later parts name by their place; NULL when there are none.
static uint32_t *take_names(unpacking *u, size_t *count)
{
    enum { LEAST = 2 };
    *count = take_count(u, LEAST);
    uint32_t *names = pj_take_memory(*count * sizeof *names);
    for (size_t i = 0; i < *count; i++)
        names[i] = pj_build_text(u->trial.build, take_utf8(u));
    return names;
}

static void take_function(unpacking *u, const uint32_t *groups, size_t group_count,
                          uint32_t *function)
{
    enum { LEAST = 4 };
    *function = pj_trial_function_of(&u->trial, take_utf8(u));
    uint32_t count = take_count(u, LEAST);
    uint32_t *own = pj_take_memory(count * sizeof *own);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = take_index(u, group_count);
        own[i] = group_count ? groups[group] : 0;
    }
    pj_trial_groups(&u->trial, *function, own, count);
    free(own);
}

static uint32_t *take_functions(unpacking *u, size_t *count)
{
    enum { LEAST = 6 };
    size_t group_count;
    uint32_t *groups = take_names(u, &group_count);
    *count = take_count(u, LEAST);
    uint32_t *functions = pj_take_memory(*count * sizeof *functions);
    for (size_t i = 0; i < *count && !u->what; i++)
        take_function(u, groups, group_count, &functions[i]);
    free(groups);
    return functions;
}

static void take_records(unpacking *u, uint32_t location, const uint32_t *functions, size_t count)
{
    size_t metrics = u->trial.measure_count;
    pj_build *build = u->trial.build;
    for (uint32_t n = take_count(u, 4 + 16 + 16 * metrics); n > 0 && !u->what; n--) {
        uint32_t index = take_index(u, count);
        bool fresh;
        if (u->what)
            return;
        size_t record = pj_trial_record_of(&u->trial, functions[index], location, &fresh);
        u->trial.records[record].calls += take_double(u);
        u->trial.records[record].child_calls += take_double(u);
        for (size_t m = 0; m < metrics; m++) {
            double exclusive = take_double(u), inclusive = take_double(u);
            pj_trial_add(&u->trial, record, m, exclusive, inclusive, 0);
        }
        if (!fresh)
            pj_build_odd(build, PJ_ODDITY_equal_entries, 0);
    }
}

static void take_events(unpacking *u, uint32_t location, const uint32_t *events, size_t count)
{
    enum { LEAST = 4 + 4 + 4 * 8 };
    for (uint32_t n = take_count(u, LEAST); n > 0 && !u->what; n--) {
        uint32_t index = take_index(u, count);
        pj_profile_event event = {.location = location, .name = count ? events[index] : 0};
        event.count = take_int(u);
        event.min = take_double(u);
        event.max = take_double(u);
        event.mean = take_double(u);
        event.sum_of_squares = take_double(u);
        if (!u->what)
            pj_build_event(u->trial.build, event);
    }
}

static void take_all(unpacking *u)
{
    enum { LEAST_THREAD = 20 };
    size_t function_count = 0, event_count = 0;
    pj_map known = {.count = 0};
    take(u, MAGIC_LEN);
    take_header(u, &known);
    take_metrics(u);
    uint32_t *functions = take_functions(u, &function_count);
    uint32_t *events = take_names(u, &event_count);
    for (uint32_t n = take_count(u, LEAST_THREAD); n > 0 && !u->what; n--) {
        uint32_t location = take_location(u, &known);
        take_records(u, location, functions, function_count);
        take_events(u, location, events, event_count);
        if (!pj_build_ok(u->trial.build))
            break;
    }
    free(functions);
    free(events);
    pj_map_free(&known);
}

static bool read_ppk(pj_source *source, pj_build *build, pj_err *err)
{
    unpacking u = {.source = source, .trial.build = build};
    if (!pj_source_whole(source, WHOLE_MAX, &u.all, err))
        return false;
    u.rest = u.all;
    take_all(&u);
    if (!u.what && pj_build_ok(build))
        pj_trial_build(&u.trial);
    if (u.rest.len && !u.what && pj_build_ok(build))
        pj_build_odd(build, PJ_ODDITY_unknown_record, 0);
    pj_trial_free(&u.trial);
    pj_buf_free(&u.text);
    pj_spot spot = {.offset = u.all.len - u.rest.len, .at_byte = true};
    return !u.what || pj_source_damaged(source, spot, err, "%s", u.what);
}

const pj_reader pj_reader_ppk = {
    .name = "ppk",
    .title = "packed TAU profile",
    .suffixes = ".ppk",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_ppk,
};
