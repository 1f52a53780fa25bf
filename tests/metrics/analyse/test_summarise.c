// Summaries are taken only while they stand for their trace.
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/trace_files.h"

#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/read/summary/summary.h"
#include "metrics/run/regions.h"
#include "metrics/stat/bracket.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

/// A trace of its own in a folder of its own.
typedef struct folder {
    char path[64];
    char trace[96], names[96], summary[128];
    pj_job job;
} folder;

static void copy(const char *from, const char *to)
{
    pj_auto_buf bytes = {0};
    assert_true(pj_file_read(from, &bytes, NULL));
    assert_true(pj_newfile_put(to, pj_buf_str(&bytes), NULL));
}

static int make_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);
    snprintf(f->path, sizeof f->path, "/tmp/pj_summariseXXXXXX");
    if (!mkdtemp(f->path))
        return -1;
    snprintf(f->trace, sizeof f->trace, "%s/run.prv.gz", f->path);
    snprintf(f->names, sizeof f->names, "%s/run.pcf", f->path);
    snprintf(f->summary, sizeof f->summary, "%s.popinjay.json.gz", f->trace);
    copy(PJ_SOURCE_DIR "/notebooks/traces/hybrid_2x8.prv.gz", f->trace);
    copy(PJ_SOURCE_DIR "/notebooks/traces/hybrid_2x8.pcf", f->names);
    f->job.workers = 1;
    *state = f;
    return 0;
}

static int drop_folder(void **state)
{
    folder *f = *state;
    unlink(f->trace);
    unlink(f->names);
    unlink(f->summary);
    int left = rmdir(f->path); // nothing else was left behind
    free(f);
    return left;
}

static void summarise(folder *f, pj_load_opts opts)
{
    pj_err err = {0};
    pj_auto_run run = NULL;
    if (!pj_summarise(f->trace, f->summary, opts, &f->job, &run, &err))
        fail_msg("%s", err.text);
}

static pj_summary_state look(folder *f, pj_load_opts opts)
{
    pj_err err = {0};
    pj_summary_state state;
    pj_auto_run run = pj_summarise_find(f->summary, f->trace, &opts, &f->job, &state, &err);
    assert_int_equal(err.code, PJ_E_NONE);
    assert_int_equal(run != NULL, state == PJ_SUMMARY_FRESH);
    return state;
}

static pj_run *load(folder *f, const char *path, pj_load_opts opts)
{
    pj_err err = {0};
    pj_run *run = pj_load(path, opts, &f->job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

/// Another byte in the place of the last, the times of the file as they were.
static void tamper(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -1, SEEK_END);
    int last = fgetc(file);
    fseek(file, -1, SEEK_END);
    fputc(last ^ 1, file);
    fclose(file);
    struct timespec times[] = {info.st_atim, info.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void places_of_summaries(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    assert_string_equal(pj_trace_files_summary("a/run.prv.gz", NULL, arena),
                        "a/run.prv.gz.popinjay.json.gz");
    assert_string_equal(pj_trace_files_summary("a/run.prv", "out", arena),
                        "out/run.prv.popinjay.json.gz");
    assert_string_equal(pj_trace_files_summary("big/traces.otf2", "out", arena),
                        "out/big.otf2.popinjay.json.gz");
}

static void what_has_changed_is_seen(void **state)
{
    folder *f = *state;
    const pj_load_opts plain = {0}, whole = {.roi = {.kind = PJ_ROI_OFF}};
    assert_int_equal(look(f, plain), PJ_SUMMARY_ABSENT);
    summarise(f, plain);
    assert_int_equal(look(f, plain), PJ_SUMMARY_FRESH);
    assert_int_equal(look(f, whole), PJ_SUMMARY_OTHER_OPTIONS);
    tamper(f->names);
    assert_int_equal(look(f, plain), PJ_SUMMARY_OTHER_BYTES);
    tamper(f->names);
    assert_int_equal(look(f, plain), PJ_SUMMARY_FRESH);
    tamper(f->trace);
    assert_int_equal(look(f, plain), PJ_SUMMARY_OTHER_BYTES);
    tamper(f->trace);
    assert_true(pj_newfile_put(f->summary, PJ_S("{\"popinjay_summary\": 1}"), NULL));
    assert_int_equal(look(f, plain), PJ_SUMMARY_UNREADABLE);
}

/// The summary as a file of version 1, whose numbers may mean something else.
static void make_old(const char *path)
{
    static const char then[] = "\"popinjay_summary\": 1";
    char now[64];
    snprintf(now, sizeof now, "\"popinjay_summary\": %d", PJ_SUMMARY_VERSION);
    pj_auto_buf text = {0};
    char piece[4096];
    gzFile file = gzopen(path, "rb");
    for (int n; (n = gzread(file, piece, sizeof piece)) > 0;)
        pj_buf_add(&text, (pj_str){piece, (size_t)n});
    gzclose(file);
    char *at = strstr(text.at, now);
    if (!at)
        fail_msg("no version in %.60s", text.at);
    memcpy(at, then, sizeof then - 1);
    assert_true(pj_newfile_put(path, pj_buf_str(&text), NULL));
}

static void an_old_one_does_not_stand_for_its_trace(void **state)
{
    folder *f = *state;
    summarise(f, (pj_load_opts){0});
    make_old(f->summary);
    assert_int_equal(look(f, (pj_load_opts){0}), PJ_SUMMARY_OLD);
    pj_auto_run read = load(f, f->trace, (pj_load_opts){0});
    assert_null(read->provenance);
    pj_auto_run alone = load(f, f->summary, (pj_load_opts){0});
    assert_int_equal(alone->provenance->version, 1);
}

static void a_fresh_one_stands_for_its_trace(void **state)
{
    folder *f = *state;
    summarise(f, (pj_load_opts){.tag = "night"});
    pj_auto_run taken = load(f, f->trace, (pj_load_opts){0});
    assert_non_null(taken->provenance);
    assert_string_equal(taken->path, f->trace);
    assert_string_equal(taken->name, "run");
    assert_string_equal(taken->format, "prv");
    assert_string_equal(taken->tag, "night");
    pj_auto_run renamed = load(f, f->trace, (pj_load_opts){.tag = "day"});
    assert_string_equal(renamed->tag, "day");
    pj_auto_run regions = load(f, f->trace, (pj_load_opts){.aspects = PJ_WANT(openmp_regions)});
    assert_non_null(regions->provenance);
    assert_true(regions->openmp_regions->count > 0);
    pj_auto_run read = load(f, f->trace, (pj_load_opts){.ignore_summary = true});
    assert_null(read->provenance);
    assert_int_equal(read->file_bytes, taken->file_bytes);
    assert_int_equal(read->text_bytes, taken->text_bytes);
}

static void what_it_lacks_comes_from_the_trace(void **state)
{
    folder *f = *state;
    pj_bracket bracket;
    summarise(f, (pj_load_opts){0});
    pj_sink listener = pj_bracket_sink(&bracket);
    pj_auto_run heard =
        load(f, f->trace, (pj_load_opts){.listeners = &listener, .listener_count = 1});
    assert_null(heard->provenance);
    pj_err err = {0};
    pj_run *deaf = pj_load(f->summary, (pj_load_opts){.listeners = &listener, .listener_count = 1},
                           &f->job, &err);
    listener.close(listener.self);
    assert_null(deaf);
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "run.prv.gz"));
    pj_auto_run slow = load(f, f->trace, (pj_load_opts){.network = {.latency_ns = 1000}});
    assert_null(slow->provenance);
    pj_auto_run part = load(f, f->trace, (pj_load_opts){.roi = {.kind = PJ_ROI_OFF}});
    assert_null(part->provenance);
}

static void a_stale_one_is_said(void **state)
{
    folder *f = *state;
    summarise(f, (pj_load_opts){0});
    tamper(f->names);
    pj_auto_run run = load(f, f->trace, (pj_load_opts){0});
    assert_null(run->provenance);
    bool said = false;
    for (size_t i = 0; i < run->remarks.count; i++)
        said |= strstr(run->remarks.items[i].text, "made from other bytes") != NULL;
    assert_true(said);
}

static void grow(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    FILE *file = fopen(context, "ab");
    assert_non_null(file);
    fputc('\n', file);
    fclose(file);
}

static void a_trace_that_changes_meanwhile_is_refused(void **state)
{
    folder *f = *state;
    pj_job job = {.workers = 1, .progress = grow, .progress_context = f->trace};
    pj_err err = {0};
    pj_auto_run run = NULL;
    assert_false(pj_summarise(f->trace, f->summary, (pj_load_opts){0}, &job, &run, &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_non_null(strstr(err.text, "changed while it was read"));
    assert_int_not_equal(access(f->summary, F_OK), 0);
}

static void a_full_disk_is_said(void **state)
{
    folder *f = *state;
    pj_err err = {0};
    pj_auto_run run = NULL;
    if (access("/dev/full", W_OK) != 0) {
        print_message("this system has no /dev/full\n");
        skip();
    }
    assert_false(pj_summarise(f->trace, "/dev/full", (pj_load_opts){0}, &f->job, &run, &err));
    assert_int_equal(err.code, PJ_E_IO);
}

static void a_summary_is_not_summarised(void **state)
{
    folder *f = *state;
    pj_err err = {0};
    pj_auto_run run = NULL;
    summarise(f, (pj_load_opts){0});
    assert_false(pj_summarise(f->summary, f->summary, (pj_load_opts){0}, &f->job, &run, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

static void one_elsewhere_is_taken_while_it_is_of_the_trace(void **state)
{
    folder *f = *state;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *kept = pj_arena_format(arena, "%s/kept", f->path);
    const char *at = pj_trace_files_summary(f->trace, kept, arena);
    pj_load_opts opts = {.summaries = kept};
    pj_err err = {0};
    pj_provenance origin;
    assert_int_equal(mkdir(kept, 0700), 0);
    pj_auto_run read = load(f, f->trace, opts);
    assert_null(read->provenance);
    assert_true(pj_summarise_origin(f->trace, &opts, &f->job, arena, &origin, &err));
    assert_true(pj_summarise_keep(read, &origin, kept, &err));
    pj_auto_run taken = load(f, f->trace, opts);
    assert_non_null(taken->provenance);
    assert_string_equal(taken->path, f->trace);
    assert_int_equal(taken->remarks.count, read->remarks.count);
    pj_auto_run beside = load(f, f->trace, (pj_load_opts){0});
    assert_null(beside->provenance);
    tamper(f->names); // of another run of this name, it is no wonder
    pj_auto_run other = load(f, f->trace, opts);
    assert_null(other->provenance);
    assert_int_equal(other->remarks.count, read->remarks.count);
    assert_int_equal(unlink(at), 0);
    assert_int_equal(rmdir(kept), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_summaries),
        IN_FOLDER(what_has_changed_is_seen),
        IN_FOLDER(an_old_one_does_not_stand_for_its_trace),
        IN_FOLDER(a_fresh_one_stands_for_its_trace),
        IN_FOLDER(what_it_lacks_comes_from_the_trace),
        IN_FOLDER(a_stale_one_is_said),
        IN_FOLDER(a_trace_that_changes_meanwhile_is_refused),
        IN_FOLDER(a_full_disk_is_said),
        IN_FOLDER(a_summary_is_not_summarised),
        IN_FOLDER(one_elsewhere_is_taken_while_it_is_of_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
