/* What users type: specifications of networks, patterns, schedules, placements and engines, numbers with units, lists
 * of hosts. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "fuzz.h"
#include "net/host_list.h"
#include "route/engine.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/schedule.h"

static void parse_numbers(const char *text)
{
    struct cw_reals reals;
    struct cw_ints ints;
    uint64_t bytes;
    double value;
    if (cw_parse_reals("x", text, &reals) == 0) cw_reals_free(&reals);
    if (cw_parse_ints("x", text, &ints) == 0) cw_ints_free(&ints);
    cw_parse_bytes("x", text, &bytes);
    cw_parse_rate("x", text, &value);
    cw_parse_time("x", text, &value);
}

/* Names are not empty, and a thousand of them are enough. */
static int take_host(void *context, const char *name, bool last)
{
    int *n = context;
    if (!last) return CW_HOST_UNKNOWN;
    if (!*name) abort();
    return ++*n < 1000 ? 0 : CW_EINTERRUPTED;
}

static void expand_hosts(const char *text)
{
    int n = 0;
    const int rc = cw_host_list_each(text, take_host, &n);
    if (rc == 0 ? n == 0 : rc != CW_EUSAGE && rc != CW_EINTERRUPTED) abort();
    if (cw_host_list_item(text) > strlen(text)) abort();
}

/* Networks that a typo could make huge are refused or too slow to build again and again: only short numbers are built.
 */
static int has_long_number(const char *text)
{
    for (size_t digits = 0; *text; text++) {
        digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
        if (digits > 1) return 1;
    }
    return 0;
}

static void build(const struct cw_network *small, const char *text)
{
    struct cw_network *net;
    struct cw_pattern *pattern;
    struct cw_schedule *schedule;
    struct cw_routes *routes;
    if (strlen(text) < 20 && !has_long_number(text) && cw_topology_build(text, &net) == 0) {
        if (cw_network_check(net) != 0) abort();
        cw_network_free(net);
    }
    if (strncmp(text, "matrix", 6) != 0 && cw_pattern_new(text, NULL, &pattern) == 0) cw_pattern_free(pattern);
    if (cw_schedule_new(text, &schedule) == 0) cw_schedule_free(schedule);
    if (cw_engine_route(small, text, 1, 1, &routes) == 0) cw_routes_free(routes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *small;
    if (!small && cw_topology_build("torus:3x3", &small) != 0) abort();
    if (size > 256) return 0;
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    parse_numbers(text);
    expand_hosts(text);
    build(small, text);
    free(text);
    return 0;
}
