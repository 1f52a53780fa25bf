// A program in the foreground of the shell, as if it had been started without us: same terminal,
// same process group, signals go on to it. Ownership: borrow.
#ifndef PJ_RECORD_PROGRAM_H
#define PJ_RECORD_PROGRAM_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"

enum { PJ_RECORD_SIGNALLED = 128 }; // and its number: of a program that a signal has ended

/// `words` end with NULL. `status` as a shell tells it.
PJ_CHECKED bool pj_record_program(const pj_texts *words, const char *const *settings, int *status,
                                  pj_err *err);
/// The status that a shell tells of a status of waitpid.
int pj_record_shell_status(int status);

#endif
