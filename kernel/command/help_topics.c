// What is no command and is explained all the same: formats, and what low values come from.
#include "kernel/command/help.h"
#include "metrics/analyse/faults/faults.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/findings.h"
#include "metrics/pop/metricset.h"
#include "metrics/profile/write/profile_write.h"
#include "metrics/read/reader.h"
#include "metrics/run/devices.h"
#include "metrics/run/waits/run_waits.h"
#include "widgets/figure/textlines.h"

void pj_help_entry(const char *heading, const char *meaning, pj_buf *out)
{
    pj_buf_addf(out, "  %s\n", heading);
    pj_textlines_wrap(out, "      ", pj_str_of(meaning), PJ_HELP_COLUMNS);
}

/// An entry of what has a title and a key.
static void add_row(const char *title, const char *key, const char *meaning, pj_buf *out)
{
    pj_auto_buf heading = {0};
    pj_buf_addf(&heading, "%s (%s)", title, key);
    pj_help_entry(heading.at, meaning, out);
}

static void add_reader(const pj_reader *reader, pj_buf *out)
{
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "Usual names: %s. ", *reader->suffixes ? reader->suffixes : "any");
    if (reader->sniff_folder)
        pj_buf_puts(&text, "A folder is read as one. ");
    if (reader->both)
        pj_buf_puts(&text, "The same files are read as profiles, too. ");
    if (reader->cut)
        pj_buf_puts(&text, "popinjay cut writes a part of it. ");
    add_row(reader->title, reader->name, text.at, out);
}

static void add_readers(const char *title, bool (*wanted)(const pj_reader *reader), pj_buf *out)
{
    const pj_reader *reader;
    pj_buf_addf(out, "\n%s:\n", title);
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (wanted(reader))
            add_reader(reader, out);
}

static bool is_profile(const pj_reader *reader)
{
    return reader->gives == PJ_GIVES_PROFILE;
}

static void add_refused(pj_buf *out)
{
    static const struct {
        const char *title, *advice;
    } rows[] = {
#define REFUSED(title, magic, advice) {title, advice},
#define REFUSED_LOOK(title, function, advice) {title, advice},
#define REFUSED_FOLDER(title, ending, advice) {title " (folder)", advice},
#define REFUSED_NAME(title, ending, advice) {title " (" ending ")", advice},
#include "metrics/read/profile/refused.def"
#undef REFUSED
#undef REFUSED_LOOK
#undef REFUSED_FOLDER
#undef REFUSED_NAME
    };
    pj_buf_puts(out, "\nrecognised and not read:\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        pj_help_entry(rows[i].title, rows[i].advice, out);
}

static void add_writers(pj_buf *out)
{
    static const pj_profile_writer *const rows[] = {
#define PROFILE_WRITER(name) &pj_profile_writer_##name,
#include "metrics/profile/write/profile_writers.def"
#undef PROFILE_WRITER
    };
    pj_buf_puts(out, "\nprofiles that are written:\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_buf text = {0};
        pj_buf_addf(&text, "Suffixes of --export: %s.", rows[i]->suffixes);
        pj_help_entry(rows[i]->title, text.at, out);
    }
}

void pj_help_formats(pj_buf *out)
{
    pj_buf_puts(out,
                "Formats of input are told by content, never by name. Single files may be packed\n"
                "with gzip or zstd.\n");
    add_readers("traces and runs", pj_reader_gives_trace, out);
    add_readers("profiles", is_profile, out);
    add_refused(out);
    add_writers(out);
}

/// The titles that sets give a key, each once.
static void add_titles(pj_str key, pj_buf *out)
{
    const pj_metric_set *set;
    const char *titles[8];
    size_t count = 0;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        int row = pj_metric_row(set, key);
        bool known = row < 0 || count == sizeof titles / sizeof *titles;
        for (size_t i = 0; !known && i < count; i++)
            known = strcmp(titles[i], set->rows[row].title) == 0;
        if (known)
            continue;
        titles[count++] = set->rows[row].title;
        pj_buf_addf(out, "%s%s", out->len ? ", " : "", set->rows[row].title);
    }
}

static void add_advice(const pj_advice *advice, pj_buf *out)
{
    pj_auto_buf text = {0};
    pj_str keys = pj_str_of(advice->keys);
    while (keys.len) {
        pj_auto_buf titles = {0};
        pj_str key = pj_str_cut(&keys, ' ');
        add_titles(key, &titles);
        pj_buf_addf(out, "  " PJ_STR_FMT " (" PJ_STR_FMT ")\n", PJ_STR_ARG(pj_buf_str(&titles)),
                    PJ_STR_ARG(key));
    }
    pj_buf_addf(&text, "Low, usually because %s. %s", advice->meaning, advice->look);
    pj_textlines_wrap(out, "      ", pj_buf_str(&text), PJ_HELP_COLUMNS);
}

static void add_faults(pj_buf *out)
{
    pj_buf_puts(out, "\nwhat popinjay findings finds:\n");
    for (size_t i = 0; i < PJ_FAULT_KINDS; i++) {
        const pj_fault_row *row = &pj_fault_rows[i];
        pj_auto_buf text = {0};
        pj_buf_addf(&text, "%s See: %s TRACE%s%s", row->sentence, row->command,
                    *row->options ? " " : "", row->options);
        add_row(row->title, row->key, text.at, out);
    }
}

void pj_help_causes(pj_buf *out)
{
    const pj_advice *advice;
    pj_buf_puts(out, "What low values usually come from, and what to look at next.\n"
                     "\nmetrics:\n");
    for (size_t i = 0; (advice = pj_advice_at(i)); i++)
        add_advice(advice, out);
    add_faults(out);
    pj_buf_puts(out, "\nwaits of MPI:\n");
    for (size_t i = 0; i < PJ_WAIT_PATTERNS; i++)
        add_row(pj_wait_pattern_rows[i].title, pj_wait_pattern_rows[i].key,
                pj_wait_pattern_rows[i].sentence, out);
    pj_buf_puts(out, "\nidle devices:\n");
    for (int i = 0; i < PJ_DEVICE_IDLE_CAUSES; i++) {
        pj_device_idle cause = (pj_device_idle)i;
        add_row(pj_device_idle_title(cause), pj_device_idle_key(cause),
                pj_device_idle_sentence(cause), out);
    }
}
