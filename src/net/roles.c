#include "net/roles.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static uint32_t role_of_endpoint(const struct cw_network *net, uint32_t v)
{
    const uint8_t kind = net->identity ? net->identity[v].kind : CW_KIND_HOST;
    return kind == CW_KIND_AGGREGATION ? CW_ROLE_AGGREGATION : kind == CW_KIND_ROUTER ? CW_ROLE_ROUTER : CW_ROLE_HOST;
}

static int compare_counts(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The median of the numbers in HOSTS that are not 0; SORTED is work space. */
static uint32_t usual_hosts(const uint32_t *hosts, uint32_t n, uint32_t *sorted)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++)
        if (hosts[i] > 0) sorted[used++] = hosts[i];
    if (used == 0) return 0;
    qsort(sorted, used, sizeof *sorted, compare_counts);
    return sorted[used / 2];
}

/* Leaves have level 1, their neighbours among switches 2, and so on. QUEUE has room for all switches. */
static uint32_t search(const struct cw_network *net, const uint32_t *hosts, uint32_t usual, uint32_t *queue,
                       uint32_t *roles)
{
    uint32_t n = 0, levels = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t here = hosts[v - net->n_endpoints];
        roles[v] = CW_ROLE_LOOSE;
        if (here == 0 || here < usual / 4.0) continue;
        roles[v] = CW_ROLE_LEAF;
        queue[n++] = v;
    }
    for (uint32_t done = 0; done < n; done++) {
        const uint32_t v = queue[done];
        levels = roles[v] - CW_ROLE_LEAF + 1;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t head = net->head[c];
            if (cw_network_is_endpoint(net, head) || roles[head] != CW_ROLE_LOOSE) continue;
            roles[head] = roles[v] + 1;
            queue[n++] = head;
        }
    }
    return levels;
}

int cw_network_roles(const struct cw_network *net, uint32_t *roles, uint32_t *levels)
{
    const uint32_t n = cw_network_switches(net);
    uint32_t *hosts = cw_new_array(n, sizeof *hosts, "roles of switches");
    uint32_t *queue = cw_new_array(n, sizeof *queue, "roles of switches");
    const int rc = hosts && queue ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_endpoints && !rc; v++) {
        roles[v] = role_of_endpoint(net, v);
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (roles[v] == CW_ROLE_HOST && !cw_network_is_endpoint(net, net->head[c]))
                hosts[net->head[c] - net->n_endpoints]++;
    }
    if (!rc) *levels = search(net, hosts, usual_hosts(hosts, n, queue), queue, roles);
    free(hosts);
    free(queue);
    return rc;
}

const char *cw_role_name(uint32_t role, uint32_t levels, char *buffer)
{
    static const char *const names[] = {"host", "aggregation node", "router", "switch", "leaf"};
    if (role <= CW_ROLE_LEAF)
        snprintf(buffer, CW_ROLE_SIZE, "%s", names[role]);
    else if (levels == 2)
        snprintf(buffer, CW_ROLE_SIZE, "spine");
    else
        snprintf(buffer, CW_ROLE_SIZE, "level %u", role - CW_ROLE_LEAF + 1);
    return buffer;
}
