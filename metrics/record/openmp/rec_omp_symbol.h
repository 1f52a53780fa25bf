// Names of functions that only their own file shows (.symtab). Ownership: the caller's struct.
#ifndef PJ_REC_OMP_SYMBOL_H
#define PJ_REC_OMP_SYMBOL_H

#include <limits.h>
#include <stdint.h>

typedef struct pj_rec_omp_symbol {
    char name[256];        // "solve._omp_fn.0"; "heat+0x11a9" where the file has no names
    char object[PATH_MAX]; // the file, for those who read its debug information; "": no names
    uint64_t address;      // there
} pj_rec_omp_symbol;

void pj_rec_omp_symbol_find(const void *function, pj_rec_omp_symbol *symbol);

#endif
