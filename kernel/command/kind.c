// The registry of kinds of values.
#include "kernel/command/kind.h"

#include "kernel/command/value.h"

#define PLAIN(kind, name) extern const pj_kind pj_kind_##name;
#define VALUE(kind, name) extern const pj_kind pj_kind_##name;
#include "kernel/command/values.def"
#undef PLAIN
#undef VALUE

static const pj_kind *const kinds[] = {
#define PLAIN(kind, name) [PJ_VALUE_##kind] = &pj_kind_##name,
#define VALUE(kind, name) [PJ_VALUE_##kind] = &pj_kind_##name,
#include "kernel/command/values.def"
#undef PLAIN
#undef VALUE
};

const pj_kind *pj_kind_of(const pj_value *value)
{
    return kinds[value->kind];
}

const pj_kind *pj_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}
