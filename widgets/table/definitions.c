// The definitions of the metrics of a table.
// Sets share most of their metrics, so that the second of them refers to the first.
#include "widgets/table/definitions.h"

#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/textlines.h"

static bool means_the_same(const pj_metric *a, const pj_metric *b)
{
    return strcmp(a->key, b->key) == 0 && a->explanation && b->explanation &&
           strcmp(a->explanation, b->explanation) == 0;
}

/// The first of the sets that explains the metric as this one does.
static const pj_metric_set *first_with(const pj_metric_set *const *sets, const pj_metric *metric)
{
    for (;; sets++)
        for (size_t row = 0; row < (*sets)->count; row++)
            if (&(*sets)->rows[row] == metric || means_the_same(&(*sets)->rows[row], metric))
                return *sets;
}

static void add_metric(const pj_metric *metric, const pj_metric_set *set,
                       const pj_metric_set *first, pj_buf *out)
{
    pj_buf_puts(out, "**");
    pj_escape_md(out, pj_str_of(metric->title));
    pj_buf_addf(out, "** (`%s`)", metric->key);
    if (metric->formula_text)
        pj_buf_addf(out, " = `%s`", metric->formula_text);
    pj_buf_puts(out, ". ");
    if (first == set)
        pj_escape_md(out, pj_str_of(metric->explanation ? metric->explanation : ""));
    else
        pj_buf_addf(out, "See `%s`.", first->key);
    pj_buf_puts(out, "\n\n");
}

static void add_set(const pj_metric_set *const *sets, size_t index, pj_buf *out)
{
    const pj_metric_set *set = sets[index];
    pj_buf_puts(out, "### ");
    pj_escape_md(out, pj_str_of(set->title));
    pj_buf_addf(out, ": `%s`\n\n", set->key);
    if (set->convention) {
        pj_escape_md(out, pj_str_of(set->convention));
        pj_buf_puts(out, "\n\n");
    }
    for (size_t row = 0; row < set->count; row++)
        add_metric(&set->rows[row], set, first_with(sets, &set->rows[row]), out);
}

/// What a symbol stands for: "useful time, summed over all threads [U]" says how a measure is
/// folded too, which formulas say themselves.
static pj_str meaning_of(pj_str sentence)
{
    static const char *const folds[] = {", mean", ", maximum", ", summed"};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        for (size_t at = 0; at < sentence.len; at++)
            if (pj_str_starts(pj_str_from(sentence, at), pj_str_of(folds[i])))
                return pj_str_head(sentence, at);
    return pj_str_trim(sentence);
}

/// Between the brackets that end the sentence of a measure; empty when there are none.
static pj_str symbol_of(pj_str sentence)
{
    size_t open = pj_str_find_last(sentence, '[');
    pj_str symbol = open < sentence.len ? pj_str_from(sentence, open + 1) : (pj_str){0};
    return pj_str_head(symbol, pj_str_find(symbol, ']'));
}

static bool is_new_symbol(size_t index, pj_str symbol)
{
    for (size_t i = 0; i < index; i++)
        if (pj_str_equal(symbol_of(pj_str_of(pj_measures_row_at(i)->sentence)), symbol))
            return false;
    return symbol.len > 0;
}

static void add_symbols(pj_buf *out)
{
    enum { WIDTH = 13 }; // of the longest symbol
    const pj_measures_row *measure;
    pj_buf_puts(out, "### Symbols\n\n| Symbol          | Meaning |\n|:----------------|"
                     ":------------------------------------------------------------|\n");
    for (size_t i = 0; (measure = pj_measures_row_at(i)); i++) {
        pj_str sentence = pj_str_of(measure->sentence), symbol = symbol_of(sentence);
        if (!is_new_symbol(i, symbol))
            continue;
        pj_buf_addf(out, "| `" PJ_STR_FMT "`", PJ_STR_ARG(symbol));
        pj_textlines_repeat(out, " ", symbol.len < WIDTH ? WIDTH - symbol.len : 0);
        pj_buf_puts(out, " | ");
        pj_escape_md(out, meaning_of(pj_str_head(sentence, pj_str_find_last(sentence, '['))));
        pj_buf_puts(out, " |\n");
    }
}

void pj_definitions_md(const pj_metric_set *const *sets, size_t count, pj_buf *out)
{
    for (size_t i = 0; i < count; i++)
        add_set(sets, i, out);
    add_symbols(out);
}
