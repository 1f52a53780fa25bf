// Random MPI programs: their traces, and what they take on the ideal network, by a simulator that
// has the whole program before it. Ownership: new/free.
#ifndef PJ_RANDOM_PROGRAM_H
#define PJ_RANDOM_PROGRAM_H

#include "tests/support/trace/replay_script.h"

typedef struct random_program random_program;

enum { RANDOM_PROGRAM_RANKS = 6 }; // that they have at most

/// The same seed gives the same program.
random_program *random_program_new(uint64_t seed);
void random_program_free(random_program *program);
static inline void random_program_drop(random_program **program)
{
    random_program_free(*program);
}
#define auto_program __attribute__((cleanup(random_program_drop))) random_program *

uint32_t random_program_ranks(const random_program *program);
/// A run of it, in which calls take time of their own. `apart`: both ends of a message are told by
/// their own ranks. The caller frees it.
pj_script *random_program_script(const random_program *program, bool apart);
/// When each rank ends on the ideal network, ns; false when some never does.
bool random_program_ideal(const random_program *program, double finish[RANDOM_PROGRAM_RANKS]);
/// The next random number of a seed, below `limit`.
uint32_t random_program_below(uint64_t *seed, uint32_t limit);

#endif
