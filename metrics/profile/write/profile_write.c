// The rows of profile_writers.def.
#include "metrics/profile/write/profile_write.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"

static const pj_profile_writer *const writers[] = {
#define PROFILE_WRITER(name) &pj_profile_writer_##name,
#include "metrics/profile/write/profile_writers.def"
#undef PROFILE_WRITER
};

const char *const pj_profile_suffixes[] = {
    "prof", "pstats", "collapsed", "callgrind", "speedscope.json", "ppk", "cubex", NULL};

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

bool pj_profile_write_stacks(const pj_profile *p, uint32_t *measure, pj_err *err)
{
    if (!pj_profile_pick_measure(p, (pj_str){0}, measure, err))
        return false;
    if (p->shape != PJ_SHAPE_TREE || *measure == PJ_NO_ITEM)
        return pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                       "a %s has no call paths to write as stacks; Score-P, samplers and traces do",
                       p->title);
    return true;
}
