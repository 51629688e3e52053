/* What the fuzzers share. */
#ifndef CW_FUZZ_H
#define CW_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "net/files/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lets READER read the input, whether or not it recognises it. What it accepts must be a valid network. */
int fuzz_reader(const struct cw_reader *reader, const uint8_t *data, size_t size);

/* A file that holds the input, for readers that take a path. PATH has room for 64 bytes. Returns its descriptor. */
int memory_file(const uint8_t *data, size_t size, char path[64]);

#endif
