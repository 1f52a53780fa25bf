// Where the text of a source line comes from: files in a folder that is named, where the profile
// says, or beside it. Ownership: new/free; texts are borrowed until another file is asked for.
#ifndef PJ_LINE_SOURCE_H
#define PJ_LINE_SOURCE_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef struct pj_line_source {
    const pj_profile *profile;
    const char *folder; // asked for; NULL = none
    pj_arena *arena;    // for paths
    uint32_t file;      // whose text is at hand; 0 = none
    pj_buf text;
    pj_str rest;        // of the text, from
    uint32_t rest_line; // this line on; 0 = not begun
} pj_line_source;

/// The text of a file (a text of the profile) from a line (from 1) on; empty = not found, or it
/// ends before. Quick when lines are asked for in their order.
pj_str pj_line_source_from(pj_line_source *source, uint32_t file, uint32_t line);
/// A line of the text without its end.
pj_str pj_line_source_cut(pj_str *text);
void pj_line_source_free(pj_line_source *source);

#endif
