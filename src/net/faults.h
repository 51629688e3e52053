/*
 * Faults: cables, switches and ports that are down or slow, and the network as it is with them.
 *
 * A network with faults is one without the cables and switches concerned, just as if a map of it had been read that
 * does not have them. It has its shape with gaps (cw_faults_keep_places). Vertices keep their order and names, and
 * channels their ports; a switch that has failed, or has lost all its cables, is gone; endpoints stay, even without a
 * cable, for ranks are counted by them.
 */
#ifndef CW_NET_FAULTS_H
#define CW_NET_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Cables are marked by both of their channels, one-way cables by the one that failed. Starts with cw_faults_new. */
struct cw_faults {
    const struct cw_network *net; /* borrowed */
    bool *failed;                 /* [n_channels] */
    bool *gone;                   /* [n_vertices] switches */
    double *capacity;             /* [n_channels] byte/s */
    uint32_t cables, switches;    /* that failed; those of failed switches count */
    uint32_t one_way;             /* cables of which one direction failed */
    uint32_t slower;              /* cables that are slower than in the network, failed or not */
};

/* Begins without a fault; NET must outlive them. 0 or CW_ENOMEM. */
CW_API int cw_faults_new(const struct cw_network *net, struct cw_faults **out);
CW_API void cw_faults_free(struct cw_faults *faults);

/* Takes out what LIST names, separated by commas (those in parentheses and brackets belong to a name):
 *
 *     SWITCH        with all its cables; by name or GUID ("0x…")
 *     ENDPOINT      its cables
 *     HOST          those of all its endpoints (net/name_index.h)
 *     A-B           all cables between two vertices
 *     A>B           all channels from switch A to switch B, not those back; A/PORT>B, A/PORT>B/PORT: that of this port,
 *                   as results print channels. Cables whose other direction is closed or has failed have failed
 *     A/PORT        the cable at this port; also A/PORT-B/PORT
 *     17            the cable of this channel
 *     N%            so many of the cables between switches, to the nearest whole one, drawn by SEED; those of 5% are
 *                   among those of 10%
 *     FILE          one of the above a line, comments from a '#' at the beginning or after a blank
 *
 * Each may have brackets that stand for numbers, "leaf[01-16]-spine3" (net/host_list.h).
 *
 * A name goes before a number, both before a file, and that before brackets. WHAT names the list in messages
 * ("--failed"). CW_EUSAGE, CW_EPARSE with file and line, or CW_ENOMEM. */
CW_API int cw_faults_fail(struct cw_faults *faults, const char *what, const char *list, uint64_t seed);

/* The same of the cable of CHANNEL; and of a switch, or of the cables of an endpoint. */
CW_API void cw_faults_fail_cable(struct cw_faults *faults, uint32_t channel);
CW_API void cw_faults_fail_vertex(struct cw_faults *faults, uint32_t v);

/* Slows down what LIST names: items of the same kinds, each with "=RATE" ("s2-s7=8Gbit/s,5%=10Gbit/s"), in both
 * directions but for A>B. Cables that are as slow already stay; CW_EUSAGE if an item slows nothing down. */
CW_API int cw_faults_degrade(struct cw_faults *faults, const char *what, const char *list, uint64_t seed);

/* What faults do to channels, by their numbers in the network that has none yet: what a file can keep. */
struct cw_channel_change {
    uint32_t channel;
    double capacity; /* byte/s; 0: it has failed */
};

/* Starts zeroed; free `items`. */
struct cw_channel_changes {
    struct cw_channel_change *items; /* [n], by channel */
    size_t n;
    const char *file; /* that they are from, for messages; borrowed */
};

/* All that FAULTS do. 0 or CW_ENOMEM. */
CW_API int cw_faults_list(const struct cw_faults *faults, struct cw_channel_changes *out);

/* Adds those of LIST, whose file may be of another network: CW_EPARSE for a number that is no channel's. */
CW_API int cw_faults_add(struct cw_faults *faults, const struct cw_channel_changes *list);

/* The cable of CHANNEL as such lists have it, "leaf1/3-spine2/1", in BUFFER (SIZE bytes with the 0). */
CW_API const char *cw_faults_cable_name(const struct cw_network *net, uint32_t channel, char *buffer, size_t size);

/* The network with its faults, not yet recognised; its title says how many there are. *OUT is owned by the caller.
 * O(vertices + channels).
 */
CW_API int cw_network_with_faults(const struct cw_faults *faults, struct cw_network **out);

/* NET, made of FAULTS, is still the shape that it was, with gaps: sets net->places, unless it was recognised as one of
 * that kind (topo/recognise.h), or cables work in one direction only. */
CW_API int cw_faults_keep_places(const struct cw_faults *faults, struct cw_network *net);

CW_END_DECLS

#endif
