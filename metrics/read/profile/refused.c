// Recordings that only another tool can read: the message names what makes a file for here of them.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <dirent.h>

typedef enum refused_by { BY_BYTES, BY_FOLDER, BY_NAME } refused_by;

typedef struct refused_row {
    const char *title;
    pj_str mark; // first bytes of a file, or the end of its name or of one in a folder
    const char *advice;
    refused_by by;
    bool (*looks)(pj_str bytes); // in place of first bytes; may be NULL
} refused_row;

static bool take_varint(pj_str *bytes, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; bytes->len && shift < 64; shift += 7) {
        unsigned char c = (unsigned char)bytes->at[0];
        *bytes = pj_str_from(*bytes, 1);
        *out |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return true;
    }
    return false;
}

/// Whether the bytes are a message of protobuf whose fields are those of pprof's profile.proto,
/// with a sample type (field 1, itself begun by a field 1) among the first.
static bool is_pprof(pj_str bytes)
{
    enum { FIELDS = 12, LAST_FIELD = 15, NUMBER = 0, MESSAGE = 2 };
    bool typed = false;
    for (unsigned i = 0; i < FIELDS && bytes.len; i++) {
        uint64_t tag, value;
        if (!take_varint(&bytes, &tag) || !take_varint(&bytes, &value) || tag >> 3 == 0 ||
            tag >> 3 > LAST_FIELD || ((tag & 7) != NUMBER && (tag & 7) != MESSAGE))
            return false;
        if ((tag & 7) == NUMBER)
            continue;
        typed |= tag >> 3 == 1 && value >= 2 && value < 32 && pj_str_starts(bytes, PJ_S("\x08"));
        bytes = pj_str_from(bytes, value < bytes.len ? (size_t)value : bytes.len);
    }
    return typed;
}

/// Whether the bytes are a message of protobuf that is nothing but packets, as Perfetto's are,
/// which begin with one of the fields that most of them have.
static bool is_perfetto(pj_str bytes)
{
    static const char firsts[] = "\x12\x18\x32\x40\x50\x5a\x62\x8a\x9a\xe2\xfa";
    enum { LEAST = 2, ENOUGH = 8 };
    unsigned packets = 0;
    uint64_t length;
    while (packets < ENOUGH && bytes.len) {
        if (bytes.at[0] != '\x0a')
            return false;
        bytes = pj_str_from(bytes, 1);
        if (!take_varint(&bytes, &length) || !length || !bytes.len)
            break; // the head ends
        if (!memchr(firsts, bytes.at[0], sizeof firsts - 1))
            return false;
        packets += length <= bytes.len;
        bytes = pj_str_from(bytes, length < bytes.len ? (size_t)length : bytes.len);
    }
    return packets >= LEAST;
}

static bool is_rocprofiler(pj_str bytes)
{
    bytes = pj_str_trim(pj_str_head(bytes, 4096));
    return pj_str_starts(bytes, PJ_S("{")) &&
           pj_str_contains(bytes, PJ_S("\"rocprofiler-sdk-tool\""));
}

static const refused_row rows[] = {
#define REFUSED(title, magic, advice) {title, {magic, sizeof magic - 1}, advice, BY_BYTES, NULL},
#define REFUSED_LOOK(title, function, advice) {title, {"", 0}, advice, BY_BYTES, function},
#define REFUSED_FOLDER(title, ending, advice)                                                      \
    {title, {ending, sizeof ending - 1}, advice, BY_FOLDER, NULL},
#define REFUSED_NAME(title, ending, advice)                                                        \
    {title, {ending, sizeof ending - 1}, advice, BY_NAME, NULL},
#include "metrics/read/profile/refused.def"
#undef REFUSED
#undef REFUSED_LOOK
#undef REFUSED_FOLDER
#undef REFUSED_NAME
};

static const refused_row *find_file(pj_str head)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const refused_row *row = &rows[i];
        if (row->by == BY_BYTES && (row->looks ? row->looks(head) : pj_str_starts(head, row->mark)))
            return row;
    }
    return NULL;
}

static const refused_row *find_folder(const char *path)
{
    const refused_row *found = NULL;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder)) != NULL;)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].by == BY_FOLDER && pj_str_ends(pj_str_of(entry->d_name), rows[i].mark))
                found = &rows[i];
    if (folder)
        closedir(folder);
    return found;
}

static const refused_row *find_name(const char *path)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].by == BY_NAME && pj_str_ends(pj_str_of(path), rows[i].mark))
            return &rows[i];
    return NULL;
}

static bool sniff(pj_str head)
{
    return find_file(head) != NULL;
}

static bool sniff_folder(const char *path)
{
    return find_folder(path) != NULL;
}

static bool sniff_name(const char *name)
{
    return find_name(name) != NULL;
}

static bool refuse(pj_source *source, pj_build *build, pj_err *err)
{
    (void)build;
    const char *path = pj_source_path(source);
    const refused_row *row =
        pj_source_facts_of(source).folder ? find_folder(path) : find_file(pj_source_head(source));
    row = row ? row : find_name(path);
    return pj_fail(err, PJ_E_FORMAT, path, 0, "is a %s, which is not read here; %s",
                   row ? row->title : "recording", row ? row->advice : "convert it");
}

const pj_reader pj_reader_refused = {
    .name = "refused",
    .title = "recording that another tool must convert",
    .suffixes = ".mojo .data .jfr .sqlite",
    .gives = PJ_GIVES_ADVICE,
    .sniff = sniff,
    .sniff_folder = sniff_folder,
    .sniff_name = sniff_name,
    .profile = refuse,
};
