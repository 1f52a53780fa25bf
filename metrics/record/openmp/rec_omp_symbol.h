// Names of functions that only their own file shows (.symtab). Ownership: the caller's buffer.
#ifndef PJ_REC_OMP_SYMBOL_H
#define PJ_REC_OMP_SYMBOL_H

#include <stddef.h>

/// "solve._omp_fn.0"; "heat+0x11a9" where the file of the function has no names.
void pj_rec_omp_symbol(const void *function, char *name, size_t size);

#endif
