// A file that is written without a name, flushed to disk and put in its place, so that a full disk,
// an interrupt or the end of the process never leaves half a file. Ownership: the caller's struct;
// end with commit or drop.
#ifndef PJ_NEWFILE_H
#define PJ_NEWFILE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct pj_newfile {
    char *path;      // where it is to be
    char *temporary; // where it is now; NULL = it has no name yet
    int fd;
    pj_buf waiting; // not written yet
} pj_newfile;

/// Keeps the permissions of a file that is there; a link stays one. Errors: PJ_E_IO with the
/// system's reason.
PJ_CHECKED bool pj_newfile_open(pj_newfile *file, const char *path, pj_err *err);
PJ_CHECKED bool pj_newfile_add(pj_newfile *file, pj_str bytes, pj_err *err);
/// Puts the file in its place. The struct is empty afterwards, also on failure.
PJ_CHECKED bool pj_newfile_commit(pj_newfile *file, pj_err *err);
/// Removes what was written, unless it is committed.
void pj_newfile_drop(pj_newfile *file);

/// The file with these bytes in one call. What is no regular file (a pipe, a device) is written
/// into.
PJ_CHECKED bool pj_newfile_put(const char *path, pj_str bytes, pj_err *err);

/// The same where no file of this name is; PJ_E_USAGE where one is.
PJ_CHECKED bool pj_newfile_put_first(const char *path, pj_str bytes, pj_err *err);

/// Whether the system lets a file be put there: asked before work that would be lost.
PJ_CHECKED bool pj_newfile_check(const char *path, pj_err *err);

/// An open file beside `path` that vanishes when it is closed; -1 on failure.
PJ_CHECKED int pj_newfile_scratch(const char *path, pj_err *err);
/// All bytes, however often the system must be asked.
PJ_CHECKED bool pj_newfile_write(int fd, const char *path, pj_str bytes, pj_err *err);

#define pj_auto_newfile __attribute__((cleanup(pj_newfile_drop))) pj_newfile

#endif
