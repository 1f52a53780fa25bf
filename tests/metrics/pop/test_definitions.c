// DEFINITIONS.md says what every row of every built-in set is, in the words of the set.
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/pop/metricset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/// "| `key` | formula |", below the heading of the set.
static void line_of(const pj_metric *row, pj_buf *out)
{
    out->len = 0;
    pj_buf_addf(out, "| `%s` | %s |\n", row->key, row->formula_text);
}

static void every_row_stands_there(void **state)
{
    (void)state;
    pj_auto_buf text = {0}, line = {0};
    pj_err err = {0};
    assert_true(pj_file_read(PJ_SOURCE_DIR "/metrics/DEFINITIONS.md", &text, &err));
    pj_buf_add_char(&text, 0);
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        line.len = 0;
        pj_buf_addf(&line, "\n### `%s`: %s\n", set->key, set->title);
        const char *section = strstr(text.at, line.at);
        if (!section)
            fail_msg("DEFINITIONS.md lacks the heading%s", line.at);
        for (size_t row = 0; row < set->count; row++) {
            line_of(&set->rows[row], &line);
            const char *at = strstr(section, line.at), *next = strstr(section + 1, "\n### `");
            if (!at || (next && at > next))
                fail_msg("DEFINITIONS.md, below `%s`, lacks %s", set->key, line.at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_stands_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
