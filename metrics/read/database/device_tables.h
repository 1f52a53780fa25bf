// What all databases of devices have in common: the processes of a file as ranks, and texts by
// number. Ownership: the caller frees ranks and texts.
#ifndef PJ_DEVICE_TABLES_H
#define PJ_DEVICE_TABLES_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/database/sql_file.h"

enum { PJ_NSYS_RANGE_TYPES = 4 };

/// The processes of one file, a rank each.
typedef struct pj_device_tables {
    pj_sql_file *file;
    const char *path;
    pj_ai_rank **ranks;
    int64_t *processes; // by rank
    size_t count, cap, process_cap;
    pj_ai_rank *texts;                        // names of the file, each once
    pj_map text_of;                           // number in the file: of `texts`
    pj_map mpi_of;                            // number in the file: the call of MPI
    pj_map doing_of;                          // number in the file: what is done in the call
    int64_t base;                             // ns that are added to all times
    bool steps, regions, mpi;                 // are wanted; mpi: each call of it
    bool loading;                             // ranges that load data are looked at
    bool one_process;                         // records do not tell theirs
    int64_t range_types[PJ_NSYS_RANGE_TYPES]; // of NVTX events
    struct pj_nsys_facts *facts;              // while they are read
    struct pj_rocpd_meters *meters;           // of energy and power
} pj_device_tables;

/// The rank of a process; at most 4096, beyond which the last one stands for all.
pj_ai_rank *pj_device_tables_rank(pj_device_tables *tables, int64_t process);
/// The text of a number, "" where there is none.
pj_str pj_device_tables_text(const pj_device_tables *tables, int64_t number);
/// Reads them: the number of each row and its text.
PJ_CHECKED bool pj_device_tables_read_texts(pj_device_tables *tables, const char *table,
                                            const char *columns, pj_err *err);
/// A record of a device, whose name decides whether it exchanges; false without times to reckon
/// with.
bool pj_device_tables_add(pj_device_tables *tables, pj_ai_rank *rank, pj_ai_record record,
                          int64_t device, int64_t stream, pj_str name);
/// All records of devices are read.
void pj_device_tables_expect_calls(pj_device_tables *tables);
/// Ranges come, once all calls are there; they are read where somebody asks for regions, or to tell
/// what exchanges do. `waiting`: as pj_ai_ranges_expect has it.
void pj_device_tables_expect_ranges(pj_device_tables *tables, size_t waiting);
/// A correlation as the id of a call.
uint32_t pj_device_tables_id(int64_t correlation);
PJ_CHECKED bool pj_device_tables_account(pj_device_tables *tables, pj_job *job, pj_err *err);

/// Databases that Nsight Systems exports (nsys export --type sqlite), seen: 2020 to 2026.
PJ_CHECKED bool pj_nsys_read(pj_device_tables *tables, pj_job *job, pj_err *err);
/// Databases of rocprofiler (rocpd), one a process or merged.
PJ_CHECKED bool pj_rocpd_read(pj_device_tables *tables, pj_job *job, pj_err *err);

#endif
