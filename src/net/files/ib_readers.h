/*
 * The parsers behind one descriptor, one file each. Private to net/.
 */
#ifndef CW_NET_IB_READERS_H
#define CW_NET_IB_READERS_H

#include <stddef.h>

#include "base/decls.h"
#include "net/files/node_names.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* ibnetdiscover -p: as the read function of a cw_reader. */
int cw_ib_listing_read(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                       struct cw_network **net);

CW_END_DECLS

#endif
