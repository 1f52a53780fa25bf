// Texts of options become numbers, or a message that says what may stand there.
#include "metrics/analyse/load_texts.h"

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/trace/roi.h"

static bool take_size(const char *text, const char *what, uint64_t *out, pj_err *err)
{
    return !text || pj_parse_size(pj_str_of(text), out) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: \"%s\" is no size (32k, 64M)", what, text);
}

bool pj_load_texts_network(const pj_load_texts *texts, pj_network *network, pj_err *err)
{
    if (texts->latency && !pj_parse_duration(pj_str_of(texts->latency), &network->latency_ns))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "latency: \"%s\" is no time (2us, 1ms)",
                       texts->latency);
    if (texts->bandwidth && !pj_parse_rate(pj_str_of(texts->bandwidth), &network->bandwidth))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "bandwidth: \"%s\" is no rate (10G, inf)",
                       texts->bandwidth);
    if (!take_size(texts->eager, "eager", &network->eager_bytes, err))
        return false;
    network->all_rendezvous = texts->eager && network->eager_bytes == 0;
    return true;
}

bool pj_load_texts_memory(const pj_load_texts *texts, uint64_t *bytes, pj_err *err)
{
    return take_size(texts->memory, "memory", bytes, err);
}

/// "3", "0-15".
static bool take_ranks(pj_str text, pj_timeline_opts *out)
{
    uint64_t first, last;
    pj_str rest = text, head = pj_str_cut(&rest, '-');
    bool one = head.len == text.len;
    if (!pj_parse_u64(head, &first) || first >= UINT32_MAX)
        return false;
    out->first_rank = out->last_rank = (uint32_t)first;
    if (one)
        return true;
    if (!pj_parse_u64(rest, &last) || last < first || last >= UINT32_MAX)
        return false;
    out->last_rank = (uint32_t)last;
    return true;
}

bool pj_load_texts_timeline(const pj_load_texts *texts, pj_timeline_opts *timeline, pj_err *err)
{
    timeline->last_rank = UINT32_MAX;
    if (texts->range && !pj_roi_parse(pj_str_of(texts->range), &timeline->range, err))
        return false;
    if (timeline->range.kind == PJ_ROI_ITERATIONS)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "a range is one of time; --roi takes iterations");
    if (texts->ranks && !take_ranks(pj_str_of(texts->ranks), timeline))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "\"%s\" names no ranks; give one (3) or the first and the last (0-15)",
                       texts->ranks);
    return true;
}

void pj_load_ask_timeline(pj_load_opts *opts)
{
    if (!opts->timeline->waits)
        return;
    opts->no_replay = false;
    opts->aspects |= PJ_WANT(waits);
    if (opts->timeline->range.kind == PJ_ROI_RANGE)
        opts->roi = opts->timeline->range;
}
