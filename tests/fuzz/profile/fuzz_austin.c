// Text of austin from any bytes: each is a profile or an error.
#include "tests/support/profile/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_profile("austin", data, size);
    return 0;
}
