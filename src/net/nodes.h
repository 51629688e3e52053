/*
 * The inside of hosts: GPUs, NVLink and PCI Express, added to a network whose endpoints are host channel adapters.
 *
 * A map of a fabric ends at its HCAs. A few lines (doc/formats/nodes.md), or the name of a machine, say what is behind
 * them, and give a network in which the GPUs are the endpoints:
 *
 *     dgx01 gpu3        an endpoint, with one cable to
 *     dgx01 gpu3 xbar   its crossbar, which joins NVLink and PCI Express and forwards what comes by one for the other
 *     dgx01 nvlink      the NVLink switch of a domain, which is named after its first host
 *     dgx01 pcie0       a switch of PCI Express, with an HCA and the GPUs that are near it
 *     dgx01 mlx5_0      an HCA, now a switch between PCI Express and its cable
 *     dgx01 socket0     a NUMA domain, where a host has several or no NVLink: joins its PCI Express and other sockets
 *
 * GPUs come first, host by host in the order of names, and are divided evenly among the sockets of their host, and
 * those of a socket among its HCAs; where a socket has none, among all HCAs of the host. Then come the endpoints that
 * no line describes, as they were. HCAs without a cable carry nothing, unless their host has no other: it keeps them,
 * so that its GPUs are there whatever has failed.
 *
 * The network keeps the one that it was made from: forwarding tables and routings are of that (route/node_routes.c).
 */
#ifndef CW_NET_NODES_H
#define CW_NET_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/registry.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* An HCA behind which there are GPUs. */
struct cw_node_hca {
    uint32_t endpoint; /* of the fabric */
    uint32_t gpus;     /* how many are near it, on its PCI Express switch, from 1 */
    uint32_t gpu;      /* the first of them: endpoints that follow one another */
    uint32_t
        rail; /* HCAs of one rail have the same name in their hosts, or place, if names do not say whose they are */
    uint32_t first, end; /* the HCAs of its host */
    uint32_t domain;     /* of NVLink */
    uint32_t in;         /* the channel from its PCI Express switch */
    uint32_t socket;     /* of its host, from 0 */
    uint32_t up;         /* the channel from its PCI Express switch to its socket; CW_NONE: nothing goes that way */
    bool pxn;
};

/* A GPU. Ways back are twins. */
struct cw_node_gpu {
    uint32_t hca;    /* by which it leaves its host: place in `hcas` */
    uint32_t begin;  /* the channel to its crossbar */
    uint32_t nvlink; /* from there to NVLink; CW_NONE: it has none */
    uint32_t pcie;   /* from there to PCI Express: the switch of its HCA, if that is near, or its socket */
    bool near;
};

struct cw_nodes {
    struct cw_network *fabric; /* owned */
    uint32_t *channel;         /* [channels of the fabric] the same in the network */
    uint32_t *endpoint;        /* [endpoints - n_gpus] those of the fabric that stay endpoints, from n_gpus on */
    struct cw_node_hca *hcas;
    struct cw_node_gpu *gpus; /* endpoints 0 … n_gpus - 1 */
    uint32_t n_hcas, n_gpus, n_hosts;
    uint32_t n_domains; /* of NVLink; and each host without it is one */
    uint32_t n_without; /* hosts without NVLink */
    bool sockets;       /* some hosts have some */
    char *file, *lines; /* what they were made by; owned */
    size_t length;      /* of `lines` */
    bool is_file;       /* else a line that stands for a name */
    uint32_t inside;    /* vertices from here on are inside hosts, and so are all their channels */
};

/* Machines that have names. */
struct cw_machine {
    const char *name;  /* "dgx-h100" */
    const char *help;  /* a sentence */
    const char *words; /* as a line of a file has them */
};
extern const struct cw_registry cw_machine_registry;

/* FABRIC, which is taken over, also on failure, with what SPEC says: "NAME", "NAME:KEY=VALUE,…" of a machine, of all
 * hosts, or a file, whose name has a '.' or a '/'. O(vertices · log vertices + channels). */
int cw_nodes_add(struct cw_network *fabric, const char *spec, struct cw_network **out);

/* The same with the LENGTH bytes at DATA of FILE. */
int cw_nodes_parse(struct cw_network *fabric, const char *file, const char *data, size_t length,
                   struct cw_network **out);

/* The endpoint of the fabric through which endpoint E of the network sends and receives. */
uint32_t cw_nodes_endpoint(const struct cw_nodes *nodes, uint32_t e);

/* NET as boxes of GPUs on rails (flow/rails.h): each NVLink domain is a switch, with a cable to each of its GPUs, and
 * the HCAs are its ports, as fast as the slower of PCI Express and their cable. Endpoints keep their numbers. *OUT is
 * owned by the caller. */
int cw_nodes_to_boxes(const struct cw_network *net, struct cw_network **out);

/* FABRIC, which is taken over, also on failure, with the inside of hosts that NET has: GPUs keep their numbers where
 * cables of NET's fabric have failed. Where NET's endpoints have no inside, FABRIC itself. */
int cw_nodes_renew(const struct cw_network *net, struct cw_network *fabric, struct cw_network **out);

/* The fabric of NET, whose switches and cables fail, and which tables are of; NET, if its endpoints have no inside. */
const struct cw_network *cw_network_fabric(const struct cw_network *net);

void cw_nodes_free(struct cw_nodes *nodes);

/* NET's; NULL: its endpoints have no inside. */
const struct cw_nodes *cw_network_nodes(const struct cw_network *net);

CW_END_DECLS

#endif
