// Facts of recordings.
#include "kernel/commands/record/record_facts.h"

#include "kernel/command/child.h"
#include "kernel/command/jsontext.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FACTS_FILE "popinjay.run"

enum { ASKED_SECONDS = 10 }; // that a program may take to say its version
static const uint64_t SECOND_NS = 1000000000;

static json_t *texts_of(const pj_texts *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        json_array_append_new(list, pj_jsontext_string(pj_str_of(texts->items[i])));
    return list;
}

static void set_text(json_t *facts, const char *key, pj_str text)
{
    if (text.len)
        json_object_set_new(facts, key, pj_jsontext_string(text));
}

// Versions

/// The first line that a program prints; false when it fails. `scratch` is a file.
static bool ask(const char *const *words, const char *scratch, const atomic_bool *stop, pj_buf *out)
{
    static const char *const settings[] = {"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", NULL};
    const pj_child child = {.words = words,
                            .settings = settings,
                            .log = scratch,
                            .patience_ns = ASKED_SECONDS * SECOND_NS};
    bool said = pj_child_run(&child, stop, NULL) && pj_file_read(scratch, out, NULL);
    unlink(scratch);
    pj_buf_add_char(out, '\n');
    out->len = pj_str_trim(pj_str_head(pj_buf_str(out), pj_str_find(pj_buf_str(out), '\n'))).len;
    return said && out->len;
}

/// Whether the folder lies in a working copy of git.
static bool is_versioned(const char *folder, pj_arena *arena)
{
    struct stat info;
    pj_str path = pj_str_of(folder);
    while (path.len) {
        if (stat(pj_arena_format(arena, PJ_STR_FMT "/.git", PJ_STR_ARG(path)), &info) == 0)
            return true;
        path = pj_str_head(path, pj_str_find_last(path, '/'));
    }
    return false;
}

static void add_code(json_t *facts, const char *here, const char *scratch, const atomic_bool *stop)
{
    static const char *const words[] = {"git", "describe", "--always", "--dirty", "--tags", NULL};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf said = {0};
    if (is_versioned(here, arena) && ask(words, scratch, stop, &said))
        set_text(facts, "code", pj_buf_str(&said));
}

/// Programs that say at once what they are when asked with --version: exactly these names, with
/// nothing but a number behind them.
static bool says_version(const char *word)
{
    static const char *const names[] = {"python",       "mpirun",         "mpiexec",
                                        "srun",         "mpirun.openmpi", "mpiexec.openmpi",
                                        "mpirun.mpich", "mpiexec.mpich"};
    const char *slash = strrchr(word, '/');
    const char *base = slash ? slash + 1 : word;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(base, names[i], len) == 0 && !base[len + strspn(base + len, "0123456789.")])
            return true;
    }
    return false;
}

static bool is_script(const char *word)
{
    return pj_str_ends(pj_str_of(word), PJ_S(".py"));
}

static void add_versions(json_t *facts, const pj_texts *words, const char *scratch,
                         const atomic_bool *stop)
{
    json_t *versions = json_pack("{s:s}", "popinjay", PJ_VERSION);
    for (size_t i = 0; i < words->count && !is_script(words->items[i]); i++) {
        pj_auto_buf said = {0};
        const char *const asked[] = {words->items[i], "--version", NULL};
        if (says_version(words->items[i]) && ask(asked, scratch, stop, &said))
            set_text(versions, words->items[i], pj_buf_str(&said));
    }
    json_object_set_new(facts, "versions", versions);
}

// The machine and the environment

static void add_machine(json_t *facts)
{
    char host[HOST_NAME_MAX + 1] = "";
    pj_auto_buf text = {0};
    gethostname(host, sizeof host - 1);
    set_text(facts, "host", pj_str_of(host));
    pj_ignore(pj_file_read("/proc/cpuinfo", &text, NULL));
    pj_str rest = pj_buf_str(&text);
    while (rest.len) {
        pj_str line = pj_str_cut(&rest, '\n');
        if (pj_str_starts(line, PJ_S("model name"))) {
            set_text(facts, "processor",
                     pj_str_trim(pj_str_from(line, pj_str_find(line, ':') + 1)));
            break;
        }
    }
    json_object_set_new(facts, "cores", json_integer(pj_job_workers(&(pj_job){.stop = NULL})));
}

/// Beginnings of names.
static bool matters(const char *entry)
{
    static const char *const names[] = {
        "OMP_",       "GOMP_",     "KMP_",   "OMPI_MCA_",      "PRTE_MCA_",   "PMIX_MCA_",
        "MPICH_",     "MPIR_CVAR", "I_MPI_", "MV2_",           "UCX_",        "FI_",
        "MKL_",       "OPENBLAS_", "BLIS_",  "NUMEXPR_",       "NUMBA_",      "MALLOC_",
        "SLURM_",     "PBS_",      "LSB_",   "PYTHON",         "CONDA_DEF",   "VIRTUAL_ENV=",
        "LD_PRELOAD", "LD_LIBR",   "PATH=",  "CUDA_VISIBLE",   "HIP_VISIBLE", "ROCR_VISIBLE",
        "LOADEDMODU", "LANG=",     "LC_",    "POPINJAY_RECORD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void add_environment(json_t *facts, const char *const *settings)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    json_t *environment = json_object();
    char **entries = pj_child_environment(settings, arena);
    for (size_t i = 0; entries[i]; i++) {
        pj_str entry = pj_str_of(entries[i]);
        size_t equals = pj_str_find(entry, '=');
        if (matters(entries[i]) && equals < entry.len)
            set_text(environment, pj_arena_text(arena, pj_str_head(entry, equals)),
                     pj_str_from(entry, equals + 1));
    }
    json_object_set_new(facts, "environment", environment);
}

static void add_date(json_t *facts)
{
    char date[64];
    struct tm parts;
    time_t now = time(NULL);
    localtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", &parts);
    json_object_set_new(facts, "date", json_string(date));
}

json_t *pj_record_facts_new(const pj_texts *words, const pj_texts *options,
                            const char *const *settings, const char *folder,
                            const atomic_bool *stop)
{
    char here[PATH_MAX] = "";
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *scratch = pj_arena_format(arena, "%s/.version", folder);
    json_t *facts = json_object();
    json_object_set_new(facts, "command", texts_of(words));
    json_object_set_new(facts, "options", texts_of(options));
    if (getcwd(here, sizeof here))
        set_text(facts, "folder", pj_str_of(here));
    add_date(facts);
    add_machine(facts);
    add_code(facts, here, scratch, stop);
    add_versions(facts, words, scratch, stop);
    add_environment(facts, settings);
    json_object_set_new(facts, "began_ns", json_integer((json_int_t)pj_clock_of_day()));
    return facts;
}

static void add_notes(json_t *facts, pj_str notes)
{
    json_t *list = json_array();
    while (notes.len) {
        const pj_str line = pj_str_cut(&notes, '\n');
        json_array_append_new(list, pj_jsontext_string(line));
    }
    json_object_set_new(facts, "notes", list);
}

void pj_record_facts_end(json_t *facts, int status, const char *failure, uint64_t events,
                         pj_str notes)
{
    json_int_t began = json_integer_value(json_object_get(facts, "began_ns"));
    double ns = (double)((json_int_t)pj_clock_of_day() - began);
    json_object_set_new(facts, "seconds", json_real(ns / (double)SECOND_NS));
    json_object_set_new(facts, "status", json_integer(status));
    json_object_set_new(facts, "events", json_integer((json_int_t)events));
    set_text(facts, "failure", pj_str_of(failure ? failure : ""));
    if (notes.len)
        add_notes(facts, notes);
}

bool pj_record_facts_write(const json_t *facts, const char *folder, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf text = {0};
    char *dumped = json_dumps(facts, JSON_INDENT(1));
    pj_buf_addf(&text, "%s\n", dumped ? dumped : "{}");
    free(dumped);
    return pj_newfile_put(pj_arena_format(arena, "%s/" FACTS_FILE, folder), pj_buf_str(&text), err);
}

/// Whether a member is the list of these texts.
static bool is_list(const json_t *facts, const char *key, const pj_texts *texts)
{
    json_t *list = texts_of(texts);
    bool same = json_equal(json_object_get(facts, key), list);
    json_decref(list);
    return same;
}

/// New reference; NULL where there are none.
static json_t *facts_of(const char *folder)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    return json_load_file(pj_arena_format(arena, "%s/" FACTS_FILE, folder), 0, NULL);
}

bool pj_record_facts_number(const char *folder, const char *key, double *out)
{
    json_t *facts = facts_of(folder);
    const json_t *number = json_object_get(facts, key);
    bool there = json_is_number(number);
    *out = json_number_value(number);
    json_decref(facts);
    return there;
}

bool pj_record_facts_good(const char *folder, const pj_texts *words, const pj_texts *options)
{
    json_t *facts = facts_of(folder);
    const json_t *status = json_object_get(facts, "status");
    bool good =
        json_is_integer(status) && json_integer_value(status) == 0 &&
        !json_object_get(facts, "failure") &&
        (!words || (is_list(facts, "command", words) && is_list(facts, "options", options)));
    json_decref(facts);
    return good;
}
