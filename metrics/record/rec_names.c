// Definitions as lines of the log.
#include "metrics/record/rec_names.h"

#include "metrics/record/rec_defs.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER = 12 };

uint32_t pj_rec_region(const pj_rec_region_of *r)
{
    char role[NUMBER], paradigm[NUMBER], first[NUMBER], last[NUMBER], address[2 * NUMBER];
    snprintf(role, sizeof role, "%d", r->role ? r->role : PJ_REC_ROLE_FUNCTION);
    snprintf(paradigm, sizeof paradigm, "%d", r->paradigm ? r->paradigm : PJ_REC_PARADIGM_USER);
    snprintf(first, sizeof first, "%u", r->first_line);
    snprintf(last, sizeof last, "%u", r->last_line);
    snprintf(address, sizeof address, "%" PRIu64, r->address);
    const char *fields[] = {role,    paradigm,  first,
                            last,    r->name,   r->canonical ? r->canonical : r->name,
                            r->file, r->object, address};
    const size_t count = sizeof fields / sizeof *fields;
    return pj_rec_defs_id('R', fields, r->object && *r->object ? count : count - 2);
}

uint32_t pj_rec_string(const char *text)
{
    return pj_rec_defs_id('S', &text, 1);
}

uint32_t pj_rec_parameter(const char *name, pj_rec_parameter_type type)
{
    char number[NUMBER];
    snprintf(number, sizeof number, "%d", (int)type);
    return pj_rec_defs_id('Q', (const char *[]){number, name}, 2);
}

static uint32_t define_metric(const char *name, const char *unit, int type, const char *kind)
{
    char number[NUMBER];
    snprintf(number, sizeof number, "%d", type);
    return pj_rec_defs_id('M', (const char *[]){name, unit, number, kind}, 4);
}

uint32_t pj_rec_metric(const char *name, const char *unit, int type)
{
    return define_metric(name, unit, type, "apart");
}

uint32_t pj_rec_counter(const char *name, const char *unit, int type)
{
    return define_metric(name, unit, type, "thread");
}

uint32_t pj_rec_io_handle(const char *file, pj_rec_io_kind kind, uint32_t instance, bool before)
{
    char numbers[2][NUMBER];
    snprintf(numbers[0], sizeof numbers[0], "%d", (int)kind);
    snprintf(numbers[1], sizeof numbers[1], "%u", instance);
    const char *fields[] = {file, numbers[0], numbers[1], before ? "1" : "0"};
    return pj_rec_defs_id('I', fields, sizeof fields / sizeof *fields);
}
