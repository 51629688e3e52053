#include "study/jobs/seat_swaps.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/common_divisor.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

#define EFFORT   100000000 /* hops that are looked at, in all */
#define PATHS    64        /* routed together */
#define ACCURACY 1e-12     /* a change that is not worth more is none */

static const char what[] = "better endpoints";

/* What a change puts on a channel; it is undone by taking it off again. */
struct step {
    uint32_t channel;
    double bytes;
};

struct search {
    const struct cw_routes *routes;
    const double *capacity; /* [channels] */
    double *bytes;          /* [channels] whole numbers, so that what is undone leaves nothing */
    struct cw_flows matrix;
    size_t *first;   /* [n + 1] flows that rank r sends or receives: … */
    uint32_t *flows; /* … flows[first[r]] to flows[first[r + 1] - 1] */
    uint32_t n;
    uint32_t *seats; /* [n + unused] endpoints of the ranks, then those that nobody uses */
    size_t n_seats;
    uint32_t *channels; /* [PATHS · most hops] */
    struct step *steps;
    size_t n_steps, steps_room;
    uint64_t looked; /* hops, so far */
};

static void free_search(struct search *search)
{
    cw_flows_free(&search->matrix);
    free(search->bytes);
    free(search->first);
    free(search->flows);
    free(search->seats);
    free(search->channels);
    free(search->steps);
}

/* --- what is on channels ------------------------------------------------------------------------------------------ */

/* Adds N paths' bytes, AMOUNTS, to their channels; *WORSE grows by what Σ (bytes / capacity)² does. */
static int put(struct search *search, size_t n, const uint32_t *src, const uint32_t *dst, const double *amounts,
               double *worse)
{
    uint32_t hops[PATHS];
    int rc = cw_routes_packed_paths(search->routes, n, src, dst, hops, search->channels);
    const uint32_t *next = search->channels;
    for (size_t i = 0; !rc && i < n; next += hops[i++]) {
        search->looked += hops[i];
        rc = cw_grow_array((void **)&search->steps, &search->steps_room, search->n_steps + hops[i],
                           sizeof *search->steps, what);
        for (uint32_t k = 0; !rc && k < hops[i]; k++) {
            double *bytes = &search->bytes[next[k]];
            *worse += amounts[i] * (2 * *bytes + amounts[i]) / (search->capacity[next[k]] * search->capacity[next[k]]);
            *bytes += amounts[i];
            search->steps[search->n_steps++] = (struct step){next[k], amounts[i]};
        }
    }
    return rc;
}

static void undo(struct search *search)
{
    while (search->n_steps > 0) {
        const struct step *step = &search->steps[--search->n_steps];
        search->bytes[step->channel] -= step->bytes;
    }
}

/* Puts SIGN times what RANK sends and receives on channels, but what it has with BUT. */
static int put_rank(struct search *search, uint32_t rank, uint32_t but, double sign, double *worse)
{
    uint32_t src[PATHS], dst[PATHS];
    double amounts[PATHS];
    size_t n = 0;
    int rc = 0;
    for (size_t i = search->first[rank]; !rc && i < search->first[rank + 1]; i++) {
        const struct cw_flow *flow = &search->matrix.items[search->flows[i]];
        if (flow->src == but || flow->dst == but) continue;
        src[n] = search->seats[flow->src];
        dst[n] = search->seats[flow->dst];
        amounts[n++] = sign * (double)flow->bytes;
        if (n < PATHS) continue;
        rc = put(search, n, src, dst, amounts, worse);
        n = 0;
    }
    return rc || n == 0 ? rc : put(search, n, src, dst, amounts, worse);
}

/* RANK, and who sits on SEAT if anybody does. */
static int put_both(struct search *search, uint32_t rank, size_t seat, double sign, double *worse)
{
    int rc = put_rank(search, rank, CW_NONE, sign, worse);
    if (!rc && seat < search->n) rc = put_rank(search, (uint32_t)seat, rank, sign, worse);
    return rc;
}

static void change_places(struct search *search, uint32_t rank, size_t seat)
{
    const uint32_t endpoint = search->seats[rank];
    search->seats[rank] = search->seats[seat];
    search->seats[seat] = endpoint;
}

/* Whether it is *BETTER if RANK changes to SEAT; then it does. */
static int try_swap(struct search *search, uint32_t rank, size_t seat, bool *better)
{
    double without = 0, with = 0;
    int rc = put_both(search, rank, seat, -1, &without);
    if (rc) return rc;
    change_places(search, rank, seat);
    rc = put_both(search, rank, seat, 1, &with);
    *better = !rc && without + with < ACCURACY * without;
    if (*better) {
        search->n_steps = 0;
        return 0;
    }
    change_places(search, rank, seat);
    undo(search);
    return rc;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* Tries all pairs of a rank and a seat, far from each other one after another, until none is better: a search that ends
 * early has been everywhere. */
static int climb(struct search *search, size_t *swaps)
{
    const uint64_t pairs = (uint64_t)search->n * search->n_seats;
    uint64_t stride = (uint64_t)(0.618 * (double)pairs) + 1, at = 0;
    int rc = 0;
    while (cw_common_divisor(stride, pairs) > 1) stride++;
    for (uint64_t in_vain = 0; !rc && in_vain < pairs && search->looked < EFFORT; in_vain++) {
        const uint32_t rank = (uint32_t)(at / search->n_seats);
        const size_t seat = at % search->n_seats;
        bool better = false;
        at = (at + stride) % pairs;
        if (seat < search->n && seat <= rank) continue;
        rc = try_swap(search, rank, seat, &better);
        *swaps += better;
        if (better) in_vain = 0;
        if (!rc) rc = cw_interrupt_check();
    }
    return rc;
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

/* Which flows each rank has. */
static int index_matrix(struct search *search)
{
    const struct cw_flows *matrix = &search->matrix;
    size_t *first = cw_new_array((size_t)search->n + 2, sizeof *first, what);
    search->first = first;
    search->flows = cw_new_array(2 * matrix->n, sizeof *search->flows, what);
    if (!first || !search->flows) return CW_ENOMEM;
    for (size_t i = 0; i < matrix->n; i++) {
        first[matrix->items[i].src + 2]++;
        first[matrix->items[i].dst + 2]++;
    }
    for (uint32_t r = 2; r <= search->n + 1; r++) first[r] += first[r - 1];
    for (size_t i = 0; i < matrix->n; i++) {
        search->flows[first[matrix->items[i].src + 1]++] = (uint32_t)i;
        search->flows[first[matrix->items[i].dst + 1]++] = (uint32_t)i;
    }
    return 0;
}

/* Puts SHARE of MATRIX, of ranks on ENDPOINTS, on channels. */
static int put_matrix(struct search *search, const struct cw_flows *matrix, const uint32_t *endpoints, double share)
{
    double worse = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < matrix->n; i++) {
        const struct cw_flow *flow = &matrix->items[i];
        const double bytes = floor(share * (double)flow->bytes);
        rc = put(search, 1, &endpoints[flow->src], &endpoints[flow->dst], &bytes, &worse);
        search->n_steps = 0;
    }
    return rc;
}

/* Puts on channels what job JOB sends within SECONDS, of which it takes TIME; USED [endpoints] gets where it is. */
static int add_job(struct search *search, const struct cw_flow_jobs_setup *setup, size_t job, double seconds,
                   double time, bool *used)
{
    const struct cw_job_request *request = &setup->jobs->items[job];
    const double share = cw_job_ends(request) && time > seconds ? seconds / time : 1;
    struct cw_flows matrix = {0};
    uint32_t *endpoints = cw_new_array(request->ranks, sizeof *endpoints, what);
    int rc = endpoints ? cw_flow_jobs_matrix(setup, 0, job, seconds, &matrix, endpoints) : CW_ENOMEM;
    for (uint32_t r = 0; !rc && r < request->ranks; r++) used[endpoints[r]] = true;
    if (!rc) rc = put_matrix(search, &matrix, endpoints, share);
    cw_flows_free(&matrix);
    free(endpoints);
    return rc;
}

/* Behind the ranks' seats all endpoints that may run jobs, and that none is USED by. */
static void list_unused(struct search *search, const struct cw_selection *selection, uint32_t n_endpoints,
                        const bool *used)
{
    const uint32_t n = selection ? selection->n : n_endpoints;
    search->n_seats = search->n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t endpoint = selection ? selection->endpoints[i] : i;
        if (!used[endpoint]) search->seats[search->n_seats++] = endpoint;
    }
}

static int prepare(struct search *search, const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own,
                   const uint32_t *endpoints, bool *used)
{
    const size_t last = setup->jobs->n - 1;
    const double time = cw_flow_jobs_time(own, 0, last);
    int rc = 0;
    for (size_t j = 0; !rc && j < last; j++) rc = add_job(search, setup, j, time, cw_flow_jobs_time(own, 0, j), used);
    if (!rc) rc = cw_flow_jobs_matrix(setup, 0, last, time, &search->matrix, search->seats);
    if (!rc) rc = index_matrix(search);
    if (rc) return rc;
    memcpy(search->seats, endpoints, search->n * sizeof *endpoints);
    for (uint32_t r = 0; r < search->n; r++) used[endpoints[r]] = true;
    list_unused(search, setup->selection, cw_routes_network(setup->routes)->n_endpoints, used);
    return put_matrix(search, &search->matrix, search->seats, 1);
}

int cw_seats_check(const struct cw_flow_jobs_setup *setup, const char **why)
{
    int rc = 0;
    *why = setup->jobs->items[setup->jobs->n - 1].endpoints  ? "the job names its hosts"
           : cw_routes_kind(setup->routes) == CW_ROUTES_WAYS ? "messages take several ways"
                                                             : NULL;
    for (size_t j = 0; !rc && !*why && j + 1 < setup->jobs->n; j++) {
        struct cw_placement *placement = NULL;
        if (setup->jobs->items[j].endpoints) continue;
        rc = cw_placement_new(setup->jobs->items[j].placement, cw_routes_network(setup->routes), setup->selection,
                              &placement);
        if (!rc && cw_placement_is_random(placement)) *why = "another job is placed anew in each trial";
        cw_placement_free(placement);
    }
    return rc;
}

int cw_seats_swap(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own, uint32_t *endpoints,
                  size_t *swaps, double *crowding)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    struct search search = {.routes = setup->routes,
                            .capacity = setup->capacity ? setup->capacity : net->capacity,
                            .n = setup->jobs->items[setup->jobs->n - 1].ranks};
    size_t found = 0;
    const char *why;
    int rc = cw_seats_check(setup, &why);
    if (rc || why) return rc;
    bool *used = cw_new_array(net->n_endpoints, sizeof *used, what);
    search.bytes = cw_new_array(net->n_channels, sizeof *search.bytes, what);
    search.seats = cw_new_array((size_t)search.n + net->n_endpoints, sizeof *search.seats, what);
    search.channels = cw_new_array(PATHS * (size_t)cw_routes_max_hops(setup->routes), sizeof *search.channels, what);
    if (!used || !search.bytes || !search.seats || !search.channels) rc = CW_ENOMEM;
    if (!rc) rc = prepare(&search, setup, own, endpoints, used);
    search.looked = 0;
    if (!rc) rc = climb(&search, &found);
    if (!rc) {
        memcpy(endpoints, search.seats, search.n * sizeof *endpoints);
        *swaps = found;
        *crowding = 0;
        for (uint32_t c = 0; c < net->n_channels; c++)
            if (search.bytes[c] > 0) *crowding += pow(search.bytes[c] / search.capacity[c], 2);
    }
    free(used);
    free_search(&search);
    return rc;
}
