/*
 * What parsing of options shares: one value of one option (base/option_value.c). Private to base/.
 */
#ifndef CW_BASE_OPTION_INTERNAL_H
#define CW_BASE_OPTION_INTERNAL_H

#include "base/decls.h"
#include "base/option.h"

CW_BEGIN_DECLS

/* Sets the value of OPTION, called WHAT in messages. TEXT is NULL for a name alone. */
int cw_option_set_value(const char *what, const struct cw_option *option, void *values, const char *text);

CW_END_DECLS

#endif
