// Scaling models: what made series are made of, what Extra-P and BSC's forms give on real ones.
#include "metrics/pop/curve_choice.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "tests/support/csv.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/"

enum { POINTS_MAX = 8 };

/// A series that holds its numbers.
typedef struct points {
    double p[POINTS_MAX], value[POINTS_MAX];
    size_t count;
} points;

static pj_points series_of(const points *from)
{
    return (pj_points){from->p, from->value, from->count};
}

static void assert_within(const char *what, double got, double expected, double relative,
                          double absolute)
{
    if (!(fabs(got - expected) <= fmax(relative * fabs(expected), absolute)))
        fail_msg("%s: %.15g, expected %.15g", what, got, expected);
}

static void assert_close(const char *what, double got, double expected, double relative)
{
    assert_within(what, got, expected, relative, 1e-300);
}

static double largest(const points *from)
{
    double most = 0;
    for (size_t i = 0; i < from->count; i++)
        most = fmax(most, from->value[i]);
    return most;
}

static points made_of(double c0, double c1, double a, int b)
{
    points made = {.p = {2, 4, 8, 16, 32, 64}, .count = 6};
    for (size_t i = 0; i < made.count; i++)
        made.value[i] = c0 + c1 * pow(made.p[i], a) * pow(log2(made.p[i]), b);
    return made;
}

static void exact_series_give_their_terms(void **state)
{
    (void)state;
    static const struct {
        double a;
        int b;
    } terms[] = {{0, 1}, {0, 2}, {0.25, 0}, {0.5, 1}, {1, 0}, {1, 2}, {2, 0}, {3, 1}};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            double a = sign * terms[i].a;
            int b = sign * terms[i].b;
            points made = made_of(200, 3000, a, b);
            pj_points series = series_of(&made);
            pj_curve_choice choice = pj_curve_choose_pmnf(&series, sign < 0);
            assert_int_equal(choice.best.curve.form, PJ_CURVE_PMNF);
            assert_true(choice.best.curve.a == a && choice.best.curve.b == b);
            assert_close("c0", choice.best.curve.c0, 200, 1e-6);
            assert_close("c1", choice.best.curve.c1, 3000, 1e-6);
            assert_close("R2", choice.best.adjusted_r2, 1, 1e-9);
        }
}

static void the_same_value_everywhere_is_a_constant(void **state)
{
    (void)state;
    points made = made_of(42, 0, 1, 0);
    pj_points series = series_of(&made);
    pj_curve_choice choice = pj_curve_choose_pmnf(&series, true);
    assert_int_equal(choice.best.curve.form, PJ_CURVE_CONSTANT);
    assert_close("c0", choice.best.curve.c0, 42, 0);
    assert_int_equal(choice.rival_count, 0);
}

static void another_unit_changes_coefficients_alone(void **state)
{
    (void)state;
    points made = {.p = {1, 2, 4, 8, 16}, .value = {21.9, 11.8, 6.2, 3.9, 2.4}, .count = 5};
    points times = made;
    for (size_t i = 0; i < times.count; i++)
        times.value[i] *= 7;
    pj_points first = series_of(&made), second = series_of(&times);
    pj_curve_choice one = pj_curve_choose_pmnf(&first, true);
    pj_curve_choice seven = pj_curve_choose_pmnf(&second, true);
    assert_true(seven.best.curve.a == one.best.curve.a && seven.best.curve.b == one.best.curve.b);
    assert_close("c0", seven.best.curve.c0, 7 * one.best.curve.c0, 1e-12);
    assert_close("c1", seven.best.curve.c1, 7 * one.best.curve.c1, 1e-12);
    assert_close("SMAPE", seven.best.smape, one.best.smape, 1e-12);
    assert_int_equal(seven.rival_count, one.rival_count);
}

static void factors_give_back_their_coefficients(void **state)
{
    (void)state;
    points amdahl = {.p = {1, 2, 4, 8, 16}, .count = 5}, pipe = amdahl;
    for (size_t i = 0; i < amdahl.count; i++) {
        double p = amdahl.p[i];
        amdahl.value[i] = 0.97 / (0.98 + 0.02 * p);
        pipe.value[i] = 0.97 * p / (0.4 + 0.6 * (2 * p - 1));
    }
    pj_points first = series_of(&amdahl), second = series_of(&pipe);
    pj_judged_curve got = pj_curve_choose_factor(&first).best;
    assert_int_equal(got.curve.form, PJ_CURVE_AMDAHL);
    assert_close("x0", got.curve.c0, 0.97, 1e-7);
    assert_close("f", got.curve.c1, 0.98, 1e-7);
    got = pj_curve_choose_factor(&second).best;
    assert_int_equal(got.curve.form, PJ_CURVE_PIPE);
    assert_close("x0", got.curve.c0, 0.97, 1e-7);
    assert_close("f", got.curve.c1, 0.6, 1e-7);
}

/// Better than the form allows: f stays within 0 and 1.
static void coefficients_keep_their_borders(void **state)
{
    (void)state;
    points made = {.p = {1, 2, 4, 8}, .value = {1, 1.1, 1.2, 1.3}, .count = 4};
    pj_points series = series_of(&made);
    pj_curve got = pj_curve_fit((pj_curve){.form = PJ_CURVE_AMDAHL}, &series, PJ_ALL_POINTS);
    assert_true(got.c1 == 1);
}

/// Means of a line of measurements.
static double mean_of(pj_str line)
{
    double sum = 0, value;
    size_t count = 0;
    for (line = pj_str_trim(line); line.len; line = pj_str_trim(line)) {
        pj_str word = pj_str_cut(&line, ' ');
        assert_true(pj_parse_double(pj_str_trim(word), &value));
        sum += value;
        count++;
    }
    assert_true(count > 0);
    return sum / (double)count;
}

/// "POINTS ( 20 )", "POINTS (1000) (2000)", "POINTS 1000 2000".
static void read_sizes(pj_str line, points *out)
{
    pj_str_cut(&line, ' ');
    for (line = pj_str_trim(line); line.len; line = pj_str_trim(line)) {
        pj_str word = pj_str_cut(&line, ' ');
        while (word.len && (*word.at == '(' || *word.at == ' '))
            word = pj_str_from(word, 1);
        while (word.len && word.at[word.len - 1] == ')')
            word.len--;
        if (word.len)
            assert_true(pj_parse_double(word, &out->p[out->count++]));
    }
}

/// The series of a region and a metric of one of Extra-P's text files.
static bool read_extrap(const char *name, pj_str region, pj_str metric, points *out)
{
    pj_auto_buf text = {.at = NULL}, path = {.at = NULL};
    pj_buf_addf(&path, REFERENCE "causes/extrap/%s.txt", name);
    if (!pj_file_read(path.at, &text, NULL))
        return false;
    pj_str rest = pj_buf_str(&text), in_region = {0}, in_metric = {0};
    size_t found = 0;
    *out = (points){.count = 0};
    while (rest.len) {
        pj_str line = pj_str_trim(pj_str_cut(&rest, '\n')), all = line;
        pj_str word = pj_str_cut(&line, ' ');
        if (pj_str_equal(word, PJ_S("POINTS")))
            read_sizes(all, out);
        else if (pj_str_equal(word, PJ_S("REGION")))
            in_region = pj_str_trim(line);
        else if (pj_str_equal(word, PJ_S("METRIC")))
            in_metric = pj_str_trim(line);
        else if (pj_str_equal(word, PJ_S("DATA")) && pj_str_equal(region, in_region) &&
                 pj_str_equal(metric, in_metric))
            out->value[found++] = mean_of(line);
    }
    return found == out->count && found > 0;
}

/// "5/4".
static double fraction(pj_str text)
{
    double above, below = 1;
    pj_str first = pj_str_cut(&text, '/');
    assert_true(pj_parse_double(first, &above));
    assert_true(text.len == 0 || pj_parse_double(text, &below));
    return above / below;
}

static pj_study *epoch_study(void)
{
    static const char *const names[] = {"1", "2", "4", "16"};
    pj_run *runs[4] = {NULL};
    for (size_t i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, REFERENCE "stats_epoch_%sproc.csv", names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            skip();
        }
        runs[i] = made_run_from_stats(path);
        assert_non_null(runs[i]);
    }
    pj_study *study = pj_study_new(runs, 4, (pj_study_opts){.reference = 0}, NULL);
    for (size_t i = 0; i < 4; i++)
        pj_run_release(runs[i]);
    assert_non_null(study);
    return study;
}

static points epoch_points(const char *metric)
{
    pj_auto_study study = epoch_study();
    pj_auto_metrics metrics = pj_metrics_new(pj_metric_set_by_key(PJ_S("mpi-mult")), study,
                                             (pj_metrics_opts){.title = NULL}, NULL);
    assert_non_null(metrics);
    int row = pj_metric_row(metrics->set, pj_str_of(metric));
    assert_true(row >= 0);
    points out = {.p = {1, 2, 4, 16}, .count = 4};
    for (size_t i = 0; i < out.count; i++)
        out.value[i] = pj_metrics_at(metrics, i, (size_t)row).value;
    return out;
}

/// Extra-P was also given a run of EPOCH that is not among the data.
static bool has_points(const csv *table, size_t row)
{
    if (!pj_str_equal(csv_cell(table, row, "data"), PJ_S("epoch_runtime_s")))
        return true;
    print_message("left out: the runtime of EPOCH, whose run on 8 ranks is not there\n");
    return false;
}

static points extrap_points(const csv *table, size_t row)
{
    points out;
    pj_str data = csv_cell(table, row, "data"), region = csv_cell(table, row, "region");
    if (pj_str_equal(data, PJ_S("exact"))) {
        out = (points){.p = {2, 4, 8, 16, 32}, .count = 5};
        double a = fraction(csv_cell(table, row, "exponent"));
        double b = csv_number(table, row, "log_exponent");
        for (size_t i = 0; i < out.count; i++)
            out.value[i] = 200 + 3000 * pow(out.p[i], a) * pow(log2(out.p[i]), b);
        return out;
    }
    char name[64];
    snprintf(name, sizeof name, PJ_STR_FMT, PJ_STR_ARG(data));
    if (!read_extrap(name, region, csv_cell(table, row, "metric"), &out))
        fail_msg("%s has no " PJ_STR_FMT, name, PJ_STR_ARG(region));
    return out;
}

static void compare_extrap(const csv *table, size_t row)
{
    points read = extrap_points(table, row);
    pj_points series = series_of(&read);
    bool negative = pj_str_equal(csv_cell(table, row, "negative_exponents"), PJ_S("yes"));
    bool exact = pj_str_equal(csv_cell(table, row, "data"), PJ_S("exact"));
    pj_judged_curve got = pj_curve_choose_pmnf(&series, negative).best;
    double limit = 1e-9; // twelve digits are written
    assert_close("exponent", got.curve.a, fraction(csv_cell(table, row, "exponent")), 1e-15);
    assert_close("log", got.curve.b, csv_number(table, row, "log_exponent"), 0);
    // Extra-P solves normal equations, whose last digits are those of the largest value.
    double noise = 1e-15 * largest(&read);
    assert_within("constant", got.curve.c0, csv_number(table, row, "constant"), limit, noise);
    double coefficient = csv_number(table, row, "coefficient");
    assert_int_equal(got.curve.form, isnan(coefficient) ? PJ_CURVE_CONSTANT : PJ_CURVE_PMNF);
    if (!isnan(coefficient))
        assert_close("coefficient", got.curve.c1, coefficient, limit);
    if (exact) {
        assert_true(got.smape < 1e-9);
        return;
    }
    assert_close("SMAPE", got.smape, csv_number(table, row, "smape"), 1e-6);
    assert_close("RSS", got.rss, csv_number(table, row, "rss"), 1e-6);
    assert_close("R2", got.adjusted_r2, csv_number(table, row, "adjusted_r2"), 1e-8);
}

static void extrap_gives_the_same(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(REFERENCE "causes/models_extrap.csv", &table);
    for (size_t row = 0; row < table.rows; row++)
        if (has_points(&table, row))
            compare_extrap(&table, row);
    csv_free(&table);
}

static pj_curve_form form_of(pj_str name)
{
    return pj_str_equal(name, PJ_S("amdahl")) ? PJ_CURVE_AMDAHL
           : pj_str_equal(name, PJ_S("pipe")) ? PJ_CURVE_PIPE
                                              : PJ_CURVE_LINEAR;
}

static void factors_of_epoch(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(REFERENCE "causes/models_bsc_epoch.csv", &table);
    for (size_t row = 0; row < table.rows; row++) {
        char metric[64];
        snprintf(metric, sizeof metric, PJ_STR_FMT, PJ_STR_ARG(csv_cell(&table, row, "metric")));
        points read = epoch_points(metric);
        pj_points series = series_of(&read);
        pj_curve shape = {.form = form_of(csv_cell(&table, row, "model"))};
        pj_curve got = pj_curve_fit(shape, &series, PJ_ALL_POINTS);
        assert_close("x0", got.c0, csv_number(&table, row, "x0"), 1e-8);
        assert_close("f", got.c1, csv_number(&table, row, "f"), 1e-7);
        assert_close("RSS", pj_curve_weighted_rss(&got, &series),
                     csv_number(&table, row, "weighted_rss"), 1e-5);
        assert_close("at 64", pj_curve_at(&got, 64), csv_number(&table, row, "at_64"), 2e-6);
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 1; i < series.count; i++) {
            pj_curve left = pj_curve_fit(shape, &series, i);
            low = fmin(low, pj_curve_at(&left, 64));
            high = fmax(high, pj_curve_at(&left, 64));
        }
        assert_close("low", low, csv_number(&table, row, "at_64_loo_min"), 2e-6);
        assert_close("high", high, csv_number(&table, row, "at_64_loo_max"), 2e-6);
    }
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_series_give_their_terms),
        cmocka_unit_test(the_same_value_everywhere_is_a_constant),
        cmocka_unit_test(another_unit_changes_coefficients_alone),
        cmocka_unit_test(factors_give_back_their_coefficients),
        cmocka_unit_test(coefficients_keep_their_borders),
        cmocka_unit_test(extrap_gives_the_same),
        cmocka_unit_test(factors_of_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
