// The bytes of an input in blocks of whole lines: from a file, a pipe or memory. What is packed
// (unpack.h) is unpacked ahead on a thread of its own, UTF-16 with its mark becomes UTF-8, whose
// own mark is dropped. Nothing is mapped: memory does not grow with the input. Ownership: new/free;
// a block keeps its memory from fill to fill.
#ifndef PJ_SOURCE_H
#define PJ_SOURCE_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"

enum {
    PJ_BLOCK_BYTES = PJ_SIZE(256 << 10, 2 << 10), // of an ordinary block: fits the cache of a core
    PJ_BLOCK_PAD = 64, // bytes before and after the text that may be read
    PJ_LINE_BYTES_MAX = PJ_SIZE(16 << 20, 1 << 20), // longer lines are dropped
};

typedef struct pj_block {
    char *text;      // whole lines; the last byte is a newline
    size_t len;      // 0 for a dropped line
    uint64_t offset; // of the text in the decompressed input
    bool dropped;    // stands for one line longer than PJ_LINE_BYTES_MAX
    bool unended;    // the input ends after this block without a newline, which was added
    char *memory;
    size_t cap;
} pj_block;

void pj_block_free(pj_block *block);

typedef struct pj_source pj_source;

/// What is known about the input; the sizes are final when it has ended.
typedef struct pj_source_facts {
    uint64_t file_bytes; // as stored
    uint64_t text_bytes; // after decompression
    uint64_t size;       // of the file when it was opened; 0 = no file
    bool compressed;
    bool again;         // may be opened and read a second time (no pipe)
    bool skips;         // a plain file: pj_source_skip works
    bool folder;        // no bytes of its own: what reads it opens its files
    const char *damage; // why the compressed data end early, NULL when they do not
} pj_source_facts;

/// Of a pipe it waits for who writes, until the job is stopped. Errors (PJ_E_IO): missing,
/// unreadable, a folder, a device, empty. `job` is told the bytes read.
PJ_CHECKED pj_source *pj_source_open(const char *path, pj_job *job, pj_err *err);
/// The same over bytes that outlive the source; `name` is used in messages.
PJ_CHECKED pj_source *pj_source_memory(const char *name, pj_str bytes, pj_job *job, pj_err *err);
/// A folder that is one input.
pj_source *pj_source_folder(const char *path, pj_job *job);
void pj_source_close(pj_source *source);

/// The first bytes after decompression, for guessing the format; only before the first block.
pj_str pj_source_head(const pj_source *source);
const char *pj_source_path(const pj_source *source);
/// Whom it works for: for further files of the same input.
pj_job *pj_source_job(const pj_source *source);
/// Fills `block` with the next lines; false at the end or with an error.
PJ_CHECKED bool pj_source_next(pj_source *source, pj_block *block, pj_err *err);
/// The next bytes as they come, up to `size`, in place of blocks: for formats that know no lines.
/// `*got` 0 is the end; false with an error.
PJ_CHECKED bool pj_source_read(pj_source *source, char *out, size_t size, size_t *got, pj_err *err);
/// Where in the text the first member of compressed data but the first begins that does so at or
/// behind `offset`; UINT64_MAX = none so far. Of more than a million the later ones are not known.
uint64_t pj_source_seam(const pj_source *source, uint64_t offset);
/// Where the next block begins.
uint64_t pj_source_position(const pj_source *source);
/// Goes on at `offset`, where a line begins; only plain files can.
PJ_CHECKED bool pj_source_skip(pj_source *source, uint64_t offset, pj_err *err);
pj_source_facts pj_source_facts_of(const pj_source *source);

/// All of the input after decompression in one piece, in place of blocks: followed by PJ_BLOCK_PAD
/// zeros, counted as the job's memory, kept until the source is closed. Errors: PJ_E_FORMAT (more
/// than `most` bytes, more than 1000 times what is stored, compressed data damaged), PJ_E_MEMORY,
/// PJ_E_STOPPED.
PJ_CHECKED bool pj_source_whole(pj_source *source, uint64_t most, pj_str *bytes, pj_err *err);

/// Where in an input something is wrong; zeros = not known.
typedef struct pj_spot {
    uint64_t line;   // from 1
    uint64_t offset; // of a byte, after decompression; counts when there is no line
    bool at_byte;    // `offset` is known
} pj_spot;

/// What messages call the input: the title of its format; a constant.
void pj_source_call(pj_source *source, const char *title);
/// Fails with PJ_E_FORMAT: "FILE: is a damaged cProfile profile: WHAT, at byte 12; copy it again or
/// record it anew".
bool pj_source_damaged(const pj_source *source, pj_spot spot, pj_err *err, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

#endif
