/*
 * From a network with loads to a picture of it: who is in which box, what is written there, what failed and what is
 * slow.
 */
#ifndef CW_CLI_MAP_DRAWING_H
#define CW_CLI_MAP_DRAWING_H

#include <stdbool.h>

#include "net/network.h"
#include "report/map_picture.h"

/* Everything is borrowed. */
struct map_content {
    const struct cw_network *whole; /* what is drawn, as it was before anything failed */
    const struct cw_network *net;   /* as it is now; may be the same */
    const double *load;             /* [channels of net] */
    bool by_bytes;                  /* loads are seconds */
    const char *quantity;           /* what they are */
    const char *regime;             /* a sentence of how they came about */
};

struct map_parts;

/* Free with map_drawing_free. The picture borrows from the content. */
struct map_drawing {
    struct cw_map_picture picture;
    uint32_t cables, failed, slow; /* of the whole network, also within boxes */
    const char *merged;            /* what was put together; empty: nothing */
    struct map_parts *parts;       /* what all of these are made of */
};

int map_drawing_new(const struct map_content *content, struct map_drawing *out);
void map_drawing_free(struct map_drawing *drawing);

#endif
