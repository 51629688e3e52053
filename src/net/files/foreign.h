/*
 * Files of other tools, which are no networks but are given as one: their names, for messages. Private to net/.
 */
#ifndef CW_NET_FOREIGN_H
#define CW_NET_FOREIGN_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* What the LENGTH bytes at DATA seem to be and what to do about it, as the end of a sentence that begins with "this
 * seems to be"; NULL if there is no telling. Static. */
const char *cw_foreign_name(const char *data, size_t length);

CW_END_DECLS

#endif
