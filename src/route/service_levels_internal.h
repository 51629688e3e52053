/*
 * How service levels are kept, for the files that read them. Not installed.
 */
#ifndef CW_ROUTE_SERVICE_LEVELS_INTERNAL_H
#define CW_ROUTE_SERVICE_LEVELS_INTERNAL_H

#include <stdbool.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/files/lft_internal.h"
#include "route/service_levels.h"

CW_BEGIN_DECLS

#define CW_LEVEL_NO_PATH CW_SERVICE_LEVELS /* the subnet manager says that there is none */
#define CW_LEVEL_UNKNOWN UINT8_MAX         /* nothing was said */

/* A switch with n cables has n · n rows, by port in and port out (cw_level_row); an endpoint has one. A row is 16
 * lanes of 4 bits, that of level 0 the lowest. */
struct cw_service_levels {
    const struct cw_network *net;
    uint8_t *level;    /* [n_endpoints · n_endpoints] of source, destination */
    size_t *first_row; /* [n_vertices + 1] */
    uint64_t *row;     /* NULL: everywhere the lane is the level */
    bool *given;       /* by a file, as long as rows are read */
    uint32_t lanes;
};

/* The row for packets that came by BEFORE (CW_NONE: from the endpoint itself) and leave by CHANNEL. */
static inline size_t cw_level_row(const struct cw_service_levels *levels, uint32_t before, uint32_t channel)
{
    const struct cw_network *net = levels->net;
    const uint32_t v = net->tail[channel];
    if (before == CW_NONE) return levels->first_row[v];
    const size_t in = net->twin[before] - net->first[v], out = channel - net->first[v];
    return levels->first_row[v] + in * cw_network_degree(net, v) + out;
}

#define CW_LANE_IS_LEVEL UINT64_C(0xfedcba9876543210) /* a row in which each level is on the lane of its number */

/* The row itself. */
static inline uint64_t cw_level_lanes(const struct cw_service_levels *levels, uint32_t before, uint32_t channel)
{
    return levels->row ? levels->row[cw_level_row(levels, before, channel)] : CW_LANE_IS_LEVEL;
}

/* The lane of level SL in it, or CW_LANE_DISCARDED. */
static inline uint32_t cw_lane_in(uint64_t row, uint32_t sl)
{
    return (uint32_t)(row >> 4 * sl) & 15;
}

/* Levels 0 to LANES - 1, each on the lane of its number; all pairs have level 0. */
int cw_service_levels_new(const struct cw_network *net, uint32_t lanes, struct cw_service_levels **out);
/* The same with a row of maps for every port, all to lane 0 yet. LANES are those that packets use. */
int cw_service_levels_new_maps(const struct cw_network *net, uint32_t lanes, struct cw_service_levels **out);
void cw_service_levels_set(struct cw_service_levels *levels, uint32_t src, uint32_t dst, uint32_t sl);

/* Where levels come from: the names of the files with the levels of pairs and with the lanes, and who fills them in, in
 * levels of which nothing is known yet. */
struct cw_levels_source {
    const char *pairs, *maps;
    int (*fill)(void *context, const struct cw_lft_names *names, struct cw_service_levels *levels);
    void *context;
};

/* Levels of SOURCE, which are checked to be complete. */
int cw_service_levels_make(const struct cw_network *net, const struct cw_levels_source *source,
                           struct cw_service_levels **out);

/* Readers of one file each into LEVELS. */
int cw_levels_read_paths(const struct cw_lft_names *names, const struct cw_levels_file *file,
                         struct cw_service_levels *levels);
int cw_levels_read_maps(const struct cw_lft_names *names, const struct cw_levels_file *file,
                        struct cw_service_levels *levels);

CW_END_DECLS

#endif
