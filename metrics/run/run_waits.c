// The rows of wait_patterns.def as data.
#include "metrics/run/run_waits.h"

const pj_wait_pattern_row pj_wait_pattern_rows[PJ_WAIT_PATTERNS] = {
#define PATTERN(key, title, sentence) {#key, title, sentence},
#include "metrics/run/wait_patterns.def"
#undef PATTERN
};
