/*
 * What a file says of an InfiniBand fabric, and the network made of it. Private to net/: shared by the readers of
 * ibnetdiscover's two formats, opensm-subnet.lst, iblinkinfo's output and ibsim's files.
 *
 * A reader adds nodes (by their id) and port lines in the order of the file, checking only the line itself;
 * cw_ib_fabric_build then checks that the lines agree with one another and builds the network:
 *   - A cable is listed by both of its ends, and the two must agree. Both lines are named if they do not.
 *   - A node that is mentioned as a peer but has no lines of its own: a host is taken from its peers' lines if
 *     `hosts_may_lack_blocks`; anything else is an error, as the file is probably truncated.
 *   - A port listed twice with the same peer counts once (chassis are printed twice by ibnetdiscover -g).
 *   - A cable from a node to itself (a loopback plug in a test set-up) is ignored, and said: no route ever uses it.
 *   - LIDs that contradict one another are remarked (they may during a sweep); one port GUID of two ports is an error.
 *   - Endpoints are the connected ports of adapters and routers; adapters without a cable are left out.
 *   - A cable has the lower of the capacities that its ends state and the higher latency; CW_DEFAULT_… if none does.
 * Names are those of the user's node name map, else descriptions; where several nodes share one, " [node GUID, 16
 * hexadecimal digits]" is appended to all of theirs (" [LID n]" to hosts of which the file tells no GUID); where an
 * adapter has several connected ports, "/P" and the port number. A node without a description is called by its id.
 */
#ifndef CW_NET_IB_FABRIC_H
#define CW_NET_IB_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/files/ib_scan.h"
#include "net/files/node_names.h"
#include "net/name_table.h"
#include "net/network.h"

CW_BEGIN_DECLS

#define CW_IB_MAX_PORTS 255    /* port numbers are 8 bits wide */
#define CW_IB_MAX_LID   0xbfff /* of unicast */

struct cw_ib_node {
    struct cw_ib_span description;
    struct cw_ib_span name; /* the user's; empty: the description */
    uint64_t guid;          /* of the node; how it is told from others of the same description */
    uint64_t port_guid;     /* of a switch */
    uint64_t system_guid;
    unsigned long line; /* where its own lines begin; 0: it is only mentioned */
    uint32_t vendor, device;
    uint32_t lid;   /* of a switch */
    uint16_t ports; /* the device has, as far as is known */
    uint8_t lmc;    /* of a switch */
    uint8_t kind;   /* CW_KIND_SWITCH, _HOST or _ROUTER */
};

/* One line: port NUMBER of NODE is cabled to port PEER_NUMBER of PEER. Zero where the line says nothing. */
struct cw_ib_port {
    uint32_t node, peer;
    uint16_t number, peer_number;
    uint8_t lmc;
    uint32_t lid, peer_lid;
    uint64_t guid, peer_guid; /* of the ports */
    double capacity;          /* byte/s; 0: unknown */
    double latency;           /* s; negative: unknown */
    unsigned long line;
};

struct cw_ib_fabric {
    const char *file;
    const struct cw_node_names *names; /* the user's for nodes, borrowed, or NULL */
    bool hosts_may_lack_blocks;
    bool host_guids_unknown;   /* the file does not tell the node GUIDs of hosts */
    bool ids_are_guids;        /* an id is "H-" (or S-, R-) and the GUID; else it is a free name */
    bool file_order;           /* vertices in the order of the file; else by name in natural order, GUID and port */
    struct cw_name_table *ids; /* id → index in nodes */
    struct cw_ib_node *nodes;
    struct cw_ib_port *ports;
    size_t n_nodes, nodes_capacity, n_ports, ports_capacity;
};

/* FABRIC must be zeroed but for `file` and the flags. Free it in any case. */
int cw_ib_fabric_open(struct cw_ib_fabric *fabric);
void cw_ib_fabric_free(struct cw_ib_fabric *fabric);

/* The node with this id, added (zeroed, of kind KIND) if it is new. */
int cw_ib_fabric_node(struct cw_ib_fabric *fabric, struct cw_ib_span id, uint8_t kind, uint32_t *node);

int cw_ib_fabric_port(struct cw_ib_fabric *fabric, const struct cw_ib_port *port);

/* The node's id, for messages; valid until the next node is added. */
const char *cw_ib_fabric_label(const struct cw_ib_fabric *fabric, uint32_t node);

/* Checks what was added and builds the network. */
int cw_ib_fabric_build(struct cw_ib_fabric *fabric, struct cw_network **net);

/* The port lines by their place: PORT_AT[AT[node] + number] is the line's index plus 1, or 0 if that port has no
 * cable; loopback cables are left out. Free with cw_ib_map_free. */
struct cw_ib_map {
    size_t *at; /* [n_nodes + 1] */
    uint32_t *port_at;
};

/* The first half of cw_ib_fabric_build: completes hosts without lines of their own, and checks that all lines agree. */
int cw_ib_fabric_check(struct cw_ib_fabric *fabric, struct cw_ib_map *map);
void cw_ib_map_free(struct cw_ib_map *map);
/* After it: contradictory LIDs are remarked (base/input.h); a port GUID of two ports is CW_EPARSE. */
int cw_ib_fabric_agree(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map);

/* Gives nodes the names of `names`, if there are any; those of no node are remarked. 0 or CW_ENOMEM. */
int cw_ib_fabric_rename(struct cw_ib_fabric *fabric);

CW_END_DECLS

#endif
