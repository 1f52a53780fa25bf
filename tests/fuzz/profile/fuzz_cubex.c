// CUBE files from any bytes: refused, or a profile whose parts fit each other.
#include "tests/support/profile/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_profile("cubex", data, size);
    return 0;
}
