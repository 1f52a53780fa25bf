// Every renderer on every odd table; what can be read back is read back.
#include "metrics/base/num.h"
#include "metrics/base/utf8.h"
#include "tests/support/odd_tables.h"
#include "tests/support/xml_check.h"
#include "widgets/table/render.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_render_opts variants[] = {
    {0}, {.colour = true, .width = 40}, {.max_rows = 3, .page = true}, {.plain = true}};

static void every_renderer_writes_valid_text_for_every_table(void **state)
{
    (void)state;
    for (size_t r = 0; pj_renderer_at(r); r++)
        for (size_t t = 0;; t++) {
            pj_auto_table table = pj_odd_table(t);
            if (!table)
                break;
            for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
                pj_auto_buf out = {0};
                pj_render_table(pj_renderer_at(r), table, variants[v], &out);
                assert_true(out.len > 0);
                assert_true(pj_utf8_valid(pj_buf_str(&out)));
                assert_int_equal(strlen(out.at), out.len);
            }
        }
}

/// The text is of no use then, and soon there.
static void an_interrupt_ends_the_rows(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    atomic_bool stop = false;
    pj_auto_table table = pj_table_new("rows");
    pj_table_add_column(table, (pj_column){.key = "n", .title = "N"});
    for (int i = 0; i < ROWS; i++)
        pj_table_add_row(table)[0] = pj_cell_int(i);
    for (size_t r = 0; pj_renderer_at(r); r++) {
        pj_auto_buf whole = {0}, part = {0};
        pj_render_opts opts = {.page = true, .stop = &stop};
        atomic_store(&stop, false);
        pj_render_table(pj_renderer_at(r), table, opts, &whole);
        atomic_store(&stop, true);
        pj_render_table(pj_renderer_at(r), table, opts, &part);
        if (part.len > whole.len / 4)
            fail_msg("%s", pj_renderer_at(r)->name);
    }
}

static void renderers_are_found_by_name(void **state)
{
    (void)state;
    for (size_t r = 0; pj_renderer_at(r); r++) {
        const pj_renderer *renderer = pj_renderer_at(r);
        assert_ptr_equal(pj_renderer_by_name(pj_str_of(renderer->name)), renderer);
        assert_non_null(strchr(renderer->mime, '/'));
        assert_true(*renderer->title);
    }
    assert_null(pj_renderer_by_name(PJ_S("docx")));
}

/// The next field of RFC 4180 text; returns what ended it: ',', '\n' or 0.
static char read_field(pj_str *rest, pj_buf *out)
{
    bool quoted = rest->len && rest->at[0] == '"';
    size_t i = quoted;
    out->len = 0;
    pj_buf_puts(out, "");
    for (; i < rest->len; i++) {
        char c = rest->at[i];
        if (quoted && c == '"') {
            if (i + 1 < rest->len && rest->at[i + 1] == '"')
                i++;
            else
                quoted = false;
            if (!quoted)
                continue;
        } else if (!quoted && (c == ',' || c == '\n')) {
            break;
        }
        pj_buf_add_char(out, c);
    }
    char end = i < rest->len ? rest->at[i] : 0;
    *rest = pj_str_from(*rest, i + 1);
    return end;
}

/// A text that a spreadsheet would compute comes back behind an apostrophe, none with controls.
static void check_text(const char *field, pj_str text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_text(&clean, text);
    bool formula = clean.len && strchr("=+-@\t", *clean.at);
    assert_string_equal(field + formula, clean.len ? clean.at : "");
}

static void check_field(const pj_buf *field, pj_cell cell)
{
    double number;
    int64_t integer;
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
        assert_int_equal(field->len, 0);
        break;
    case PJ_CELL_TEXT:
        check_text(field->at, pj_str_of(cell.text));
        break;
    case PJ_CELL_INT:
        assert_true(pj_parse_i64(pj_buf_str(field), &integer));
        assert_true(integer == cell.integer);
        break;
    case PJ_CELL_REAL:
        assert_true(pj_parse_double(pj_buf_str(field), &number));
        assert_memory_equal(&number, &cell.real, sizeof number);
        break;
    }
}

static void csv_reads_back_to_the_same_table(void **state)
{
    (void)state;
    for (size_t t = 0;; t++) {
        pj_auto_table table = pj_odd_table(t);
        if (!table)
            break;
        pj_auto_buf out = {0}, field = {0};
        pj_render_table(&pj_renderer_csv, table, (pj_render_opts){0}, &out);
        pj_str rest = pj_buf_str(&out);
        for (size_t i = 0; i < table->column_count; i++) {
            char end = read_field(&rest, &field);
            assert_string_equal(field.at, table->columns[i].key);
            assert_int_equal(end, i + 1 < table->column_count ? ',' : '\n');
        }
        for (size_t row = 0; row < table->row_count; row++)
            for (size_t i = 0; i < table->column_count; i++) {
                char end = read_field(&rest, &field);
                assert_int_equal(end, i + 1 < table->column_count ? ',' : '\n');
                check_field(&field, *pj_table_cell(table, row, i));
            }
        assert_true(table->column_count == 0 || rest.len == 0);
    }
}

static void json_holds_every_value_and_reason(void **state)
{
    (void)state;
    for (size_t t = 0;; t++) {
        pj_auto_table table = pj_odd_table(t);
        if (!table)
            break;
        pj_auto_buf out = {0};
        pj_render_table(&pj_renderer_json, table, (pj_render_opts){0}, &out);
        json_t *root = json_loadb(out.at, out.len, 0, NULL);
        assert_non_null(root);
        json_t *rows = json_object_get(root, "rows");
        assert_int_equal(json_array_size(rows), table->row_count);
        for (size_t i = 0; i < table->row_count * table->column_count; i++) {
            json_t *row = json_array_get(rows, i / table->column_count);
            const char *key = table->columns[i % table->column_count].key;
            pj_cell cell = table->cells[i];
            json_t *value = json_object_get(row, key);
            if (cell.kind == PJ_CELL_REAL)
                assert_true(json_number_value(value) == cell.real);
            if (cell.kind == PJ_CELL_INT)
                assert_true(json_integer_value(value) == cell.integer);
            if (cell.kind != PJ_CELL_EMPTY)
                continue;
            assert_true(json_is_null(value));
            json_t *reason = json_object_get(json_object_get(row, "reasons"), key);
            if (cell.text)
                assert_string_equal(json_string_value(reason), cell.text);
        }
        json_decref(root);
    }
}

static void html_is_well_formed_and_says_every_text(void **state)
{
    (void)state;
    for (size_t t = 0;; t++) {
        pj_auto_table table = pj_odd_table(t);
        if (!table)
            break;
        pj_auto_buf out = {0}, page = {0};
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){0}, &out);
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.page = true}, &page);
        assert_true(pj_xml_good(pj_buf_str(&out)));
        assert_true(pj_xml_good(pj_buf_str(&page)));
        assert_int_equal(pj_xml_count(pj_buf_str(&out), "tr", NULL), table->row_count + 1);
        assert_int_equal(pj_xml_count(pj_buf_str(&out), "script", NULL), 0);
    }
    pj_auto_table odd = pj_odd_table(3);
    pj_auto_buf out = {0};
    pj_render_table(&pj_renderer_html, odd, (pj_render_opts){0}, &out);
    assert_true(pj_xml_says(pj_buf_str(&out), NULL, "<script>alert('x')</script>"));
    assert_true(pj_xml_says(pj_buf_str(&out), "title", "no <counter> & \"why\""));
    assert_true(pj_xml_says(pj_buf_str(&out), "title", "0.3333333333333333"));
}

static void text_stays_inside_the_terminal(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(4);
    pj_auto_buf out = {0};
    pj_render_table(&pj_renderer_txt, table, (pj_render_opts){.width = 60}, &out);
    pj_str rest = pj_buf_str(&out);
    while (rest.len)
        assert_true(pj_utf8_columns(pj_str_cut(&rest, '\n')) <= 60);
    assert_null(strchr(out.at, '\x1b'));
}

static void text_never_passes_on_control_characters(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(3);
    pj_auto_buf out = {0};
    pj_render_table(&pj_renderer_txt, table, (pj_render_opts){0}, &out);
    assert_null(strchr(out.at, '\x1b'));
    assert_null(strchr(out.at, '\r'));
    assert_non_null(strstr(out.at, "no <counter> & \"why\""));
}

static void sentences_are_told_whole_beside_numbers(void **state)
{
    (void)state;
    static const pj_column columns[] = {{"name", "Name", NULL, PJ_UNIT_NONE, PJ_TEXT},
                                        {"where", "Where", NULL, PJ_UNIT_SENTENCE, PJ_TEXT},
                                        {"loss", "Loss", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE}};
    pj_auto_table table = pj_table_new("");
    pj_auto_buf out = {0};
    for (size_t i = 0; i < 3; i++)
        pj_table_add_column(table, columns[i]);
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_text("first");
    cells[1] = pj_cell_text("part 1 of 459 between collectives: most often rank 12, the last one");
    cells[2] = pj_cell_int(7);
    pj_render_table(&pj_renderer_txt, table, (pj_render_opts){.width = 80}, &out);
    assert_non_null(strstr(out.at, "\nfirst  part 1 of 459 between collectives: most often        7"
                                   "\n       rank 12, the last one\n"));
}

static void cut_tables_say_what_is_missing(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(5);
    const pj_renderer *cutting[] = {&pj_renderer_txt, &pj_renderer_md, &pj_renderer_tex,
                                    &pj_renderer_html};
    for (size_t i = 0; i < 4; i++) {
        pj_auto_buf out = {0};
        pj_render_table(cutting[i], table, (pj_render_opts){.max_rows = 3}, &out);
        assert_non_null(strstr(out.at, "3 of 2000 rows"));
    }
}

/// LaTeX's special characters stand alone only where this renderer writes them itself.
static void latex_escapes_what_is_special(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(3);
    pj_auto_buf out = {0};
    pj_render_table(&pj_renderer_tex, table, (pj_render_opts){0}, &out);
    assert_non_null(strstr(out.at, "100 \\% of \\$5\\_000 \\#1 \\{braces\\} \\textasciitilde{}"
                                   "tilde\\textasciicircum{}"));
    assert_non_null(strstr(out.at, "\\textless{}b\\textgreater{}bold"));
    assert_null(strstr(out.at, "\n\n")); // an empty line would end the paragraph inside the table
}

static void markdown_rows_have_one_line_each(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(3);
    pj_auto_buf out = {0};
    pj_render_table(&pj_renderer_md, table, (pj_render_opts){0}, &out);
    size_t lines = 0;
    for (pj_str rest = pj_buf_str(&out); rest.len;)
        lines += pj_str_starts(pj_str_cut(&rest, '\n'), PJ_S("| "));
    assert_int_equal(lines, table->row_count + 1);
    assert_non_null(strstr(out.at, "\\| pipe \\| table \\| \\\\ backslash"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_renderer_writes_valid_text_for_every_table),
        cmocka_unit_test(an_interrupt_ends_the_rows),
        cmocka_unit_test(renderers_are_found_by_name),
        cmocka_unit_test(csv_reads_back_to_the_same_table),
        cmocka_unit_test(json_holds_every_value_and_reason),
        cmocka_unit_test(html_is_well_formed_and_says_every_text),
        cmocka_unit_test(text_stays_inside_the_terminal),
        cmocka_unit_test(text_never_passes_on_control_characters),
        cmocka_unit_test(sentences_are_told_whole_beside_numbers),
        cmocka_unit_test(cut_tables_say_what_is_missing),
        cmocka_unit_test(latex_escapes_what_is_special),
        cmocka_unit_test(markdown_rows_have_one_line_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
