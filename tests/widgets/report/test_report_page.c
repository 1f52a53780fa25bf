// The page of a report: whole, numbered, linked, and nothing in it that was hidden.
#include "widgets/report/report_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char notebook_text[] =
    "{\"cells\": ["
    "{\"cell_type\": \"markdown\", \"metadata\": {\"popinjay\": {\"part\": \"title\"}},"
    " \"source\": \"# NOTAGAIN\"},"
    "{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": [\"## One & \\n\", \"\\n\", "
    "\"text\"]},"
    "{\"cell_type\": \"code\", \"metadata\": {}, \"source\": \"CODE\", \"outputs\": [{"
    "\"output_type\": \"display_data\", \"data\": {\"text/markdown\": \"words\\n\\n### Sub\","
    " \"text/plain\": \"PLAIN\"}}]},"
    "{\"cell_type\": \"code\", \"metadata\": {\"popinjay\": {\"caption\": \"A <b>\", \"label\": "
    "\"tab:a\"}}, \"source\": \"\", \"outputs\": [{\"output_type\": \"display_data\", \"data\": "
    "{\"text/html\": \"<table></table>\"}}]},"
    "{\"cell_type\": \"code\", \"metadata\": {\"popinjay\": {\"caption\": \"P\", \"label\": "
    "\"fig:p\"}}, \"source\": \"\", \"outputs\": [{\"output_type\": \"display_data\", \"data\": "
    "{\"text/html\": \"HTML\", \"image/svg+xml\": \"<svg></svg>\"}, \"metadata\": "
    "{\"image/svg+xml\": {\"numbers\": \"<i>NUMBERS</i>\"}}}]},"
    "{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": \"## Two\"},"
    "{\"cell_type\": \"markdown\", \"metadata\": {\"tags\": [\"remove-cell\"]}, \"source\": "
    "\"## HIDDEN\"},"
    "{\"cell_type\": \"code\", \"metadata\": {\"tags\": [\"hide-output\"]}, \"source\": \"\", "
    "\"outputs\": [{\"output_type\": \"stream\", \"name\": \"stdout\", \"text\": \"HIDDEN\"}]},"
    "{\"cell_type\": \"code\", \"metadata\": {}, \"source\": \"\", \"outputs\": [{"
    "\"output_type\": \"stream\", \"name\": \"stdout\", \"text\": \"a < b\"}]}],"
    "\"metadata\": {\"popinjay\": {\"report\": {\"title\": \"T & \\\"t\\\"\", \"author\": "
    "\"<A>\"}}}}";

static pj_buf page_of(const char *text)
{
    pj_buf out = {0};
    pj_report_page_parts parts = {PJ_S("STYLE"), PJ_S("SCRIPT"), PJ_S("<svg>LOGO</svg>")};
    json_t *notebook = json_loads(text, 0, NULL);
    assert_non_null(notebook);
    pj_report_page(notebook, &parts, &out);
    json_decref(notebook);
    return out;
}

static void cells_become_a_page(void **state)
{
    (void)state;
    pj_auto_buf page = page_of(notebook_text);
    static const char *const there[] = {
        "<title>T &amp; &quot;t&quot;</title>",
        "<dd>&lt;A&gt;</dd>",
        "STYLE",
        "SCRIPT",
        "LOGO",
        "<h2 id=\"part1\">One &amp;</h2>",
        "<p>words</p>",
        "<h3 id=\"part2\">Sub</h3>",
        "<h2 id=\"part3\">Two</h2>",
        "<a href=\"#part3\">Two</a>",
        "<b>Table 1</b>&ensp;A &lt;b&gt;",
        "<b>Figure 1</b>&ensp;P",
        "<svg></svg>",
        "<i>NUMBERS</i>",
        "<pre>a &lt; b</pre>",
        "<a href=\"#tab:a\">Table 1</a>, <a href=\"#fig:p\">Figure 1</a>",
    };
    static const char *const missing[] = {"NOTAGAIN", "HIDDEN", "PLAIN", "CODE", "HTML<"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (!strstr(page.at, there[i]))
            fail_msg("%s is missing", there[i]);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_null(strstr(page.at, missing[i]));
}

/// Whatever stands where nbformat wants something else.
static void odd_notebooks_are_pages_too(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "{}",
        "{\"cells\": 3, \"metadata\": []}",
        "{\"cells\": [1, null, \"x\", []]}",
        "{\"cells\": [{\"cell_type\": 7}, {\"cell_type\": \"code\", \"outputs\": {\"a\": 1}}]}",
        "{\"cells\": [{\"cell_type\": \"code\", \"outputs\": [3, {\"data\": [\"x\"]}]}]}",
        "{\"cells\": [{\"cell_type\": \"code\", \"metadata\": {\"tags\": 1, \"popinjay\": 2}}]}",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        pj_auto_buf page = page_of(odd[i]);
        assert_non_null(strstr(page.at, "<h1>Report</h1>"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_become_a_page),
        cmocka_unit_test(odd_notebooks_are_pages_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
