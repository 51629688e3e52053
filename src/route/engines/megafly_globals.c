#include "route/engines/megafly_globals.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static const char what[] = "global channels of a Megafly";

/* Counts the channels of each pair of groups, or puts each in its place. PLACE: where the next one of a pair goes. */
static void go_through(struct cw_megafly_globals *globals, uint32_t *place, bool list)
{
    const struct cw_network *net = globals->net;
    const uint32_t all = net->shape.megafly.l + net->shape.megafly.s;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!cw_network_is_global(net, c)) continue;
        const uint32_t from = (net->tail[c] - net->n_endpoints) / all, to = (net->head[c] - net->n_endpoints) / all;
        uint32_t *at = &place[(size_t)from * globals->g + to];
        if (list) globals->global[*at] = c;
        ++*at;
    }
}

static void find_bundles(struct cw_megafly_globals *globals, size_t pairs)
{
    const uint32_t *tail = globals->net->tail, *global = globals->global;
    uint32_t n = 0;
    for (size_t pair = 0; pair < pairs; pair++) {
        const uint32_t begin = globals->joint[pair];
        globals->spines[pair] = n;
        for (uint32_t i = begin; i < globals->joint[pair + 1]; i++)
            if (i == begin || tail[global[i]] != tail[global[i - 1]]) globals->bundle[n++] = i;
    }
    globals->spines[pairs] = n;
    globals->bundle[n] = globals->joint[pairs];
}

int cw_megafly_globals_new(const struct cw_network *net, struct cw_megafly_globals *out)
{
    struct cw_megafly_globals globals = {.net = net, .g = net->shape.megafly.g};
    const size_t pairs = (size_t)globals.g * globals.g;
    globals.joint = cw_new_array(pairs + 2, sizeof *globals.joint, what);
    globals.spines = cw_new_array(pairs + 1, sizeof *globals.spines, what);
    globals.global = cw_new_array(net->n_channels, sizeof *globals.global, what);
    globals.bundle = cw_new_array((size_t)net->n_channels + 1, sizeof *globals.bundle, what);
    if (!globals.joint || !globals.spines || !globals.global || !globals.bundle) {
        cw_megafly_globals_free(&globals);
        return CW_ENOMEM;
    }
    go_through(&globals, globals.joint + 2, false);
    for (size_t i = 0; i <= pairs; i++) globals.joint[i + 1] += globals.joint[i];
    go_through(&globals, globals.joint + 1, true);
    find_bundles(&globals, pairs);
    *out = globals;
    return 0;
}

void cw_megafly_globals_free(struct cw_megafly_globals *globals)
{
    free(globals->joint);
    free(globals->spines);
    free(globals->global);
    free(globals->bundle);
    *globals = (struct cw_megafly_globals){0};
}

bool cw_megafly_not_joined(const struct cw_megafly_globals *globals, uint32_t *from, uint32_t *to)
{
    for (*from = 0; *from < globals->g; ++*from)
        for (*to = 0; *to < globals->g; ++*to) {
            const uint32_t *joint = globals->joint + (size_t)*from * globals->g + *to;
            if (*from != *to && joint[0] == joint[1]) return true;
        }
    return false;
}
