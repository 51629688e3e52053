/* Cables that are down, as the command line names them. */
#ifndef CW_CLI_PLAN_FAILED_H
#define CW_CLI_PLAN_FAILED_H

#include <stddef.h>
#include <stdint.h>

#include "net/network.h"

/* Channels, both directions of each cable; starts zeroed. */
struct plan_failed {
    uint32_t *channels;
    size_t n, capacity;
};

/* Reads a comma-separated LIST (commas in parentheses belong to a name) of channels by number, A/PORT or A/PORT>B/PORT
 * as results print them, and A-B: all cables between two vertices. */
int plan_failed_parse(const struct cw_network *net, const char *list, struct plan_failed *out);
void plan_failed_free(struct plan_failed *failed);

#endif
