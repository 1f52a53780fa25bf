// How far a slip may be from what was meant.
#include "kernel/suggest.h"

void pj_suggest_try(pj_suggest *suggest, const char *candidate)
{
    pj_str name = pj_str_of(candidate);
    size_t length = suggest->word.len < name.len ? suggest->word.len : name.len;
    size_t limit = length <= 2 ? 1 : 1 + length / 4;
    size_t distance = pj_str_distance(suggest->word, name);
    if (distance > limit || distance >= name.len)
        return;
    if (!suggest->best || distance < suggest->distance) {
        suggest->best = candidate;
        suggest->distance = distance;
    }
}
