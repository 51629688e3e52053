/*
 * From a network with loads to a picture of it: who is in which box, what is written there, what failed and what is
 * slow.
 */
#ifndef CW_CLI_MAP_DRAWING_H
#define CW_CLI_MAP_DRAWING_H

#include <stdbool.h>

#include "cli/map/map_loads.h"
#include "net/network.h"
#include "net/network_match.h"
#include "report/map_picture.h"

/* Everything is borrowed. */
struct map_content {
    const struct cw_network *whole; /* what is drawn, as it was before anything failed */
    const struct cw_network *net;   /* as it is now; may be the same */
    const struct map_loads *loads;  /* of its channels */
    const char *routes;             /* the name of those by which they came about */
    const char *other_routes;       /* … of those in the state that they are compared with; NULL: there is none */
};

struct map_parts;

/* Free with map_drawing_free. The picture borrows from the content. */
struct map_drawing {
    struct cw_map_picture picture;
    uint32_t cables, failed, slow;        /* of the whole network, also within boxes */
    const char *merged;                   /* what was put together; empty: nothing */
    const uint32_t *box_of;               /* [vertices of the whole network] */
    const bool *is_slow;                  /* [channels of the whole network] both of a slow cable */
    const struct cw_network_match *match; /* from the whole network to that of now; NULL: they are the same */
    struct map_parts *parts;              /* what all of these are made of */
};

int map_drawing_new(const struct map_content *content, struct map_drawing *out);
void map_drawing_free(struct map_drawing *drawing);

#endif
