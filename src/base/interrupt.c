#include "base/interrupt.h"

#include <stdatomic.h>

#include "base/error.h"

/* Lock-free, so that a signal handler may set it. */
static atomic_int interrupted;

void cw_interrupt(void)
{
    atomic_store_explicit(&interrupted, 1, memory_order_relaxed);
}

void cw_interrupt_clear(void)
{
    atomic_store_explicit(&interrupted, 0, memory_order_relaxed);
}

bool cw_interrupted(void)
{
    return atomic_load_explicit(&interrupted, memory_order_relaxed) != 0;
}

int cw_interrupt_check(void)
{
    return cw_interrupted() ? cw_fail(CW_EINTERRUPTED, "interrupted") : 0;
}
