// Which file a descriptor is, and the handle under which it is recorded. Ownership: the process's.
#ifndef PJ_REC_POSIX_FILES_H
#define PJ_REC_POSIX_FILES_H

#include "metrics/record/rec_names.h"

#include <stdbool.h>
#include <stdint.h>

/// 0: nothing of it is recorded. One that was not seen to be opened is looked at. errno may change.
uint32_t pj_rec_posix_handle(int descriptor);
/// The same of one that has just been opened.
uint32_t pj_rec_posix_opened(int descriptor, pj_rec_io_kind kind);
/// `to` is another name of `from`.
uint32_t pj_rec_posix_duplicated(int from, int to);
/// Forgets it: from now on others may get the descriptor. Its handle, if nothing else is it.
uint32_t pj_rec_posix_closed(int descriptor);
/// Forgets a range, both ends included.
void pj_rec_posix_closed_range(unsigned first, unsigned last);
/// Whether the process is a child that borrows the memory of its parent (vfork).
bool pj_rec_posix_borrowed(void);

#endif
