// The libraries that a program (ELF) names as those it needs.
#ifndef PJ_RECORD_NEEDS_H
#define PJ_RECORD_NEEDS_H

#include <stddef.h>

/// Tells `see` the name of each library that the program at `path` needs; none as below.
void pj_record_needs_each(const char *path, void (*see)(const char *name, void *), void *context);
/// Which of `count` names (at most 32) the program at `path` needs: bit i for names[i]. 0 also for
/// what is no program, is damaged, or is of another kind of machine: nothing here can be loaded
/// into that.
unsigned pj_record_needs(const char *path, const char *const *names, size_t count);

#endif
