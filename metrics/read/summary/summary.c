// Writes and reads summaries: the head and what is small; summary_parts has the rest.
#include "metrics/read/summary/summary.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/memory.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/aspect.h"
#include "metrics/run/sums.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static const char version_key[] = "popinjay_summary";

enum { STREAMS_APART = 2, EVERY_CONVENTION = 3 }; // versions that were the first to do so

// Writing

json_t *pj_summary_text(const char *text)
{
    pj_str from = pj_str_of(text ? text : "");
    json_t *out = json_stringn(from.at, from.len);
    if (out)
        return out;
    pj_auto_buf plain = {0};
    for (size_t i = 0; i < from.len; i++)
        pj_buf_add_char(&plain, (unsigned char)from.at[i] < 0x80 ? from.at[i] : '?');
    return json_string(plain.at);
}

static json_t *fingerprint_text(uint64_t value)
{
    char text[PJ_FINGERPRINT_TEXT];
    pj_fingerprint_text(value, text);
    return json_string(text);
}

static json_t *write_source(const pj_provenance *from)
{
    json_t *out =
        json_pack("{s:o, s:o, s:I, s:I, s:o}", "name", pj_summary_text(from->source), "format",
                  pj_summary_text(from->format), "bytes", (json_int_t)from->bytes, "text_bytes",
                  (json_int_t)from->text_bytes, "fingerprint", fingerprint_text(from->fingerprint));
    if (from->names)
        json_object_set_new(out, "names", fingerprint_text(from->names));
    return out;
}

static const char *const code_keys[] = {"commit", "branch", "committed"};
enum { CODE_KEYS = sizeof code_keys / sizeof *code_keys };

/// Which version of the program was measured.
static json_t *write_code(const pj_run_origin *from)
{
    json_t *out = json_object();
    const char *const texts[CODE_KEYS] = {from->commit, from->branch, from->committed};
    for (size_t i = 0; i < CODE_KEYS; i++)
        if (texts[i])
            json_object_set_new(out, code_keys[i], pj_summary_text(texts[i]));
    return out;
}

static json_t *write_facts(const pj_run *run)
{
    json_t *out =
        json_pack("{s:o, s:I, s:b, s:b, s:b, s:b, s:I, s:I, s:I}", "tag", pj_summary_text(run->tag),
                  "events", (json_int_t)run->events, "mpi", (int)run->has_mpi, "openmp",
                  (int)run->has_openmp, "chopped", (int)run->chopped, "idealised",
                  (int)run->idealised, "end_ns", (json_int_t)run->end_ns, "last_record_ns",
                  (json_int_t)run->last_record_ns, "runtime_ns", (json_int_t)run->runtime_ns);
    if (run->no_states)
        json_object_set_new(out, "no_states", json_true());
    if (run->origin)
        json_object_set_new(out, "code", write_code(run->origin));
    if (run->roi.set)
        json_object_set_new(out, "roi",
                            json_pack("{s:I, s:I, s:b, s:I}", "from_ns",
                                      (json_int_t)run->roi.from_ns, "to_ns",
                                      (json_int_t)run->roi.to_ns, "drop", (int)run->roi.drop,
                                      "cut_bursts", (json_int_t)run->roi.cut_bursts));
    return out;
}

/// Runs of equal values as [how many, value].
static json_t *write_runs(uint32_t count, uint32_t (*at)(const pj_layout *, uint32_t),
                          const pj_layout *layout)
{
    json_t *out = json_array();
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t value = at(layout, first);
        for (end = first + 1; end < count && at(layout, end) == value;)
            end++;
        json_array_append_new(out,
                              json_pack("[I, I]", (json_int_t)(end - first), (json_int_t)value));
    }
    return out;
}

static uint32_t application_at(const pj_layout *layout, uint32_t rank)
{
    return layout->application_of ? layout->application_of[rank] : 0;
}

/// Names where there are any and they are not too many.
static void write_names(json_t *into, const char *key, const char *const *names, uint32_t count)
{
    enum { MOST = 5000 };
    if (!names || count > MOST)
        return;
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, names[i] ? pj_summary_text(names[i]) : json_null());
    json_object_set_new(into, key, list);
}

static json_t *write_layout(const pj_layout *layout)
{
    json_t *out =
        json_pack("{s:I, s:o, s:o}", "applications", (json_int_t)layout->applications,
                  "threads_of_ranks", write_runs(layout->ranks, pj_layout_threads, layout),
                  "application_of_ranks", write_runs(layout->ranks, application_at, layout));
    write_names(out, "programs", layout->application_name, layout->applications);
    write_names(out, "nodes", layout->node_name, layout->node_names);
    pj_summary_streams_write(layout, out);
    return out;
}

static json_t *write_sums(const pj_run *run)
{
    pj_sums sums = pj_sums_of(run);
    json_t *out = json_object();
    for (size_t i = 0; i < PJ_SUM_ROWS; i++) {
        double value = pj_sum_get(&sums, i);
        if (isfinite(value))
            json_object_set_new(out, pj_sum_name(i), json_real(value));
    }
    return out;
}

static json_t *write_ideal(const pj_ideal *ideal)
{
    return ideal->available ? json_pack("{s:f}", "runtime_ns", ideal->runtime_ns)
                            : json_pack("{s:o}", "reason", pj_summary_text(ideal->reason));
}

/// Oddities that were counted for the regions alone: a table of metrics does not have them either.
static bool is_of_regions(unsigned key)
{
    return key == PJ_IMPORT_region_nested || key == PJ_IMPORT_region_not_closed ||
           key == PJ_IMPORT_region_not_opened || key == PJ_IMPORT_region_late;
}

static json_t *write_import(const pj_import_stats *import)
{
    json_t *out = json_object();
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++)
        if (import->count[key] && !is_of_regions(key))
            json_object_set_new(out, pj_import_at(key)->key,
                                json_pack("[I, I]", (json_int_t)import->count[key],
                                          (json_int_t)import->first_line[key]));
    return out;
}

static json_t *write_remarks(const pj_remarks *remarks)
{
    json_t *out = json_array();
    for (size_t i = 0; i < remarks->count; i++)
        json_array_append_new(
            out, json_pack("[s, o, s]", pj_severity_name(remarks->items[i].severity),
                           pj_summary_text(remarks->items[i].text), remarks->items[i].key));
    return out;
}

static json_t *write_head(const pj_run *run, const pj_provenance *from)
{
    return json_pack("{s:i, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", version_key,
                     PJ_SUMMARY_VERSION, "program", from->program, "source", write_source(from),
                     "options", from->options, "run", write_facts(run), "layout",
                     write_layout(&run->layout), "sums", write_sums(run), "ideal",
                     write_ideal(&run->ideal), "import", write_import(&run->import), "remarks",
                     write_remarks(&run->remarks));
}

static size_t room_in(const json_t *root)
{
    size_t used = pj_summary_size(root);
    return used < PJ_SUMMARY_BYTES ? PJ_SUMMARY_BYTES - used : 0;
}

const pj_summary_part pj_summary_part_none = {.name = NULL};

static const pj_summary_part *const parts[] = {
#define ASPECT(key, part) &pj_summary_part_##part,
#define FOUND(key, type, part) ASPECT(key, part)
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT
    &pj_summary_part_functions,
};

enum { PARTS = sizeof parts / sizeof *parts };

/// What matters most takes its room first.
static json_t *write_whole(const pj_run *run, const pj_provenance *from)
{
    json_t *root = write_head(run, from), *made[PARTS] = {NULL};
    unsigned keeps = 0;
    for (size_t i = 0; i < PARTS; i++) {
        made[i] = parts[i]->name ? parts[i]->write(run, parts[i]->budget) : NULL;
        if (made[i])
            json_object_set_new(root, parts[i]->name, made[i]);
        keeps = made[i] && parts[i]->keeps ? parts[i]->keeps : keeps;
    }
    size_t room = room_in(root);
    json_object_set_new(root, "threads",
                        pj_summary_threads_write(run, keeps ? room - room / keeps : room));
    for (size_t i = 0; i < PARTS; i++)
        if (made[i] && parts[i]->write_more)
            parts[i]->write_more(run, room_in(root), made[i]);
    return root;
}

/// gzip without name and time, so that equal text gives equal bytes.
static void pack(pj_str text, pj_buf *out)
{
    enum { GZIP = 15 + 16, MEMORY = 9 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text.at, .avail_in = (uInt)text.len};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY);
    size_t bound = deflateBound(&stream, (uLong)text.len);
    stream.next_out = (Bytef *)pj_buf_room(out, bound);
    stream.avail_out = (uInt)bound;
    deflate(&stream, Z_FINISH);
    out->len += bound - stream.avail_out;
    deflateEnd(&stream);
}

bool pj_summary_write(const pj_run *run, const pj_provenance *from, const char *path,
                      uint64_t *bytes, pj_err *err)
{
    if (run->other.base) // summaries know the ideal network alone
        run = run->other.base;
    json_t *root = write_whole(run, from);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (!text)
        return pj_fail(err, PJ_E_FORMAT, path, 0, "the run cannot be written as JSON");
    pj_auto_buf packed = {0};
    pack(pj_str_of(text), &packed);
    free(text);
    if (bytes)
        *bytes = packed.len;
    return pj_newfile_put(path, pj_buf_str(&packed), err);
}

// Reading

static bool damaged(const pj_run *run, const char *what, pj_err *err)
{
    return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: %s; make it again", what);
}

static bool sniff(pj_str head)
{
    enum { NEAR = 64 };
    return pj_str_starts(head, PJ_S("{")) &&
           pj_str_contains(pj_str_head(head, NEAR), PJ_S("\"popinjay_summary\""));
}

static uint64_t positive(const json_t *from, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(from, key));
    return value > 0 ? (uint64_t)value : 0;
}

static const char *text_of(const json_t *from, const char *key, pj_arena *arena)
{
    return pj_arena_text(arena, pj_str_of(json_string_value(json_object_get(from, key))));
}

static uint64_t read_fingerprint(const json_t *from, const char *key)
{
    const char *text = json_string_value(json_object_get(from, key));
    return text ? strtoull(text, NULL, 16) : 0;
}

static bool read_version(const json_t *root, const pj_run *run, pj_err *err)
{
    const json_t *version = json_object_get(root, version_key);
    const char *program = json_string_value(json_object_get(root, "program"));
    if (json_integer_value(version) > PJ_SUMMARY_VERSION)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0,
                       "is a summary of version %lld, written by popinjay %.40s; this one reads "
                       "versions up to %d: update it, or read the trace itself",
                       (long long)json_integer_value(version), program ? program : "of later date",
                       PJ_SUMMARY_VERSION);
    return json_integer_value(version) > 0 || damaged(run, "it has no version", err);
}

static bool read_source(const json_t *root, pj_run *run, pj_err *err)
{
    const json_t *source = json_object_get(root, "source");
    if (!json_is_object(source))
        return damaged(run, "it does not say what it was made from", err);
    pj_provenance *out = pj_new(run->arena, pj_provenance);
    *out =
        (pj_provenance){.alone = true,
                        .source = text_of(source, "name", run->arena),
                        .format = text_of(source, "format", run->arena),
                        .options = text_of(root, "options", run->arena),
                        .program = text_of(root, "program", run->arena),
                        .fingerprint = read_fingerprint(source, "fingerprint"),
                        .names = read_fingerprint(source, "names"),
                        .version = (unsigned)json_integer_value(json_object_get(root, version_key)),
                        .bytes = positive(source, "bytes"),
                        .text_bytes = positive(source, "text_bytes"),
                        .rounded = pj_summary_threads_rounded(json_object_get(root, "threads"))};
    run->provenance = out;
    if (out->version < STREAMS_APART)
        pj_run_remark(run, PJ_WARNING, "summary_version",
                      "this summary was written by popinjay %s: streams of devices may count as "
                      "threads in it; make it anew from the trace (popinjay preprocess)",
                      out->program);
    return true;
}

static void read_code(const json_t *from, pj_run *run)
{
    if (!json_object_size(from))
        return;
    pj_run_origin *out = pj_new(run->arena, pj_run_origin);
    const char **const to[CODE_KEYS] = {&out->commit, &out->branch, &out->committed};
    for (size_t i = 0; i < CODE_KEYS; i++)
        if (json_is_string(json_object_get(from, code_keys[i])))
            *to[i] = text_of(from, code_keys[i], run->arena);
    run->origin = out;
}

static bool read_facts(const json_t *from, pj_run *run, pj_err *err)
{
    if (!json_is_object(from))
        return damaged(run, "it does not describe the run", err);
    if (!*run->tag)
        run->tag = text_of(from, "tag", run->arena);
    read_code(json_object_get(from, "code"), run);
    run->events = positive(from, "events");
    run->has_mpi = json_is_true(json_object_get(from, "mpi"));
    run->has_openmp = json_is_true(json_object_get(from, "openmp"));
    run->no_states = json_is_true(json_object_get(from, "no_states"));
    run->chopped = json_is_true(json_object_get(from, "chopped"));
    run->idealised = json_is_true(json_object_get(from, "idealised"));
    run->end_ns = positive(from, "end_ns");
    run->last_record_ns = positive(from, "last_record_ns");
    run->runtime_ns = positive(from, "runtime_ns");
    const json_t *roi = json_object_get(from, "roi");
    run->roi = (pj_roi){.set = json_is_object(roi),
                        .drop = json_is_true(json_object_get(roi, "drop")),
                        .from_ns = positive(roi, "from_ns"),
                        .to_ns = positive(roi, "to_ns"),
                        .cut_bursts = positive(roi, "cut_bursts")};
    return true;
}

/// How many items all [how many, value] have together; `most` + 1 when they are too many.
static uint64_t count_runs(const json_t *from, uint64_t most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_int_t count = json_integer_value(json_array_get(json_array_get(from, i), 0));
        sum += count > 0 && (uint64_t)count <= most ? (uint64_t)count : most + 1;
        if (sum > most)
            return most + 1;
    }
    return sum;
}

/// Fills `out` with the values; false when one is negative or above `most`.
static bool read_runs(const json_t *from, uint32_t *out, uint64_t most)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *pair = json_array_get(from, i);
        json_int_t value = json_integer_value(json_array_get(pair, 1));
        if (value < 0 || (uint64_t)value > most)
            return false;
        for (json_int_t n = json_integer_value(json_array_get(pair, 0)); n > 0; n--)
            *out++ = (uint32_t)value;
    }
    return true;
}

enum { LOCATIONS_MAX = 1 << 24 }; // as in traces

/// What a run keeps of its threads; few are not worth the question.
static bool find_room(const pj_run *run, uint64_t threads, uint64_t budget, pj_err *err)
{
    enum { BYTES_EACH = 500, FEW = 10000 };
    if (budget && threads > FEW && threads * BYTES_EACH > budget)
        return pj_fail(err, PJ_E_MEMORY, run->path, 0,
                       "its %llu threads need more memory than is allowed; raise --memory",
                       (unsigned long long)threads);
    return threads < FEW ||
           pj_memory_want(threads * BYTES_EACH, run->path, "the threads of its summary", err);
}

/// The names that are there; NULL where there is none.
static const char **read_names(const json_t *list, uint32_t count, pj_arena *arena)
{
    const char **names = pj_new_n(arena, const char *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        names[i] = name ? pj_arena_text(arena, pj_str_of(name)) : NULL;
    }
    return names;
}

static void read_all_names(const json_t *from, pj_layout *layout, pj_arena *arena)
{
    const json_t *programs = json_object_get(from, "programs");
    const json_t *nodes = json_object_get(from, "nodes");
    if (json_array_size(programs) == layout->applications)
        layout->application_name = read_names(programs, layout->applications, arena);
    uint32_t named = 0;
    while (json_is_string(json_array_get(nodes, named)))
        named++;
    if (named)
        layout->node_name = read_names(nodes, named, arena);
    layout->node_names = named;
}

static bool read_layout(const json_t *from, pj_run *run, uint64_t budget, pj_err *err)
{
    const json_t *threads = json_object_get(from, "threads_of_ranks");
    const json_t *applications = json_object_get(from, "application_of_ranks");
    uint64_t ranks = count_runs(threads, LOCATIONS_MAX), locations = 0, count;
    if (ranks < 1 || ranks > LOCATIONS_MAX || count_runs(applications, LOCATIONS_MAX) != ranks ||
        !find_room(run, ranks, budget, err))
        return damaged(run, "its ranks", err);
    pj_layout *layout = &run->layout;
    uint32_t *first = layout->first_location = pj_new_n(run->arena, uint32_t, ranks + 1);
    layout->application_of = pj_new_n(run->arena, uint32_t, ranks);
    count = positive(from, "applications");
    if (!read_runs(threads, first, LOCATIONS_MAX) || count < 1 || count > ranks ||
        !read_runs(applications, layout->application_of, count - 1))
        return damaged(run, "its threads", err);
    for (uint64_t r = 0; r <= ranks; r++) {
        uint32_t here = first[r];
        first[r] = (uint32_t)locations;
        locations += r < ranks ? here : 0;
        if (locations > LOCATIONS_MAX)
            return damaged(run, "its threads", err);
    }
    if (locations < 1 || !find_room(run, locations, budget, err))
        return damaged(run, "its threads", err);
    layout->applications = (uint32_t)count;
    layout->ranks = (uint32_t)ranks;
    layout->locations = (uint32_t)locations;
    layout->rank_of = pj_new_n(run->arena, uint32_t, locations);
    layout->node_of = pj_new_n(run->arena, uint32_t, locations);
    for (uint32_t r = 0; r < layout->ranks; r++)
        for (uint32_t i = first[r]; i < first[r + 1]; i++)
            layout->rank_of[i] = r;
    read_all_names(from, layout, run->arena);
    pj_summary_streams_read(from, layout, run->arena);
    return true;
}

static void read_ideal(const json_t *from, pj_run *run)
{
    const json_t *runtime = json_object_get(from, "runtime_ns");
    run->ideal.available = json_is_number(runtime);
    run->ideal.runtime_ns = json_number_value(runtime);
    run->ideal.reason = text_of(from, "reason", run->arena);
}

/// Sums that an older summary lacks follow from its threads as far as these tell.
static void read_sums(const json_t *from, pj_run *run)
{
    pj_sums *sums = pj_new(run->arena, pj_sums);
    bool follow = run->provenance->version < EVERY_CONVENTION;
    *sums = pj_sums_of(run);
    for (size_t i = 0; i < PJ_SUM_ROWS; i++) {
        const json_t *value = json_object_get(from, pj_sum_name(i));
        if (json_is_number(value))
            pj_sum_set(sums, i, json_number_value(value));
        else if (!follow || i >= offsetof(pj_sums, mpi_sum) / sizeof(double))
            pj_sum_set(sums, i, NAN);
    }
    run->sums = sums;
}

/// Keys that this program does not know came from another version.
static void read_import(const json_t *from, pj_import_stats *import)
{
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++) {
        const json_t *pair = json_object_get(from, pj_import_at(key)->key);
        json_int_t count = json_integer_value(json_array_get(pair, 0));
        json_int_t line = json_integer_value(json_array_get(pair, 1));
        import->count[key] = count > 0 ? (uint64_t)count : 0;
        import->first_line[key] = line > 0 ? (uint64_t)line : 0;
    }
}

static void read_remarks(const json_t *from, pj_run *run)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *pair = json_array_get(from, i);
        const char *severity = json_string_value(json_array_get(pair, 0));
        const char *text = json_string_value(json_array_get(pair, 1));
        const char *key = json_string_value(json_array_get(pair, 2)); // from 0.2.0 on
        for (pj_severity s = PJ_NOTE; severity && text && s <= PJ_URGENT; s++)
            if (strcmp(pj_severity_name(s), severity) == 0)
                pj_run_remark(run, s, key ? key : "run", "%s", text);
    }
}

static bool read_threads(const json_t *root, pj_run *run, pj_err *err)
{
    if (!pj_summary_threads_read(json_object_get(root, "threads"), run, err))
        return false;
    read_sums(json_object_get(root, "sums"), run);
    if (run->provenance->rounded)
        pj_run_remark(run, PJ_NOTE, "summary_rounded",
                      "values of single threads, and what is summed up of them, come rounded from "
                      "a summary; metrics are exact");
    return true;
}

static bool read_root(json_t *root, pj_run *run, uint64_t budget, pj_err *err)
{
    if (!read_version(root, run, err) || !read_source(root, run, err) ||
        !read_facts(json_object_get(root, "run"), run, err) ||
        !read_layout(json_object_get(root, "layout"), run, budget, err))
        return false;
    read_ideal(json_object_get(root, "ideal"), run);
    read_import(json_object_get(root, "import"), &run->import);
    read_remarks(json_object_get(root, "remarks"), run);
    bool ok = read_threads(root, run, err);
    for (size_t i = 0; ok && i < PARTS; i++) {
        json_t *part = parts[i]->name ? json_object_get(root, parts[i]->name) : NULL;
        ok = !part || parts[i]->read(part, run, err);
    }
    return ok;
}

/// All of the input; what we write has less than a tenth of the limit.
static bool read_text(pj_source *source, const pj_run *run, pj_buf *out, pj_err *err)
{
    enum { TEXT_MOST = 16 << 20 };
    pj_block block = {0};
    pj_err problem = {0};
    bool ok = true;
    while (ok && pj_source_next(source, &block, &problem)) {
        ok = !block.dropped && out->len + block.len <= TEXT_MOST;
        if (ok)
            pj_buf_add(out, (pj_str){block.text, block.len});
    }
    pj_block_free(&block);
    if (problem.code) {
        if (err && !err->code)
            *err = problem;
        return false;
    }
    if (!ok)
        return damaged(run, "it is too long", err);
    return !pj_source_facts_of(source).damage || damaged(run, "it ends early or is corrupt", err);
}

static bool read_summary(pj_source *source, pj_pass *pass, pj_err *err)
{
    pj_auto_buf text = {0};
    json_error_t where;
    if (!read_text(source, pass->run, &text, err))
        return false;
    json_t *root = json_loadb(text.at ? text.at : "", text.len, 0, &where);
    if (!root)
        return damaged(pass->run, "it is no JSON", err);
    bool ok = read_root(root, pass->run, pass->job->memory_budget, err);
    json_decref(root);
    return ok;
}

const pj_reader pj_reader_summary = {
    .name = "summary",
    .title = "summary of popinjay",
    .suffixes = PJ_SUMMARY_SUFFIX,
    .gives = PJ_GIVES_RUN,
    .sniff = sniff,
    .read = read_summary,
};
