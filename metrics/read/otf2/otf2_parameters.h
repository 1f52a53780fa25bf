// Names of parameters of an archive, and the texts that they take as values. Ownership: new/free.
#ifndef PJ_OTF2_PARAMETERS_H
#define PJ_OTF2_PARAMETERS_H

#include "metrics/read/otf2/otf2_gather.h"
#include "metrics/run/run.h"

typedef struct pj_otf2_parameters pj_otf2_parameters;

/// NULL when the archive defines none, and no files.
pj_otf2_parameters *pj_otf2_parameters_new(const pj_otf2_gathered *all);
/// NULL is allowed.
void pj_otf2_parameters_free(pj_otf2_parameters *parameters);
/// Copies names and texts into the run; events carry indices in them.
void pj_otf2_parameters_name_run(const pj_otf2_parameters *parameters, pj_run *run);
/// Index by global id, of a text by that of its string; UINT32_MAX when it is not defined.
uint32_t pj_otf2_parameters_index(const pj_otf2_parameters *parameters, uint64_t id);
uint32_t pj_otf2_parameters_text_index(const pj_otf2_parameters *parameters, uint64_t string);
/// By global ids; "parameter", "" when they are not defined. `parameters` may be NULL.
const char *pj_otf2_parameters_name(const pj_otf2_parameters *parameters, uint64_t id);
const char *pj_otf2_parameters_text(const pj_otf2_parameters *parameters, uint64_t string);
/// The file of a handle of input and output; NULL when it is not defined.
const char *pj_otf2_parameters_file(const pj_otf2_parameters *parameters, uint64_t handle);

#endif
