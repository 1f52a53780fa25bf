// One door to all compressions.
// Which library unpacks an input: its first bytes say it.
#include "metrics/read/unpack.h"

#include "metrics/base/arena.h"
#include "metrics/read/gunzip.h"
#include "metrics/read/unzstd.h"

#include <stdlib.h>

typedef struct packing {
    const char *name;
    pj_str magic;
    void *(*begin)(void); // NULL = the library is missing
    void (*end)(void *state);
    pj_unpack_end (*step)(void *state, pj_str *in, char *out, size_t room, size_t *written);
} packing;

struct pj_unpack {
    const packing *packing;
    void *state;
};

static void *begin_gunzip(void)
{
    return pj_gunzip_new();
}

static void end_gunzip(void *state)
{
    pj_gunzip_free(state);
}

static pj_unpack_end step_gunzip(void *state, pj_str *in, char *out, size_t room, size_t *written)
{
    return pj_gunzip_step(state, in, out, room, written);
}

static void *begin_unzstd(void)
{
    return pj_unzstd_new();
}

static void end_unzstd(void *state)
{
    pj_unzstd_free(state);
}

static pj_unpack_end step_unzstd(void *state, pj_str *in, char *out, size_t room, size_t *written)
{
    return pj_unzstd_step(state, in, out, room, written);
}

static const packing packings[] = {
    {"gzip", {"\x1f\x8b", 2}, begin_gunzip, end_gunzip, step_gunzip},
    {"zstd", {"\x28\xb5\x2f\xfd", 4}, begin_unzstd, end_unzstd, step_unzstd},
};

enum { PACKINGS = sizeof packings / sizeof *packings };

pj_unpack *pj_unpack_new(pj_str head, const char *where, pj_err *err)
{
    const packing *found = NULL;
    for (size_t i = 0; i < PACKINGS; i++)
        if (pj_str_starts(head, packings[i].magic))
            found = &packings[i];
    if (!found)
        return NULL;
    void *state = found->begin();
    if (!state) {
        pj_fail(err, PJ_E_FORMAT, where, 0,
                "is packed with %s, which this build cannot unpack; unpack it first", found->name);
        return NULL;
    }
    pj_unpack *unpack = pj_take_memory(sizeof *unpack);
    *unpack = (pj_unpack){.packing = found, .state = state};
    return unpack;
}

void pj_unpack_free(pj_unpack *unpack)
{
    if (unpack)
        unpack->packing->end(unpack->state);
    free(unpack);
}

pj_unpack_end pj_unpack_step(pj_unpack *unpack, pj_str *in, char *out, size_t room, size_t *written)
{
    return unpack->packing->step(unpack->state, in, out, room, written);
}

bool pj_unpack_goes_on(const pj_unpack *unpack, pj_str bytes)
{
    return bytes.len && bytes.at[0] == unpack->packing->magic.at[0];
}
