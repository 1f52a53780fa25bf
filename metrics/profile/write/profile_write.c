// The rows of profile_writers.def.
#include "metrics/profile/write/profile_write.h"

static const pj_profile_writer *const writers[] = {
#define PROFILE_WRITER(name) &pj_profile_writer_##name,
#include "metrics/profile/write/profile_writers.def"
#undef PROFILE_WRITER
};

const char *const pj_profile_suffixes[] = {
    "prof", "pstats", "collapsed", "callgrind", "speedscope.json", "ppk", NULL};

const pj_profile_writer *pj_profile_writer_of(pj_str suffix)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        pj_str suffixes = pj_str_of(writers[i]->suffixes);
        while (suffixes.len)
            if (pj_str_equal(pj_str_cut(&suffixes, ' '), suffix))
                return writers[i];
    }
    return NULL;
}
