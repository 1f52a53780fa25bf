// An empty folder for the files of one test program. Ownership: texts are borrowed, four at a time.
#ifndef PJ_FOLDER_H
#define PJ_FOLDER_H

/// Set-up of a group: 0, or -1 when it cannot be made.
int folder_make(void **state);
/// Path of a file in it.
const char *folder_file(const char *name);
/// Tear-down of a group: fails when a file is left.
int folder_remove(void **state);

#endif
