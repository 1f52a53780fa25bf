// What holds for every format of input: each row of readers.def with the samples of tests/samples.
// It recognises them first; it reads them to the same digits with one worker and four, packed and
// from a pipe; cut, damaged, interrupted and without memory it says so, once, or reads on.
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"
#include "metrics/replay/replay.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run_table.h"
#include "metrics/stat/device_sink.h"
#include "metrics/stat/omp_waits_sink.h"
#include "metrics/stat/useful.h"
#include "tests/support/folder.h"
#include "tests/support/packed.h"
#include "tests/support/profile/same_profiles.h"
#include "tests/support/rounds.h"
#include "tests/support/samples.h"
#include "tests/support/trace/same_runs.h"

#include "metrics/base/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { BUDGET = 256 << 20 };

/// What came of reading: a run, a profile, or why not.
typedef struct outcome {
    pj_run *run;
    pj_profile *profile;
    pj_err err;
} outcome;

static void forget(outcome *out)
{
    pj_run_release(out->run);
    pj_profile_release(out->profile);
}

static bool is_read(const outcome *out)
{
    return out->run || out->profile;
}

static pj_run *read_run(const char *path, pj_job *job, pj_err *err)
{
    pj_replay_opts replay = {.job = job, .waits = true, .history = PJ_HISTORY};
    pj_sink sinks[] = {pj_useful_sink(), pj_device_sink(), pj_omp_waits_sink(),
                       pj_replay_sink(replay)};
    enum { SINKS = sizeof sinks / sizeof *sinks };
    pj_auto_run run = pj_run_new(path);
    pj_pass pass = {.run = run, .sinks = sinks, .sink_count = SINKS, .job = job};
    bool ok = pj_read_file(path, &pass, err);
    for (size_t i = 0; i < SINKS; i++)
        sinks[i].close(sinks[i].self);
    free(pass.disorder);
    free(pass.learnt);
    return ok ? pj_run_hold(run) : NULL;
}

static pj_profile *read_profile(const char *path, pj_job *job, pj_err *err)
{
    pj_auto_build build = pj_build_new(path, job);
    return pj_read_profile(path, job, build, err) ? pj_build_finish(build, err) : NULL;
}

/// Either a result or an error that says something; all memory is given back with the result.
static outcome read_with(const pj_reader *reader, const char *path, pj_job *job)
{
    outcome out = {.err = {.code = PJ_E_NONE}};
    if (pj_reader_gives_trace(reader))
        out.run = read_run(path, job, &out.err);
    else
        out.profile = read_profile(path, job, &out.err);
    if (is_read(&out) != (out.err.code == PJ_E_NONE) || (out.err.code && !out.err.text[0]))
        fail_msg("%s: %s: a result and an error, or neither", reader->name, path);
    return out;
}

static outcome read_once(const pj_reader *reader, const char *path, unsigned workers)
{
    pj_job job = {.workers = workers, .memory_budget = BUDGET};
    return read_with(reader, path, &job);
}

static void same(const outcome *a, const outcome *b)
{
    if (a->err.code != b->err.code)
        fail_msg("once: \"%s\", once: \"%s\"", a->err.text, b->err.text);
    assert_int_equal(a->err.line, b->err.line);
    assert_string_equal(a->err.text, b->err.text);
    assert_int_equal(!a->run, !b->run);
    assert_int_equal(!a->profile, !b->profile);
    if (a->run)
        same_runs(a->run, b->run);
    if (a->profile)
        same_profiles(a->profile, b->profile);
}

/// Reads with 1 and with 4 workers; whether it could be read.
static bool read_alike(const pj_reader *reader, const char *path)
{
    outcome one = read_once(reader, path, 1), four = read_once(reader, path, 4);
    bool read = is_read(&one);
    same(&one, &four);
    forget(&one);
    forget(&four);
    return read;
}

/// Whether the input is one file that may be packed, or come through a pipe.
static bool is_stream(const pj_reader *reader, const pj_sample *sample)
{
    struct stat facts;
    return !reader->several && stat(sample->path, &facts) == 0 && S_ISREG(facts.st_mode);
}

typedef void look(const pj_reader *reader, const pj_samples *samples, const pj_sample *sample);

static void each_sample(look *check)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_auto_samples samples = pj_samples_of(reader);
        for (size_t k = 0; k < samples.count; k++)
            check(reader, &samples, &samples.items[k]);
    }
}

static void every_row_has_a_sample(void **state)
{
    (void)state;
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_auto_samples samples = pj_samples_of(reader);
        if (!samples.count)
            fail_msg("tests/samples/%s holds nothing that the reader recognises", reader->name);
        assert_non_null(reader->title);
        assert_non_null(reader->suffixes);
        assert_true(reader->sniff || reader->sniff_folder);
        assert_true(pj_reader_gives_trace(reader) ? reader->read != NULL : reader->profile != NULL);
    }
}

/// A later row may claim it, too: the order of the rows decides.
static void recognised_first(const pj_reader *reader, const pj_samples *samples,
                             const pj_sample *sample)
{
    (void)samples;
    struct stat facts;
    assert_int_equal(stat(sample->path, &facts), 0);
    pj_job job = {.workers = 1};
    bool folder = S_ISDIR(facts.st_mode);
    pj_source *source = folder ? NULL : pj_source_open(sample->path, &job, NULL);
    const pj_reader *other = NULL;
    for (unsigned i = 0; other != reader && (other = pj_reader_at(i)); i++) {
        bool claims = folder ? other->sniff_folder && other->sniff_folder(sample->path)
                             : other->sniff && other->sniff(pj_source_head(source));
        if (claims != (other == reader))
            fail_msg("%s is %srecognised as a %s", sample->path, claims ? "" : "not ",
                     other->title);
    }
    if (!folder)
        assert_ptr_equal(pj_reader_guess("-", pj_source_head(source)), reader);
    pj_source_close(source);
}

static void each_sample_is_recognised_by_its_row_first(void **state)
{
    (void)state;
    each_sample(recognised_first);
}

static void read_good(const pj_reader *reader, const pj_samples *samples, const pj_sample *sample)
{
    (void)samples;
    outcome out = read_once(reader, sample->path, 1);
    bool refused = reader->gives == PJ_GIVES_ADVICE;
    if (is_read(&out) == refused)
        fail_msg("%s: %s", sample->path, out.err.text);
    if (out.profile) {
        assert_true(out.profile->location_count > 0);
        assert_string_equal(out.profile->format, reader->name);
    }
    forget(&out);
    assert_int_equal(read_alike(reader, sample->path), !refused);
}

static void good_input_is_read_alike_by_any_number_of_workers(void **state)
{
    (void)state;
    each_sample(read_good);
}

static void put(const char *path, pj_str bytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.at ? bytes.at : "", 1, bytes.len, out), bytes.len);
    fclose(out);
}

/// A copy in the folder of this program, under its own name: readers look beside their input.
static const char *copy(const pj_samples *samples, const pj_sample *sample)
{
    return pj_samples_copy(samples, sample, folder_file(""));
}

static void drop(const pj_samples *samples, const pj_sample *sample)
{
    pj_samples_remove(samples, sample, folder_file(""));
}

/// The bytes of an input without its packing.
static void unpack(const char *path, pj_buf *out)
{
    pj_job job = {.workers = 1};
    pj_str bytes;
    pj_source *source = pj_source_open(path, &job, NULL);
    assert_true(pj_source_whole(source, BUDGET, &bytes, NULL));
    pj_buf_add(out, bytes);
    pj_source_close(source);
}

static void read_packed(const pj_reader *reader, const pj_samples *samples, const pj_sample *sample)
{
    if (!is_stream(reader, sample))
        return;
    pj_auto_buf plain = {.at = NULL}, packed = {.at = NULL};
    const char *path = copy(samples, sample);
    unpack(path, &plain);
    packed_gzip(&packed, pj_buf_str(&plain));
    put(path, pj_buf_str(&plain));
    outcome one = read_once(reader, path, 1);
    put(path, pj_buf_str(&packed));
    outcome other = read_once(reader, path, 1);
    same(&one, &other);
    forget(&one);
    forget(&other);
    drop(samples, sample);
}

static void packed_input_is_the_same(void **state)
{
    (void)state;
    each_sample(read_packed);
}

typedef struct pipe_end {
    const char *path;
    pj_str bytes;
} pipe_end;

static void *feed(void *context)
{
    const pipe_end *end = context;
    int fd = open(end->path, O_WRONLY | O_CLOEXEC);
    size_t done = 0;
    for (ssize_t n = 1; fd >= 0 && n > 0 && done<end->bytes.len; done += n> 0 ? (size_t)n : 0)
        n = write(fd, end->bytes.at + done, end->bytes.len - done);
    if (fd >= 0)
        close(fd);
    return NULL;
}

static void read_piped(const pj_reader *reader, const pj_samples *samples, const pj_sample *sample)
{
    if (!is_stream(reader, sample))
        return;
    pj_auto_buf bytes = {.at = NULL};
    assert_true(pj_file_read(sample->path, &bytes, NULL));
    const char *path = copy(samples, sample);
    outcome file = read_once(reader, path, 2);
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t thread;
    pipe_end end = {path, pj_buf_str(&bytes)};
    assert_int_equal(pthread_create(&thread, NULL, feed, &end), 0);
    outcome piped = read_once(reader, path, 2);
    pthread_join(thread, NULL);
    same(&file, &piped);
    forget(&file);
    forget(&piped);
    drop(samples, sample);
}

static void a_pipe_is_as_good_as_a_file(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    each_sample(read_piped);
}

/// Calls `damage` again and again for the bytes of each file of the sample, until it has nothing
/// more to do, and reads what it left.
static void damage_files(const pj_reader *reader, const pj_samples *samples,
                         const pj_sample *sample,
                         bool (*damage)(pj_buf *bytes, pj_str good, unsigned round))
{
    const char *path = copy(samples, sample);
    for (size_t i = 0; i < sample->file_count; i++) {
        const char *name = sample->files[i];
        pj_auto_buf good = {.at = NULL}, bad = {.at = NULL};
        if (pj_str_ends(pj_str_of(name), PJ_S("/")))
            continue;
        const char *file = pj_arena_format(samples->arena, "%s/%s", folder_file(""), name);
        assert_true(pj_file_read(file, &good, NULL));
        for (unsigned round = 0; damage(&bad, pj_buf_str(&good), round); round++) {
            put(file, pj_buf_str(&bad));
            read_alike(reader, path);
        }
        put(file, pj_buf_str(&good));
    }
    drop(samples, sample);
}

/// All lengths of a small file; of a larger one some hundred, the last bytes one by one.
static bool cut(pj_buf *bytes, pj_str good, unsigned round)
{
    enum { SMALL = 600, LAST = 20 };
    const unsigned steps = pj_rounds(150, 3000);
    size_t length = round;
    if (good.len > pj_rounds(SMALL, SMALL))
        length = round < steps ? round * good.len / steps : good.len - LAST + (round - steps);
    bytes->len = 0;
    pj_buf_add(bytes, pj_str_head(good, length));
    return length < good.len;
}

static void read_truncated(const pj_reader *reader, const pj_samples *samples,
                           const pj_sample *sample)
{
    damage_files(reader, samples, sample, cut);
}

static void truncations_are_told_or_read(void **state)
{
    (void)state;
    each_sample(read_truncated);
}

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/// Some bytes flipped, set to extremes or digits; a part left out or doubled.
static bool flip(pj_buf *bytes, pj_str good, unsigned round)
{
    static const char favourites[] = "\0\xff\x7f\x80"
                                     "0123456789:;,.-\n\"{}[]<> ";
    uint32_t seed = round * 77 + 5;
    if (!good.len || round >= pj_rounds(120, 3000))
        return false;
    size_t at = noise(&seed) % good.len, length = noise(&seed) % 40;
    bytes->len = 0;
    pj_buf_add(bytes, pj_str_head(good, at));
    if (noise(&seed) % 3)
        pj_buf_add(bytes, pj_str_from(good, at));
    else
        pj_buf_add(bytes,
                   pj_str_from(good, noise(&seed) % 2 || at < length ? at + length : at - length));
    for (unsigned i = 1 + noise(&seed) % 6; i > 0 && bytes->len; i--)
        bytes->at[noise(&seed) % bytes->len] =
            noise(&seed) % 3 ? favourites[noise(&seed) % (sizeof favourites - 1)]
                             : (char)noise(&seed);
    return true;
}

static void read_damaged(const pj_reader *reader, const pj_samples *samples,
                         const pj_sample *sample)
{
    damage_files(reader, samples, sample, flip);
}

static void damaged_bytes_are_told_or_read(void **state)
{
    (void)state;
    each_sample(read_damaged);
}

static void read_stopped(const pj_reader *reader, const pj_samples *samples,
                         const pj_sample *sample)
{
    (void)samples;
    atomic_bool stop = true;
    pj_job job = {.workers = 2, .memory_budget = BUDGET, .stop = &stop};
    outcome out = read_with(reader, sample->path, &job);
    if (reader->gives != PJ_GIVES_ADVICE && out.err.code != PJ_E_STOPPED)
        fail_msg("%s: read although it was stopped: %s", sample->path, out.err.text);
    forget(&out);
}

static void a_stop_is_obeyed(void **state)
{
    (void)state;
    each_sample(read_stopped);
}

static void read_without_memory(const pj_reader *reader, const pj_samples *samples,
                                const pj_sample *sample)
{
    (void)samples;
    pj_job job = {.workers = 2, .memory_budget = 100};
    outcome out = read_with(reader, sample->path, &job);
    if (reader->gives != PJ_GIVES_ADVICE && out.err.code && out.err.code != PJ_E_MEMORY)
        fail_msg("%s: a tiny budget gives: %s", sample->path, out.err.text);
    forget(&out);
    if (job.memory_used)
        fail_msg("%s: %llu bytes are not given back", sample->path,
                 (unsigned long long)job.memory_used);
}

static void a_tiny_budget_ends_in_an_error_or_a_result(void **state)
{
    (void)state;
    each_sample(read_without_memory);
}

static void read_by_the_other_face(const pj_reader *reader, const pj_samples *samples,
                                   const pj_sample *sample)
{
    (void)samples;
    if (reader->both)
        return;
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_profile *profile = NULL;
    pj_run *run = NULL;
    if (pj_reader_gives_trace(reader))
        profile = read_profile(sample->path, &job, &err);
    else
        run = read_run(sample->path, &job, &err);
    assert_null(profile);
    assert_null(run);
    bool advice = reader->gives == PJ_GIVES_ADVICE; // the same by both
    assert_int_equal(err.code, advice ? PJ_E_FORMAT : PJ_E_USAGE);
    assert_non_null(strstr(err.text, advice ? "which is not read here" : reader->title));
}

static void a_profile_is_no_trace_and_the_message_says_what_it_is(void **state)
{
    (void)state;
    each_sample(read_by_the_other_face);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_sample),
        cmocka_unit_test(each_sample_is_recognised_by_its_row_first),
        cmocka_unit_test(good_input_is_read_alike_by_any_number_of_workers),
        cmocka_unit_test(packed_input_is_the_same),
        cmocka_unit_test(a_pipe_is_as_good_as_a_file),
        cmocka_unit_test(truncations_are_told_or_read),
        cmocka_unit_test(damaged_bytes_are_told_or_read),
        cmocka_unit_test(a_stop_is_obeyed),
        cmocka_unit_test(a_tiny_budget_ends_in_an_error_or_a_result),
        cmocka_unit_test(a_profile_is_no_trace_and_the_message_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
