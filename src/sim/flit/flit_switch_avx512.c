/* Compiled for processors with AVX-512, VBMI included (CMakeLists.txt). */
#if defined(__x86_64__)
#define CW_FLIT_SIMULATE cw_flit_simulate_avx512
#include "sim/flit/flit_switch.h"
#endif
