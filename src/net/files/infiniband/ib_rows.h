/*
 * Lists of a fabric with one row a port: both ends of a cable, each with what the list tells of its node. Private to
 * net/: shared by the readers of ibnetdiscover -p, of OpenSM's opensm-subnet.lst and of iblinkinfo.
 *
 * A node is known by its GUID. Where the list does not tell it (the fabric's `host_guids_unknown`), a switch's is its
 * port GUID, and an adapter's ports are those whose GUID minus port number is the same, because adapters with several
 * ports number their GUIDs so; the node then has the GUID of its first port.
 */
#ifndef CW_NET_IB_ROWS_H
#define CW_NET_IB_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/files/ib_scan.h"
#include "net/files/infiniband/ib_fabric.h"

CW_BEGIN_DECLS

/* Zero where the list says nothing. */
struct cw_ib_end {
    struct cw_ib_span description;
    uint64_t guid; /* of the port; of a switch, its one port GUID */
    uint64_t node_guid, system_guid;
    uint32_t vendor, device;
    uint32_t lid, number;
    uint32_t ports; /* of the device */
    uint8_t lmc;
    uint8_t kind; /* CW_KIND_SWITCH, _HOST or _ROUTER */
};

struct cw_ib_row {
    struct cw_ib_end own, peer;
    bool connected; /* else PEER is not looked at */
    double capacity;
    unsigned long line;
};

/* The LID, 0 where the list says that there is none, and the number of a port, each behind blanks. False if something
 * else stands there. */
bool cw_ib_lid_and_port(struct cw_ib_scan *scan, struct cw_ib_end *end);

/* Adds the row to FABRIC, whose `ids_are_guids` is set: its own node, its peer (as one that is only mentioned) and the
 * port line. Texts are borrowed. 0, CW_ENOMEM, or CW_EPARSE if the node has another number of ports elsewhere. */
int cw_ib_row_add(struct cw_ib_fabric *fabric, const struct cw_ib_row *row);

CW_END_DECLS

#endif
