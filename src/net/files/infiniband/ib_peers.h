/*
 * Rows of iblinkinfo, which name a peer by its LID (plain) or by its port GUID (-l): completed so that a fabric can be
 * made of them. Private to net/.
 *
 * Plain: own ends have kind, GUIDs, LID and description (an adapter's `node_guid` is the GUID of its first port); peers
 * have LID, number and description. -l: both ends have port GUID, LID, number and description, and what has several
 * rows with one GUID is a switch, for ports of adapters have GUIDs of their own.
 *
 * A peer without rows of its own is a host if no adapter has rows (--switches-only), and has one cable; else the file
 * is truncated. In the plain form nothing but its LID and description are known of such a host.
 */
#ifndef CW_NET_IB_PEERS_H
#define CW_NET_IB_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "net/files/infiniband/ib_rows.h"

CW_BEGIN_DECLS

/* Fills in the peers of the N rows; FILE for messages. 0, CW_ENOMEM, or CW_EPARSE. */
int cw_ib_peers_by_lid(const char *file, struct cw_ib_row *rows, size_t n);
/* Fills in kinds, too. */
int cw_ib_peers_by_guid(const char *file, struct cw_ib_row *rows, size_t n);

CW_END_DECLS

#endif
