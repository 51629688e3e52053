#include "fuzz.h"
#include "net/files/formats_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&cw_reader_lldp, data, size);
}
