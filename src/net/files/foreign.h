/*
 * Files of other tools, which are no networks but are given as one: their names, for messages. Private to net/.
 */
#ifndef CW_NET_FOREIGN_H
#define CW_NET_FOREIGN_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_foreign {
    const char *begin, *within; /* how it is told, see the table */
    const char *what;           /* "a list of nodes (ibhosts)", behind "this seems to be" */
    const char *instead;        /* what to do where a network was expected: "give ..." */
};

/* What the LENGTH bytes at DATA seem to be, or NULL if there is no telling. Static. */
const struct cw_foreign *cw_foreign_find(const char *data, size_t length);

CW_END_DECLS

#endif
