/* On which endpoints the ranks of a run are. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "study/bench/bench_prediction.h"
#include "study/host_map.h"

struct search {
    const struct cw_bench_run *run;
    const struct cw_network *net;
    struct cw_name_index *names;
    uint32_t *endpoints;
};

static uint32_t endpoint_called(const struct search *search, const char *text)
{
    const uint32_t v = cw_name_index_vertex(search->names, text);
    return v != CW_NONE && cw_network_is_endpoint(search->net, v) ? v : CW_NONE;
}

/* The only endpoint whose name begins with the LENGTH bytes at WORD and a blank. */
static uint32_t endpoint_beginning(const struct search *search, const char *word, size_t length)
{
    uint32_t found = CW_NONE;
    for (uint32_t e = 0; e < search->net->n_endpoints; e++) {
        char name[CW_NAME_SIZE];
        cw_network_name(search->net, e, name, sizeof name);
        if (strncmp(name, word, length) != 0 || name[length] != ' ') continue;
        if (found != CW_NONE) return CW_NONE;
        found = e;
    }
    return found;
}

static int find_host(const struct search *search, uint32_t rank)
{
    const char *host = search->run->hosts[rank];
    const size_t length = strcspn(host, ".");
    char *brief = cw_copy_text(host, length);
    if (!brief) return CW_ENOMEM;
    uint32_t e = endpoint_called(search, host);
    if (e == CW_NONE) e = endpoint_called(search, brief);
    if (e == CW_NONE) e = endpoint_beginning(search, brief, length);
    free(brief);
    search->endpoints[rank] = e;
    if (e != CW_NONE) return 0;
    return cw_fail(CW_EUSAGE,
                   "host '%s' of rank %u is not an endpoint of %s; expected a map of hosts that says which it is", host,
                   rank, search->net->title);
}

/* All ranks on HOST are there; a map may know more hosts than ran. */
static int place_host(void *context, const struct cw_lines *lines, const char *host, const char *name)
{
    struct search *search = context;
    uint32_t endpoint;
    const int rc = cw_host_map_find(lines, search->net, search->names, name, &endpoint);
    if (rc) return rc;
    for (uint32_t r = 0; r < search->run->n_ranks; r++) {
        if (strcmp(search->run->hosts[r], host) != 0) continue;
        if (search->endpoints[r] != CW_NONE)
            return cw_fail_at(lines->file, lines->number, "host '%s' has an endpoint already", host);
        search->endpoints[r] = endpoint;
    }
    return 0;
}

int cw_bench_hosts(const struct cw_bench_run *run, const struct cw_network *net, const char *map, uint32_t *endpoints)
{
    struct search search = {.run = run, .net = net, .endpoints = endpoints};
    for (uint32_t r = 0; r < run->n_ranks; r++) endpoints[r] = CW_NONE;
    int rc = cw_name_index_new(net, &search.names);
    if (!rc && map) rc = cw_host_map_read(map, place_host, &search);
    for (uint32_t r = 0; r < run->n_ranks && !rc; r++)
        if (endpoints[r] == CW_NONE) rc = find_host(&search, r);
    cw_name_index_free(search.names);
    return rc;
}
