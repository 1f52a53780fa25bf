// OTF2 archives of random parallel programs: messages, collectives, threads and clocks of all
// kinds, half of them with calls that cannot end, differ, lack a partner or their file of events.
#ifndef PJ_RANDOM_ARCHIVE_H
#define PJ_RANDOM_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

/// Writes run.otf2 to a folder without one; the same seed gives the same bytes.
bool pj_random_archive_save(uint64_t seed, const char *folder);

#endif
