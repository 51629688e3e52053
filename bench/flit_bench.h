/* The speed of the flit simulator: flit-hops a second, a flit-hop being one flit's way through one switch. */
#ifndef BENCH_FLIT_BENCH_H
#define BENCH_FLIT_BENCH_H

#include <stddef.h>

#include "base/result.h"

/* Measures REPETITIONS times and adds a table to RESULT. */
int flit_bench(size_t repetitions, struct cw_result *result);

#endif
