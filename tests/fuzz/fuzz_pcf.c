// Labels of a Paraver trace from any bytes.
#include "metrics/read/paraver/pcf.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_pcf *pcf = pj_pcf_parse((pj_str){(const char *)data, size});
    for (size_t i = 0; i < pcf->type_count; i++)
        assert(pj_pcf_type_label(pcf, pcf->types[i].type));
    for (int64_t value = -1; value < 50; value++)
        pj_pcf_value_label(pcf, 50000001, value);
    for (size_t i = 0; i < pcf->state_count; i++)
        assert(pj_pcf_state_label(pcf, pcf->states[i].value));
    pj_pcf_free(pcf);
    return 0;
}
