/*
 * Service levels of an InfiniBand fabric: which virtual lane a packet takes on each hop.
 *
 * The subnet manager gives each pair (source, destination) a service level (SL, 0 to 15), which a packet carries all
 * the way. Each port maps it to a virtual lane (VL) by a table of its own, at a switch one for each port that the
 * packet may have come in by (SL2VL). Lane 15 is for management: what a table maps to it is discarded. Engines such as
 * DFSSSP, LASH and torus-2QoS are free of deadlocks by these lanes only (InfiniBand Architecture Specification
 * 1, 7.6.6).
 */
#ifndef CW_ROUTE_SERVICE_LEVELS_H
#define CW_ROUTE_SERVICE_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "net/network.h"
#include "route/routes.h"

CW_BEGIN_DECLS

#define CW_SERVICE_LEVELS 16u
#define CW_LANE_DISCARDED 15u /* in place of a lane: the packet goes no further */

struct cw_service_levels;

/* What a file is called in messages, and its content. */
struct cw_levels_file {
    const char *name, *data;
    size_t length;
};

/* The levels of NET from the files PATH_RECORDS (opensm-path-records.dump, as OpenSM's plug-in dump_pr writes it, or
 * what `saquery -p` prints) and SL2VL (opensm-sl2vl.dump, or what `smpquery sl2vl` prints). Both must be complete: a
 * level for every pair of connected endpoints or the word that there is no path, a row for every pair of connected
 * ports of a switch and for every endpoint. Ports are found by GUID, then by LID, as in files of forwarding tables.
 * Memory: endpoints² bytes. */
int cw_service_levels_read(const struct cw_network *net, const char *path_records, const char *sl2vl,
                           struct cw_service_levels **out);

/* The same for content in memory. */
int cw_service_levels_parse(const struct cw_network *net, const struct cw_levels_file *path_records,
                            const struct cw_levels_file *sl2vl, struct cw_service_levels **out);
void cw_service_levels_free(struct cw_service_levels *levels);

/* The level of packets from endpoint SRC to endpoint DST, or CW_SERVICE_LEVELS if the subnet manager has no path. */
uint32_t cw_service_levels_of(const struct cw_service_levels *levels, uint32_t src, uint32_t dst);

/* The lane on CHANNEL of packets with level SL that came by the channel BEFORE (CW_NONE: CHANNEL leaves their source),
 * or CW_LANE_DISCARDED. */
uint32_t cw_service_levels_lane(const struct cw_service_levels *levels, uint32_t before, uint32_t channel, uint32_t sl);

/* Gives ROUTES, which must be tables of the same network, these lanes; takes LEVELS over, also on failure. */
int cw_routes_set_service_levels(struct cw_routes *routes, struct cw_service_levels *levels);

/* Says of tables whose service levels are not known that there are none: all packets are on lane 0. */
void cw_routes_set_one_lane(struct cw_routes *routes);

/* Appends the service levels of ROUTES, which must be tables, as an opensm-path-records.dump and an opensm-sl2vl.dump,
 * which the readers above read back. Routes on one lane have level 0 throughout; CW_EUSAGE for several lanes without
 * service levels, and for tables whose levels are not known. The MTU of the records is 2048 bytes; their rate is that
 * of the slowest channel. GUIDs and LIDs as cw_lft_write has them. Memory: endpoints² bytes. */
int cw_path_records_write(const struct cw_routes *routes, struct cw_text *text);
int cw_sl2vl_write(const struct cw_routes *routes, struct cw_text *text);

CW_END_DECLS

#endif
