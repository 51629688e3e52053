/* Demands to any of several endpoints, of a small network: what is accepted keeps the promises of its header. */
#include <stdlib.h>

#include "base/error.h"
#include "flow/anycast/anycast.h"
#include "fuzz.h"
#include "topo/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_network *net;
    struct cw_anycast anycast;
    struct cw_demands pairs;
    if (cw_topology_build("xgft:1:8:1", &net) != 0) abort();
    if (cw_anycast_parse(net, NULL, "sets", (const char *)data, size, &anycast) != 0) {
        if (*cw_error_message() == 0) abort();
        cw_network_free(net);
        return 0;
    }
    uint64_t room[8] = {0};
    bool seen[8] = {false};
    for (size_t m = 0; m < anycast.n_members; m++) {
        const struct cw_anycast_member *member = &anycast.members[m];
        const struct cw_anycast_set *set = &anycast.sets[member->set];
        if (seen[member->endpoint] || m < set->first || m >= set->first + set->n) abort();
        if (member->bytes == 0 || !(member->rate > 0)) abort();
        seen[member->endpoint] = true;
        if (__builtin_add_overflow(room[member->set], member->bytes, &room[member->set]))
            room[member->set] = UINT64_MAX;
    }
    for (size_t d = 0; d < anycast.n_demands; d++) {
        const struct cw_anycast_demand *demand = &anycast.demands[d];
        if (demand->bytes == 0 || demand->bytes > room[demand->set]) abort();
        room[demand->set] -= demand->bytes;
    }
    if (anycast.n_demands == 0 || cw_anycast_pairs(&anycast, &pairs) != 0 || pairs.self_pairs > 0) abort();
    cw_demands_free(&pairs);
    cw_anycast_free(&anycast);
    cw_network_free(net);
    return 0;
}
