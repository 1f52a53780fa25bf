// Formats of input, one row each, told by content and never by name. Ownership: constants.
#ifndef PJ_READER_H
#define PJ_READER_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/cutter.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

/// What an input becomes.
typedef enum pj_gives {
    PJ_GIVES_EVENTS,  // batches of events for the sinks of a pass
    PJ_GIVES_RUN,     // a whole run (run->provenance): no sink is asked
    PJ_GIVES_PROFILE, // a profile, through a builder
    PJ_GIVES_ADVICE,  // nothing: it fails and says what makes a file that is read
} pj_gives;

struct pj_build; // metrics/profile/build/profile_build.h
struct pj_pass;  // metrics/read/pass.h

typedef struct pj_reader {
    const char *name;     // "prv"
    const char *title;    // "Paraver trace"
    const char *suffixes; // ".prv .prv.gz"
    const char *parts;    // of its other files, where there are `several`: ".def .evt"
    pj_gives gives;
    /// Whether `head`, the first bytes of an input without its compression, begins an input of this
    /// format; NULL = it is no single file.
    bool (*sniff)(pj_str head);
    /// A text that tells it wherever it comes, for what programs print behind output of any length;
    /// at most 64 bytes. NULL = the first bytes tell it.
    const char *late_mark;
    /// Whether a folder is one input of this format; NULL = it is no folder.
    bool (*sniff_folder)(const char *folder);
    /// Whether only the name of a file tells it, which no reader knows by its content; may be NULL.
    bool (*sniff_name)(const char *name);
    /// Events or a run.
    bool (*read)(pj_source *source, struct pj_pass *pass, pj_err *err);
    /// A profile. The source is a file (pj_source_next, or pj_source_whole) or a folder
    /// (`folder` of its facts, pj_source_path), whose files are opened with pj_source_open and
    /// pj_source_job. Damage is told by pj_source_damaged.
    bool (*profile)(pj_source *source, struct pj_build *build, pj_err *err);
    /// Whether the run says which of its parts hold which times, and its input is the same still;
    /// NULL = never.
    bool (*knows)(const pj_run *run);
    const pj_cutter *cut; // NULL = its traces cannot be cut
    bool both;            // a later row reads the same files as profiles
    bool steps;           // its runs tell their iterations
    bool several;         // the input is one of several files and must be a file itself
    bool shares; // a process group can read it, unless it is compressed or comes through a pipe
    bool aside;  // the leader of more than one reads nothing: what they send keeps it busy
} pj_reader;

static inline bool pj_reader_gives_trace(const pj_reader *reader)
{
    return reader->gives == PJ_GIVES_EVENTS || reader->gives == PJ_GIVES_RUN;
}

/// The rows of readers.def; NULL past the end.
const pj_reader *pj_reader_at(unsigned index);
/// Whether its inputs are read as profiles.
static inline bool pj_reader_gives_profile(const pj_reader *reader)
{
    return reader->gives == PJ_GIVES_PROFILE || reader->both;
}
/// The first row that gives a profile of an input that begins so; NULL = none.
const pj_reader *pj_reader_guess_profile(pj_str head);
/// The first row that recognises the first bytes of the input `name`, unless a later one does, too,
/// and its suffixes alone fit the name (what is a run and a profile is a run); NULL = none.
const pj_reader *pj_reader_guess(const char *name, pj_str head);
/// The row that recognises a file or a folder; NULL = none does, or it is a pipe, which is read
/// only once.
const pj_reader *pj_reader_of_path(const char *path);
/// The same of an input that is open: by its first bytes, else by what comes late, else by its
/// name.
const pj_reader *pj_reader_of_source(pj_source *source);
/// The row that recognises a folder; NULL = none.
const pj_reader *pj_reader_of_folder(const char *folder);
/// Whether a file may be called so, by the row's suffixes.
bool pj_reader_fits_name(const pj_reader *reader, const char *name);
/// "a" or "an", before its title.
const char *pj_reader_article(const pj_reader *reader);
/// Fails with PJ_E_USAGE where a trace is wanted: "PATH: is a cProfile profile: popinjay profile".
bool pj_reader_no_trace(const pj_reader *reader, const char *path, pj_err *err);
/// The row that read a run; NULL = none that is known.
const pj_reader *pj_reader_of_run(const pj_run *run);
/// Whether a part of the run can be read again by itself.
bool pj_reader_knows(const pj_run *run);

#endif
