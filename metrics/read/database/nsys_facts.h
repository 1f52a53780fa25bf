// What databases of Nsight Systems tell beside events: which rank a process is, and which device of
// the machine its devices are. Ownership: new/free; ranks are borrowed.
#ifndef PJ_NSYS_FACTS_H
#define PJ_NSYS_FACTS_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/read/database/device_tables.h"

#include <stdint.h>

typedef struct pj_nsys_facts pj_nsys_facts;

/// NULL with an error.
PJ_CHECKED pj_nsys_facts *pj_nsys_facts_new(pj_device_tables *tables, pj_job *job, pj_err *err);
/// The device of the machine that a process (globalPid) calls so; where it is not told, `device`.
int64_t pj_nsys_facts_device(const pj_nsys_facts *facts, int64_t process, int64_t device);
/// All records are there: ranks without a number get it, devices what they are in the machine.
void pj_nsys_facts_tell(const pj_nsys_facts *facts, pj_device_tables *tables);
/// NULL is allowed.
void pj_nsys_facts_free(pj_nsys_facts *facts);

#endif
