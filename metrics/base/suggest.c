// How far a slip may be from what was meant.
#include "metrics/base/suggest.h"

#include "metrics/base/str.h"

enum { LENGTH_MOST = 64 }; // of a name that is compared

static pj_str lower(pj_str name, char *out)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return (pj_str){out, name.len};
}

void pj_suggest_try(pj_suggest *suggest, const char *candidate)
{
    pj_str name = pj_str_of(candidate), word = suggest->word;
    char letters[2][LENGTH_MOST];
    if (name.len > LENGTH_MOST || word.len > LENGTH_MOST)
        return;
    size_t length = word.len < name.len ? word.len : name.len;
    size_t limit = length <= 2 ? 1 : 1 + length / 4;
    size_t distance = pj_str_distance(lower(word, letters[0]), lower(name, letters[1]));
    if (distance > limit || distance >= name.len)
        return;
    if (!suggest->best || distance < suggest->distance) {
        suggest->best = candidate;
        suggest->distance = distance;
    }
}

void pj_suggest_add(const pj_suggest *suggest, pj_buf *out)
{
    if (suggest->best)
        pj_buf_addf(out, "; did you mean %s?", suggest->best);
    else
        pj_buf_puts(out, ";");
}
