/* Compiled for processors with AVX2 (CMakeLists.txt). */
#if defined(__x86_64__)
#define CW_FLIT_SIMULATE cw_flit_simulate_avx2
#include "sim/flit/flit_switch.h"
#endif
