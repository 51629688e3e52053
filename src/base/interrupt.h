/*
 * Asking long computations to stop.
 *
 * Whoever runs them (a signal handler, another thread) calls cw_interrupt; cw_parallel_for and long loops look at that
 * from time to time and return CW_EINTERRUPTED, so that their callers unwind as after any error and what was finished
 * before is kept. The library itself never installs a signal handler. This is the one state of the process the library
 * has: a flag, set until cw_interrupt_clear.
 */
#ifndef CW_BASE_INTERRUPT_H
#define CW_BASE_INTERRUPT_H

#include <stdbool.h>

#include "base/decls.h"

CW_BEGIN_DECLS

CW_API void cw_interrupt(void);       /* any thread or signal handler may call it */
CW_API void cw_interrupt_clear(void); /* computations may begin again */

CW_API bool cw_interrupted(void);    /* as cheap as reading a variable */
CW_API int cw_interrupt_check(void); /* 0, or CW_EINTERRUPTED with the message "interrupted" */

CW_END_DECLS

#endif
