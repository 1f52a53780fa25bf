// Members in any order; arguments are looked at again only where the category wants them.
#include "metrics/read/kineto/kineto_event.h"

#include "metrics/ai/ai_ranges.h"
#include "metrics/base/num.h"

#include <stddef.h>

static pj_kineto_class class_of(pj_str category)
{
    static const struct {
        pj_kineto_class class;
        pj_str name;
    } rows[] = {
#define CATEGORY(class, name) {PJ_KINETO_##class, {name, sizeof(name) - 1}},
#include "metrics/read/kineto/kineto_classes.def"
#undef CATEGORY
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].name.len == category.len && rows[i].name.at[0] == category.at[0] &&
            memcmp(rows[i].name.at, category.at, category.len) == 0)
            return rows[i].class;
    return PJ_KINETO_OTHER;
}

static pj_str bare(const char *at, const char *end)
{
    bool quoted = *at == '"';
    return (pj_str){at + quoted, (size_t)(end - at) - 2 * quoted};
}

#define WORD(a, b, c, d)                                                                           \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/// A key of at most 4 characters, zeros behind its end; more of the text follows it.
static uint32_t word_of(pj_str key)
{
    uint32_t word;
    memcpy(&word, key.at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word & (uint32_t)(((uint64_t)1 << 8 * key.len) - 1);
}

static void take(pj_kineto_event *event, pj_str key, const char *at, const char *end)
{
    if (key.len > 4)
        return;
    switch (word_of(key)) {
    case WORD('p', 'h', 0, 0):
        event->phase = end - at == 3 ? at[1] : 0;
        break;
    case WORD('t', 's', 0, 0):
        event->ts = bare(at, end);
        break;
    case WORD('i', 'd', 0, 0):
        event->id = bare(at, end);
        break;
    case WORD('d', 'u', 'r', 0):
        event->dur = bare(at, end);
        break;
    case WORD('p', 'i', 'd', 0):
        event->pid = bare(at, end);
        break;
    case WORD('t', 'i', 'd', 0):
        event->tid = bare(at, end);
        break;
    case WORD('c', 'a', 't', 0):
        event->class = class_of(bare(at, end));
        event->told = true;
        break;
    case WORD('n', 'a', 'm', 'e'):
        event->name = bare(at, end);
        break;
    case WORD('a', 'r', 'g', 's'):
        event->args = (pj_str){at, (size_t)(end - at)};
        break;
    default:
        break;
    }
}

/// The closing quote of a short key without escapes; NULL = look again.
static const char *short_key(const char *at)
{
#if defined(__SSE2__)
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
    int quotes = _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
    int slashes = _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    return quotes && !slashes ? at + __builtin_ctz((unsigned)quotes) : NULL;
#else
    (void)at;
    return NULL;
#endif
}

/// Behind the colon of a key, whose text it gives.
static const char *read_key(const char *at, const char *end, pj_str *key, pj_json_broken *broken)
{
    if (at >= end || *at != '"') {
        *broken = *broken || at < end;
        return NULL;
    }
    const char *quote = short_key(at + 1);
    if (!quote || quote >= end)
        quote = pj_json_quote(at + 1, end, broken);
    if (!quote)
        return NULL;
    *key = (pj_str){at + 1, (size_t)(quote - at - 1)};
    if (quote[1] == ':' && quote[2] == ' ' && (unsigned char)quote[3] > ' ') // as most write it
        return quote + 3 < end ? quote + 3 : NULL;
    at = pj_json_blank(quote + 1, end);
    if (at < end && *at != ':')
        *broken = true;
    return at < end && !*broken ? pj_json_blank(at + 1, end) : NULL;
}

bool pj_kineto_is_step(pj_str name)
{
    return pj_str_starts(name, PJ_S("ProfilerStep#"));
}

/// Most events of a trace are operators and functions of Python.
static bool tells_nothing(const pj_kineto_event *event)
{
    if (!event->told || !event->name.at)
        return false;
    return event->class == PJ_KINETO_OTHER ||
           (event->class == PJ_KINETO_OPERATOR && !pj_kineto_is_step(event->name) &&
            !pj_ai_ranges_is_loading(event->name));
}

/// A negative duration is counted whatever it is of.
static bool is_negative(const char *at, const char *end)
{
    enum { MOST = 128 }; // numbers stand before arguments
    return memchr(at, '-', end - at < MOST ? (size_t)(end - at) : MOST);
}

const char *pj_kineto_event_read(const char *at, const char *end, bool whole,
                                 pj_kineto_event *event, pj_json_broken *broken)
{
    pj_str key;
    *event = (pj_kineto_event){.phase = 0};
    at = pj_json_blank(at + 1, end);
    while (at < end && *at != '}') {
        const char *value = read_key(at, end, &key, broken);
        const char *behind = value ? pj_json_value(value, end, broken) : NULL;
        if (!behind)
            return NULL;
        take(event, key, value, behind);
        at = pj_json_blank(behind, end);
        if (at < end && *at != ',' && *at != '}')
            *broken = true;
        if (at >= end || *broken)
            return NULL;
        if (*at == ',')
            at = pj_json_blank(at + 1, end);
        if (whole || !tells_nothing(event))
            continue;
        const char *rest = pj_json_rest(at, end, 1, broken);
        if (!rest || !is_negative(at, rest))
            return rest;
        whole = true;
    }
    return at < end ? at + 1 : NULL;
}

bool pj_kineto_member(pj_str *rest, pj_str *key, pj_str *value)
{
    const char *at = rest->at, *end = at + rest->len;
    pj_json_broken broken = false;
    at = pj_json_blank(at, end);
    if (at < end && *at == ',')
        at = pj_json_blank(at + 1, end);
    if (at >= end || *at != '"')
        return false;
    const char *from = read_key(at, end, key, &broken);
    const char *behind = from ? pj_json_value(from, end, &broken) : NULL;
    if (!behind || behind > end)
        return false;
    *value = bare(from, behind);
    *rest = (pj_str){behind, (size_t)(end - behind)};
    return true;
}

static int64_t number(pj_str text)
{
    int64_t whole;
    uint64_t large;
    double value;
    if (pj_parse_i64(text, &whole))
        return whole;
    if (pj_parse_u64(text, &large)) // of 64 bits without a sign
        return (int64_t)(large & INT64_MAX);
    bool fits = pj_parse_decimal(text, &value) && value > -1e18 && value < 1e18;
    return fits ? (int64_t)value : -1;
}

pj_kineto_args pj_kineto_args_read(pj_str args)
{
    pj_kineto_args a = {.correlation = -1,
                        .device = -1,
                        .stream = -1,
                        .bytes = -1,
                        .in_elements = -1,
                        .out_elements = -1,
                        .size = -1,
                        .source = -1,
                        .target = -1,
                        .seq = -1};
    const struct {
        pj_str key;
        int64_t *number;
        pj_str *text;
    } members[] = {
        {{"correlation", 11}, &a.correlation, NULL},
        {{"device", 6}, &a.device, NULL},
        {{"stream", 6}, &a.stream, NULL},
        {{"bytes", 5}, &a.bytes, NULL},
        {{"Collective name", 15}, NULL, &a.operation},
        {{"In msg nelems", 13}, &a.in_elements, NULL},
        {{"Out msg nelems", 14}, &a.out_elements, NULL},
        {{"Group size", 10}, &a.size, NULL},
        {{"dtype", 5}, NULL, &a.type},
        {{"Process Group Name", 18}, NULL, &a.group},
        {{"Process Group Ranks", 19}, NULL, &a.ranks},
        {{"Src Rank", 8}, &a.source, NULL},
        {{"Dst Rank", 8}, &a.target, NULL},
        {{"Seq", 3}, &a.seq, NULL},
    };
    pj_str rest = pj_str_from(args, 1), key, value;
    if (!args.len || args.at[0] != '{')
        return a;
    while (pj_kineto_member(&rest, &key, &value))
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            if (!pj_str_equal(members[i].key, key))
                continue;
            if (members[i].text)
                *members[i].text = value;
            else
                *members[i].number = number(value);
            break;
        }
    a.correlated = a.correlation >= 0;
    return a;
}
