// Ids are kept by role and by function. A forked child goes on with those of its parent.
#include "metrics/record/openmp/rec_omp_region.h"

#include "metrics/record/openmp/rec_omp_symbol.h"
#include "metrics/record/rec_names.h"

#include <stdio.h>

enum { SLOTS = 4096, PROBES = 32, ROLES = PJ_REC_ROLE_OMP_TASK_WAIT + 1 };

static const char *const names[ROLES] = {
    [PJ_REC_ROLE_OMP_FUNCTION] = "omp_set_lock",
    [PJ_REC_ROLE_OMP_LOOP] = "!$omp for",
    [PJ_REC_ROLE_OMP_PARALLEL] = "!$omp parallel",
    [PJ_REC_ROLE_OMP_SECTIONS] = "!$omp sections",
    [PJ_REC_ROLE_OMP_CRITICAL] = "!$omp critical",
    [PJ_REC_ROLE_OMP_CRITICAL_BODY] = "!$omp critical sblock",
    [PJ_REC_ROLE_OMP_ATOMIC] = "!$omp atomic",
    [PJ_REC_ROLE_OMP_BARRIER] = "!$omp barrier",
    [PJ_REC_ROLE_OMP_IMPLICIT_BARRIER] = "!$omp implicit barrier",
    [PJ_REC_ROLE_OMP_ORDERED] = "!$omp ordered",
    [PJ_REC_ROLE_OMP_ORDERED_BODY] = "!$omp ordered sblock",
    [PJ_REC_ROLE_OMP_TASK] = "!$omp task",
    [PJ_REC_ROLE_OMP_TASK_CREATE] = "!$omp create task",
    [PJ_REC_ROLE_OMP_TASK_WAIT] = "!$omp taskwait",
};

uint32_t pj_rec_omp_region(pj_rec_omp_role role)
{
    static uint32_t ids[ROLES];
    uint32_t id = __atomic_load_n(&ids[role], __ATOMIC_RELAXED);
    if (id == 0) {
        id = pj_rec_region(&(pj_rec_region_of){
            .name = names[role], .role = (int)role, .paradigm = PJ_REC_PARADIGM_OPENMP});
        __atomic_store_n(&ids[role], id, __ATOMIC_RELAXED);
    }
    return id;
}

static uint32_t define_body(pj_rec_omp_role role, const void *body)
{
    pj_rec_omp_symbol symbol;
    char name[sizeof symbol.name + 32];
    pj_rec_omp_symbol_find(body, &symbol);
    snprintf(name, sizeof name, "%s @%s", names[role], symbol.name);
    return pj_rec_region(&(pj_rec_region_of){.name = name,
                                             .role = (int)role,
                                             .paradigm = PJ_REC_PARADIGM_OPENMP,
                                             .canonical = symbol.name,
                                             .object = symbol.object,
                                             .address = symbol.address});
}

uint32_t pj_rec_omp_region_of(pj_rec_omp_role role, const void *body)
{
    static struct {
        const void *body;
        uint32_t id;
    } slots[SLOTS];
    size_t first = (uintptr_t)body * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    for (size_t i = 0; i < PROBES; i++) {
        size_t at = (first + i) % SLOTS;
        const void *there = __atomic_load_n(&slots[at].body, __ATOMIC_ACQUIRE);
        if (!there && __atomic_compare_exchange_n(&slots[at].body, &there, body, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            there = body;
        if (there != body)
            continue;
        uint32_t id = __atomic_load_n(&slots[at].id, __ATOMIC_RELAXED);
        if (id == 0) {
            id = define_body(role, body);
            __atomic_store_n(&slots[at].id, id, __ATOMIC_RELAXED);
        }
        return id;
    }
    return pj_rec_omp_region(role); // no room: without its place
}
