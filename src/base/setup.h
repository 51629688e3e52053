/*
 * Setups of functions that users of the library call: structures that they fill, and that may gain fields.
 *
 * A caller hands over the size that the structure had when it was compiled (a static inline function of the installed
 * header does so: cw_ebb_run). Fields it did not know are zero, which means what was before there were any.
 */
#ifndef CW_BASE_SETUP_H
#define CW_BASE_SETUP_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Reads the GIVEN setup of GIVEN_SIZE bytes into SETUP of SIZE: the rest is zero. CW_EUSAGE if what SETUP has no room
 * for is not zero: it means something that this version cannot do. */
int cw_setup_read(const void *given, size_t given_size, void *setup, size_t size);

CW_END_DECLS

#endif
