// Recordings of other tools: each is named with what converts it, and nothing else is taken for
// one.
#include "tests/support/profile/read_profile.h"

#include "metrics/read/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"

static void refuse(pj_str bytes, const char *advice)
{
    pj_err err = {0};
    assert_null(read_profile_bytes("x", bytes, &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    if (!pj_str_contains(pj_str_of(err.text), pj_str_of(advice)))
        fail_msg("not \"%s\" but \"%s\"", advice, err.text);
}

static void files_name_the_converter(void **state)
{
    (void)state;
    refuse(PJ_S("MOJ\x03\x01"
                "austin"),
           "mojo2austin");
    refuse(PJ_S("memray\0\x0b"), "memray transform gprof2dot");
    refuse(PJ_S("PERFILE2\x68"), "perf script");
    refuse(PJ_S("gmon\x01\0\0\0"), "gprof PROGRAM");
    refuse(PJ_S("sion\0\0\0\1"), "sionsplit");
    refuse(PJ_S("HPCTOOLKITmeta"), "hatchet");
    refuse(PJ_S("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27"), "google-pprof");
    refuse(PJ_S("\x48\xd6\xdd\x05\x0a\x04\x08\x01\x10\x02\x32\x00"), "go tool pprof -callgrind");
    refuse(PJ_S("\x0a\x04\x18\x06\x50\x03\x0a\x06\x40\x01\xe2\x03\x01x\x0a\x7f\x40"),
           "traceconv json");
    refuse(PJ_S("{\"rocprofiler-sdk-tool\": [{\"buffer_records\": {}}]}"), "rocpd");
}

static void names_where_bytes_tell_nothing(void **state)
{
    (void)state;
    char folder[] = "/tmp/popinjay_refused_XXXXXX", file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/run.nsys-rep", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("\1\2\3", out);
    fclose(out);
    refuse_profile_file(file, "nsys export --type sqlite");
    out = fopen(file, "w");
    assert_non_null(out);
    fputs("gmon\1", out);
    fclose(out);
    refuse_profile_file(file, "gprof PROGRAM");
    unlink(file);
    rmdir(folder);
}

static void other_bytes_are_unknown(void **state)
{
    (void)state;
    refuse(PJ_S("\x0a\x04"), "is no profile");
    refuse(PJ_S("\n\nplain text\n"), "is no profile");
    refuse(PJ_S("\x0a\x7f\x09xx"), "is no profile");
}

static void folders_name_the_converter(void **state)
{
    (void)state;
    char folder[] = "/tmp/popinjay_refused_XXXXXX", file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/r000hs.vtune", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fclose(out);
    refuse_profile_file(folder, "vtune -report hotspots");
    unlink(file);
    rmdir(folder);
}

static void real_files(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "speedscope/pprof/simple.prof", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA);
        skip();
    }
    fclose(there);
    refuse_profile_file(DATA "speedscope/pprof/simple.prof", "go tool pprof");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_name_the_converter),
        cmocka_unit_test(names_where_bytes_tell_nothing),
        cmocka_unit_test(other_bytes_are_unknown),
        cmocka_unit_test(folders_name_the_converter),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
