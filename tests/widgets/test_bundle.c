// MIME bundles: every part is there, binary parts decode, sizes hold, hover needs no script.
#include "tests/support/fake_metrics.h"
#include "tests/support/odd_tables.h"
#include "tests/support/xml_check.h"
#include "widgets/bundle.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/figure_uri.h"
#include "widgets/table/table_figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_fake_run runs[] = {{1, 1, NULL, NULL}, {2, 1, NULL, NULL}, {4, 1, NULL, NULL}};

static pj_str part(const pj_bundle *bundle, const char *mime)
{
    json_t *value = json_object_get(bundle->data, mime);
    return (pj_str){json_string_value(value), json_string_length(value)};
}

static size_t bytes_of(const pj_bundle *bundle)
{
    size_t sum = 0;
    const char *mime;
    json_t *value;
    json_object_foreach(bundle->data, mime, value)
    {
        sum += json_string_length(value);
    }
    return sum;
}

static const pj_bundle_opts on_paper = {.id = "test-1", .render = {.paper = true}};

static void a_document_has_every_part(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(runs, 3, (pj_fake_opts){.remarks = true});
    pj_auto_bundle bundle = pj_bundle_metrics(metrics, on_paper);
    static const char *const mimes[] = {"text/plain", "text/html",     "text/latex",
                                        "image/png",  "image/svg+xml", "application/pdf"};
    for (size_t i = 0; i < sizeof mimes / sizeof *mimes; i++)
        assert_true(part(&bundle, mimes[i]).len > 100);
    assert_true(pj_str_starts(part(&bundle, "image/png"), PJ_S("iVBORw0KGgo")));
    assert_true(pj_str_starts(part(&bundle, "application/pdf"), PJ_S("JVBERi")));
    assert_true(pj_xml_good(part(&bundle, "image/svg+xml")));
    pj_metrics_release(metrics);
}

/// A notebook keeps what front ends show; the rest can be made again.
static void a_stored_bundle_is_light(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(runs, 3, (pj_fake_opts){.remarks = true});
    pj_auto_bundle heavy = pj_bundle_metrics(metrics, on_paper);
    pj_auto_bundle light = pj_bundle_metrics(metrics, (pj_bundle_opts){.id = "test-1"});
    assert_int_equal(json_object_size(light.data), 2); // its text says what a PNG would
    assert_true(part(&light, "text/plain").len && part(&light, "text/html").len);
    pj_auto_buf svg = {0};
    assert_true(pj_figure_uri_read(part(&light, "text/html"), &svg));
    assert_true(pj_xml_good(pj_buf_str(&svg)));
    assert_true(4 * bytes_of(&light) < bytes_of(&heavy));
    pj_metrics_release(metrics);
    pj_auto_figure figure = pj_figure_new(400, 300, "Marks");
    pj_auto_bundle plot = {0};
    assert_true(
        pj_bundle_figure(figure, PJ_S("plain"), PJ_S(""), (pj_bundle_opts){0}, &plot, NULL));
    assert_int_equal(json_object_size(plot.data), 3);
    assert_true(part(&plot, "image/png").len > 0);
}

static void the_png_is_twice_as_large_as_its_metadata_say(void **state)
{
    (void)state;
    const pj_draw *draw = pj_draw_open(NULL);
    assert_non_null(draw);
    pj_metrics *metrics = pj_fake_metrics(runs, 3, (pj_fake_opts){0});
    pj_auto_figure figure = pj_table_figure(metrics, (pj_palette){0}, draw);
    pj_auto_bundle bundle = {0};
    assert_true(
        pj_bundle_figure(figure, PJ_S("plain"), PJ_S(""), (pj_bundle_opts){0}, &bundle, NULL));
    json_t *sizes = json_object_get(bundle.metadata, "image/png");
    pj_auto_buf png = {0};
    assert_true(pj_figure_file(figure, PJ_S("png"), NULL, &png, NULL));
    const unsigned char *head = (const unsigned char *)png.at;
    json_int_t width = head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19];
    json_int_t height = head[20] << 24 | head[21] << 16 | head[22] << 8 | head[23];
    assert_int_equal(json_integer_value(json_object_get(sizes, "width")) * 2, width);
    assert_int_equal(json_integer_value(json_object_get(sizes, "height")) * 2, height);
    assert_true(pj_str_equal(part(&bundle, "text/plain"), PJ_S("plain")));
    pj_metrics_release(metrics);
}

static void hover_texts_are_in_map_and_boxes(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(runs, 3, (pj_fake_opts){0});
    pj_auto_bundle bundle = pj_bundle_metrics(metrics, (pj_bundle_opts){.id = "one"});
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div>");
    pj_buf_add(&html, part(&bundle, "text/html"));
    pj_buf_puts(&html, "</div>");
    pj_str text = pj_buf_str(&html);
    assert_true(pj_xml_good(text));
    assert_true(pj_xml_count(text, "div", "title") > 40);
    assert_int_equal(pj_xml_count(text, "area", "title"), 0); // one layer of hover texts
    assert_int_equal(pj_xml_count(text, "img", "alt"), 1);
    assert_true(pj_xml_says(text, "alt", "Efficiency table of 3 runs"));
    assert_true(pj_xml_says(text, "title", metrics->set->rows[1].explanation));
    pj_metrics_release(metrics);
}

static void ids_differ_unless_they_are_given(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(runs, 1, (pj_fake_opts){0});
    pj_auto_bundle a = pj_bundle_metrics(metrics, (pj_bundle_opts){0});
    pj_auto_bundle b = pj_bundle_metrics(metrics, (pj_bundle_opts){0});
    assert_false(pj_str_equal(part(&a, "text/html"), part(&b, "text/html")));
    pj_metrics_release(metrics);
}

/// A figure with `count` hot spots.
static pj_figure *busy_figure(size_t count)
{
    pj_figure *figure = pj_figure_new(1200, 1200, "busy");
    figure->summary = "many points";
    for (size_t i = 0; i < count; i++)
        pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_DISC,
                                        .x = (double)(i * 37 % 1200),
                                        .y = (double)(i * 91 % 1200),
                                        .w = 4,
                                        .fill = 0x3366ccff,
                                        .hover = "rank: 17\ninstructions: 93,158,874,793"});
    return figure;
}

static void two_thousand_hot_spots_stay_small(void **state)
{
    (void)state;
    pj_auto_figure figure = busy_figure(2000);
    pj_auto_bundle bundle = {0};
    assert_true(
        pj_bundle_figure(figure, PJ_S("x\n"), PJ_S(""), (pj_bundle_opts){0}, &bundle, NULL));
    assert_true(part(&bundle, "text/html").len > 0);
    assert_true(bytes_of(&bundle) <= PJ_BUNDLE_MOST_BYTES);
}

static void a_bundle_that_would_be_too_large_is_png_with_a_remark(void **state)
{
    (void)state;
    pj_auto_figure figure = busy_figure(20000);
    pj_auto_bundle bundle = {0};
    assert_true(
        pj_bundle_figure(figure, PJ_S("x\n"), PJ_S(""), (pj_bundle_opts){0}, &bundle, NULL));
    assert_int_equal(part(&bundle, "text/html").len, 0);
    assert_int_equal(part(&bundle, "image/svg+xml").len, 0);
    assert_true(part(&bundle, "image/png").len > 0);
    assert_true(pj_str_contains(part(&bundle, "text/plain"), PJ_S("shown as PNG alone")));
}

/// Front ends that find svg without pdf fail to print.
static void svg_never_comes_without_pdf(void **state)
{
    (void)state;
    for (size_t count = 100; count < 30000; count *= 3) {
        pj_auto_figure figure = busy_figure(count);
        pj_auto_bundle bundle = {0}, light = {0};
        assert_true(pj_bundle_figure(figure, PJ_S(""), PJ_S(""), on_paper, &bundle, NULL));
        assert_true(
            pj_bundle_figure(figure, PJ_S(""), PJ_S(""), (pj_bundle_opts){0}, &light, NULL));
        assert_true(part(&bundle, "image/svg+xml").len > 0);
        assert_true(part(&bundle, "application/pdf").len > 0);
        assert_int_equal(part(&light, "image/svg+xml").len, 0);
        assert_true(bytes_of(&light) <= PJ_BUNDLE_MOST_BYTES);
    }
}

static void a_large_efficiency_table_is_html_without_its_picture(void **state)
{
    (void)state;
    pj_fake_run many[160];
    for (uint32_t i = 0; i < 160; i++)
        many[i] = (pj_fake_run){i + 1, 1, NULL, NULL};
    pj_metrics *metrics = pj_fake_metrics(many, 160, (pj_fake_opts){.set = "hybrid"});
    pj_auto_bundle bundle = pj_bundle_metrics(metrics, (pj_bundle_opts){0});
    assert_true(pj_xml_says(part(&bundle, "text/html"), "title", "run_160x1"));
    assert_int_equal(pj_xml_count(part(&bundle, "text/html"), "img", NULL), 0);
    assert_true(bytes_of(&bundle) <= PJ_BUNDLE_MOST_BYTES);
    pj_metrics_release(metrics);
}

static void table_bundles_have_latex_on_paper(void **state)
{
    (void)state;
    for (size_t i = 0;; i++) {
        pj_auto_table table = pj_odd_table(i);
        if (!table)
            break;
        pj_auto_bundle bundle = pj_bundle_table(table, on_paper);
        pj_auto_bundle light = pj_bundle_table(table, (pj_bundle_opts){0});
        assert_true(part(&bundle, "text/plain").len > 0);
        assert_true(part(&bundle, "text/latex").len > 0);
        assert_int_equal(json_object_size(light.data), 2);
        assert_true(pj_xml_good(part(&bundle, "text/html")));
        assert_true(bytes_of(&bundle) < PJ_BUNDLE_MOST_BYTES);
    }
}

static void pictures_of_the_same_figure_have_the_same_bytes(void **state)
{
    (void)state;
    pj_auto_figure figure = busy_figure(50);
    for (size_t i = 0; pj_figure_format_at(i); i++) {
        pj_auto_buf a = {0}, b = {0};
        assert_true(pj_figure_file(figure, pj_str_of(pj_figure_format_at(i)), NULL, &a, NULL));
        assert_true(pj_figure_file(figure, pj_str_of(pj_figure_format_at(i)), NULL, &b, NULL));
        assert_true(pj_str_equal(pj_buf_str(&a), pj_buf_str(&b)));
    }
    pj_err err = {0};
    pj_auto_buf out = {0};
    assert_false(pj_figure_file(figure, PJ_S("bmp"), NULL, &out, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_has_every_part),
        cmocka_unit_test(a_stored_bundle_is_light),
        cmocka_unit_test(the_png_is_twice_as_large_as_its_metadata_say),
        cmocka_unit_test(hover_texts_are_in_map_and_boxes),
        cmocka_unit_test(ids_differ_unless_they_are_given),
        cmocka_unit_test(two_thousand_hot_spots_stay_small),
        cmocka_unit_test(a_bundle_that_would_be_too_large_is_png_with_a_remark),
        cmocka_unit_test(svg_never_comes_without_pdf),
        cmocka_unit_test(a_large_efficiency_table_is_html_without_its_picture),
        cmocka_unit_test(table_bundles_have_latex_on_paper),
        cmocka_unit_test(pictures_of_the_same_figure_have_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
