// Names that tell nothing: keyed hashes in place of what somebody has called something. The same
// key gives the same name the same hash, in every file. Ownership: texts are malloc.
#ifndef PJ_PSEUDONYM_H
#define PJ_PSEUDONYM_H

#include "metrics/base/err.h"

#include <stddef.h>
#include <stdint.h>

/// The key of SipHash-2-4 (Aumasson and Bernstein, 2012): who does not have it cannot try names.
typedef struct pj_pseudonyms {
    uint64_t key[2];
} pj_pseudonyms;

/// How much of a text is a name.
typedef enum pj_pseudonym_part {
    PJ_NAME_ALL,
    PJ_NAME_WORDS, // words but numbers and those that every trace has: "THREAD 1.2.1"
    PJ_NAME_PLACE, // what stands behind " @": "!$omp parallel @file.c:12"
    PJ_NAME_NONE,
} pj_pseudonym_part;

/// From a text of the user's.
pj_pseudonyms pj_pseudonyms_of(const char *text);
/// A new key that nobody keeps. PJ_E_IO.
PJ_CHECKED bool pj_pseudonyms_new(pj_pseudonyms *out, pj_err *err);
uint64_t pj_pseudonym_hash(const pj_pseudonyms *names, const char *text, size_t len);
/// The text with its names as "n0123456789abcdef"; empty texts stay. NULL without memory.
char *pj_pseudonym_of(const pj_pseudonyms *names, const char *text, size_t len,
                      pj_pseudonym_part part);

#endif
