/* How tests that go through all engines name one whose packets they send. */
#ifndef CW_TESTS_ENGINE_EXAMPLE_H
#define CW_TESTS_ENGINE_EXAMPLE_H

#include <string.h>

#include "route/engine.h"

/* The specification of ENGINE: its name, with a share of minimal packets where it would be left to the traffic. */
static inline const char *example_of_engine(const struct cw_engine *engine)
{
    return strcmp(engine->name, "ugal-mix") == 0 ? "ugal-mix:minimal=0.5" : engine->name;
}

#endif
