#include "study/leg_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/files/lft_file.h"

static int fail_too_many(void)
{
    return cw_fail(CW_ELIMIT, "more than %d ways for each leg; expected fewer routes", CW_LEG_WAYS_MAX);
}

int cw_leg_ways_add(struct cw_leg_ways *ways, const struct cw_routes *routes)
{
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++) {
        if (ways->n == CW_LEG_WAYS_MAX) return fail_too_many();
        ways->routes[ways->n++] = cw_routes_to_lid(routes, lid);
    }
    return 0;
}

/* Takes ROUTES over, also on failure. */
static int add_made(struct cw_leg_ways *ways, struct cw_routes *routes)
{
    if (ways->n_made == CW_LEG_WAYS_MAX) {
        cw_routes_free(routes);
        return fail_too_many();
    }
    ways->made[ways->n_made++] = routes;
    return cw_leg_ways_add(ways, routes);
}

static int add_routing(struct cw_leg_ways *ways, const struct cw_network *net, const char *spec, uint64_t seed,
                       unsigned n_threads)
{
    struct cw_routes *routes;
    const int rc = cw_engine_route(net, spec, seed, n_threads, &routes);
    return rc ? rc : add_made(ways, routes);
}

int cw_leg_ways_add_lids(struct cw_leg_ways *ways, const struct cw_network *net, uint32_t n, uint64_t seed,
                         unsigned n_threads)
{
    int rc = 0;
    for (uint32_t lid = 1; lid <= n && !rc; lid++) {
        char spec[64];
        snprintf(spec, sizeof spec, "random-minimal:lid=%u", lid);
        rc = add_routing(ways, net, spec, seed, n_threads);
    }
    return rc;
}

static int add_tables(struct cw_leg_ways *ways, const struct cw_network *net, const char *file)
{
    struct cw_routes *routes;
    const int rc = cw_lft_read_lids(net, file, CW_LIDS_MAX, NULL, &routes);
    return rc ? rc : add_made(ways, routes);
}

static int add_item(struct cw_leg_ways *ways, const struct cw_network *net, const char *item, uint64_t seed,
                    unsigned n_threads)
{
    if (strncmp(item, "lft:", 4) == 0) return add_tables(ways, net, item + 4);
    if (strcmp(item, "adaptive") != 0) return add_routing(ways, net, item, seed, n_threads);
    ways->adaptive = true;
    return 0;
}

int cw_leg_ways_add_list(struct cw_leg_ways *ways, const struct cw_network *net, const char *list, uint64_t seed,
                         unsigned n_threads)
{
    int rc = 0;
    while (!rc && *list) {
        list += strspn(list, "; ");
        size_t length = strcspn(list, ";");
        const char *next = list + length;
        while (length > 0 && list[length - 1] == ' ') length--;
        if (length == 0) return 0;
        char *item = cw_copy_text(list, length);
        if (!item) return CW_ENOMEM;
        rc = add_item(ways, net, item, seed, n_threads);
        free(item);
        list = next;
    }
    return rc;
}

void cw_leg_ways_free(struct cw_leg_ways *ways)
{
    if (!ways) return;
    for (size_t i = 0; i < ways->n_made; i++) cw_routes_free(ways->made[i]);
    *ways = (struct cw_leg_ways){.n = 0};
}
