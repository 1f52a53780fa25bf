// A plain table as a figure: everything lies inside, numbers stand right, what is left out is said.
#include "tests/support/odd_tables.h"
#include "widgets/figure/figure_file.h"
#include "widgets/table/part_bar.h"
#include "widgets/table/table_picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_draw *draw;

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static const pj_mark *find_text(const pj_figure *figure, const char *part)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strstr(figure->marks[i].text, part))
            return &figure->marks[i];
    return NULL;
}

static void check_inside(const pj_figure *figure)
{
    static const double share[] = {0, 0.5, 1};
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        double width = mark->kind == PJ_MARK_RECT ? mark->w : 0;
        if (mark->kind == PJ_MARK_TEXT)
            width = draw->measure(mark->text, mark->size, mark->bold).width;
        double left = mark->x - (mark->kind == PJ_MARK_TEXT ? share[mark->anchor] * width : 0);
        assert_true(left >= 0 && left + width <= figure->width + 1);
        assert_true(mark->y >= 0 && mark->y <= figure->height);
    }
}

static void every_odd_table_lies_inside_its_picture(void **state)
{
    (void)state;
    for (size_t t = 0;; t++) {
        pj_auto_table table = pj_odd_table(t);
        if (!table)
            break;
        pj_auto_figure figure = pj_table_picture(table, draw, NULL);
        check_inside(figure);
        assert_true(figure->height < 16000);
        pj_auto_buf svg = {0};
        assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    }
}

static pj_table *two_columns(void)
{
    pj_table *table = pj_table_new("Times");
    pj_table_add_column(table, (pj_column){.key = "name", .title = "Name", .text = true});
    pj_table_add_column(table, (pj_column){.key = "time", .title = "Time", .unit = PJ_UNIT_NS});
    return table;
}

static void numbers_stand_right_and_texts_left(void **state)
{
    (void)state;
    pj_auto_table table = two_columns();
    for (int i = 0; i < 3; i++) {
        pj_cell *row = pj_table_add_row(table);
        row[0] = pj_cell_text("short");
        row[1] = pj_cell_int(i == 2 ? 1234567 : 1000000 * (1 + 99 * i));
    }
    pj_auto_figure figure = pj_table_picture(table, draw, NULL);
    const pj_mark *small = find_text(figure, "1.0"), *large = find_text(figure, "100.0");
    const pj_mark *name = find_text(figure, "short");
    assert_true(small && large && name && find_text(figure, "Time [ms]"));
    assert_int_equal(small->anchor, PJ_ANCHOR_END);
    assert_true(small->x == large->x);
    assert_int_equal(name->anchor, PJ_ANCHOR_START);
    bool exact = false;
    for (size_t i = 0; i < figure->mark_count; i++)
        exact = exact || (figure->marks[i].hover && strstr(figure->marks[i].hover, "1,234,567 ns"));
    assert_true(exact);
}

static const pj_mark *find_fill(const pj_figure *figure, pj_colour fill)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].kind == PJ_MARK_RECT && figure->marks[i].fill == fill)
            return &figure->marks[i];
    return NULL;
}

static void parts_of_a_whole_have_bars(void **state)
{
    (void)state;
    pj_auto_table table = pj_table_new("Parts");
    pj_table_add_column(table, (pj_column){.key = "part", .title = "%", .unit = PJ_UNIT_PERCENT});
    static const struct {
        double percent;
        pj_tone tone;
    } parts[] = {{60, PJ_TONE_WORK}, {30, PJ_TONE_WAIT}, {0, PJ_TONE_BUILTIN}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        pj_cell *cell = pj_table_add_row(table);
        *cell = pj_cell_real(parts[i].percent);
        cell->tone = parts[i].tone;
    }
    pj_auto_figure figure = pj_table_picture(table, draw, NULL);
    const pj_mark *work = find_fill(figure, pj_part_bar_of(PJ_TONE_WORK).colour);
    const pj_mark *wait = find_fill(figure, pj_part_bar_of(PJ_TONE_WAIT).colour);
    assert_true(work && wait);
    assert_true(fabs(work->w - 2 * wait->w) < 1e-9);
    const pj_mark *said = find_text(figure, "communication and waiting");
    assert_true(said && said->y < figure->height);
    assert_true(find_fill(figure, pj_part_bar_of(PJ_TONE_BUILTIN).colour)->y > work->y + work->h);
}

static void long_tables_say_what_is_not_drawn(void **state)
{
    (void)state;
    pj_auto_table table = two_columns();
    table->note = "first line\nsecond line";
    for (int i = 0; i < PJ_PICTURE_ROWS + 7; i++)
        pj_table_add_row(table)[0] = pj_cell_text(i == PJ_PICTURE_ROWS ? "beyond" : "within");
    *pj_table_cell(table, 0, 1) = pj_cell_empty("no clock");
    pj_auto_figure figure = pj_table_picture(table, draw, NULL);
    assert_non_null(find_text(figure, "500 of 507 rows"));
    assert_null(find_text(figure, "beyond"));
    assert_non_null(find_text(figure, "no clock"));
    assert_true(find_text(figure, "second line")->y > find_text(figure, "first line")->y);
}

static void sentences_are_wrapped_and_wide_tables_end(void **state)
{
    (void)state;
    pj_auto_table table = pj_table_new("wide");
    for (int i = 0; i < 100; i++)
        pj_table_add_column(table, (pj_column){.key = "k", .title = "A column with a long title"});
    pj_table_add_row(table);
    pj_auto_figure wide = pj_table_picture(table, draw, NULL);
    assert_true(wide->width <= PJ_PICTURE_WIDTH + 100);
    assert_non_null(find_text(wide, "of 100 columns"));
    pj_auto_table sentence = pj_table_new("sentence");
    pj_table_add_column(sentence, (pj_column){.key = "text", .title = "Text", .text = true});
    pj_auto_buf words = {0};
    for (int i = 0; i < 60; i++)
        pj_buf_puts(&words, "word and ");
    pj_table_add_row(sentence)[0] = pj_cell_text(words.at);
    pj_auto_figure wrapped = pj_table_picture(sentence, draw, NULL);
    assert_true(wrapped->width < 700);
    check_inside(wrapped);
}

static void long_titles_push_the_rows_down(void **state)
{
    (void)state;
    pj_auto_table table = two_columns();
    pj_auto_figure plain = pj_table_picture(table, draw, NULL);
    table->title = "Times of the solver on both partitions, with every message that it sent and "
                   "received, and of everything else that the program did meanwhile, one by one";
    pj_auto_figure figure = pj_table_picture(table, draw, NULL);
    const pj_mark *end = find_text(figure, "one by one");
    assert_non_null(end);
    assert_true(find_text(figure, "Name")->y > end->y);
    assert_true(figure->height > plain->height + 10);
    check_inside(figure);
}

static void laying_out_ends_at_a_stop(void **state)
{
    (void)state;
    pj_auto_table table = two_columns();
    pj_table_add_row(table)[0] = pj_cell_text("shown");
    atomic_bool stop = true;
    pj_auto_figure whole = pj_table_picture(table, draw, NULL);
    pj_auto_figure figure = pj_table_picture(table, draw, &stop);
    assert_non_null(find_text(whole, "shown"));
    assert_null(find_text(figure, "shown"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_odd_table_lies_inside_its_picture),
        cmocka_unit_test(numbers_stand_right_and_texts_left),
        cmocka_unit_test(parts_of_a_whole_have_bars),
        cmocka_unit_test(long_tables_say_what_is_not_drawn),
        cmocka_unit_test(sentences_are_wrapped_and_wide_tables_end),
        cmocka_unit_test(long_titles_push_the_rows_down),
        cmocka_unit_test(laying_out_ends_at_a_stop),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
