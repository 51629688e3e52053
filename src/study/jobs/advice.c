#include "study/jobs/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "study/compare/what_if.h"
#include "study/jobs/seat_swaps.h"
#include "traffic/placement.h"
#include "traffic/schedule.h"

#define MOST_CABLES    8        /* that are tried: those used most, and as many that are missing */
#define DEADLOCK_PAIRS 20000000 /* looked at on larger networks, at most */

static const char what[] = "advice";

static const struct cw_job_request *last_job(const struct cw_flow_jobs_setup *setup)
{
    return &setup->jobs->items[setup->jobs->n - 1];
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

struct change {
    enum cw_advice_kind kind;
    char *name;               /* owned */
    uint32_t channel;         /* of a cable, either direction */
    double capacity;          /* … its new one; 0: cables are added */
    struct cw_network *net;   /* with these; owned */
    struct cw_routes *routes; /* of an engine, or with cables added, while they are tried; owned */
    double *capacities;       /* of all channels while a cable is tried; owned */
    uint32_t *endpoints;      /* of the last job, after swaps; owned */
};

struct changes {
    struct change *items;
    size_t n;
    const char *routing; /* that cables which are added get; NULL: none are */
};

static int add_change(struct changes *changes, struct change change, const char *name)
{
    struct change *items = realloc(changes->items, (changes->n + 1) * sizeof *items);
    if (!items) return cw_fail_memory((changes->n + 1) * sizeof *items, what);
    changes->items = items;
    change.name = cw_copy_text(name, strlen(name));
    if (!change.name) return CW_ENOMEM;
    items[changes->n++] = change;
    return 0;
}

static void free_changes(struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        free(changes->items[i].name);
        free(changes->items[i].capacities);
        free(changes->items[i].endpoints);
        cw_routes_free(changes->items[i].routes);
        cw_network_free(changes->items[i].net);
    }
    free(changes->items);
}

static int list_placements(const struct cw_flow_jobs_setup *setup, struct changes *changes)
{
    int rc = 0;
    if (last_job(setup)->endpoints) return 0; /* it names them */
    for (size_t i = 0; !rc && cw_placement_kinds[i]; i++)
        rc = add_change(changes, (struct change){.kind = CW_ADVISE_PLACEMENT}, cw_placement_kinds[i]->name);
    return rc;
}

static int list_collectives(const struct cw_flow_jobs_setup *setup, struct changes *changes)
{
    const struct cw_job_request *job = last_job(setup);
    struct cw_schedule *own = NULL;
    if (!job->collective) return 0;
    int rc = cw_schedule_new(job->what, &own);
    for (size_t i = 0; !rc && cw_schedule_kinds[i]; i++) {
        if (cw_schedule_kinds[i]->result == cw_schedule_result(own))
            rc = add_change(changes, (struct change){.kind = CW_ADVISE_COLLECTIVE}, cw_schedule_kinds[i]->name);
    }
    cw_schedule_free(own);
    return rc;
}

static int list_engines(const struct cw_flow_jobs_setup *setup, struct changes *changes)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    int rc = 0;
    for (size_t i = 0; !rc && cw_engines[i]; i++) {
        const struct cw_engine *engine = cw_engines[i];
        if (engine->compile && !engine->by_queues && cw_engine_accepts(engine, net, NULL))
            rc = add_change(changes, (struct change){.kind = CW_ADVISE_ROUTING}, engine->name);
    }
    return rc;
}

static int compare_rates(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What most channels can carry that leave endpoints, or that join switches: the larger of two that as many can. */
static double usual_capacity(const struct cw_network *net, bool switches, double *room)
{
    uint32_t n = 0;
    double usual = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool joins = net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints;
        if (joins == switches && net->capacity[c] > 0) room[n++] = net->capacity[c];
    }
    if (n > 0) qsort(room, n, sizeof *room, compare_rates);
    for (uint32_t i = 0, most = 0, same = 1; i < n; i++, same++) {
        if (i > 0 && room[i] > room[i - 1]) same = 1;
        if (same < most) continue;
        most = same;
        usual = room[i];
    }
    return usual;
}

static int add_cable(const struct cw_network *net, uint32_t channel, double usual, struct changes *changes)
{
    const bool slow = net->capacity[channel] < usual;
    const double capacity = slow ? usual : 2 * net->capacity[channel];
    char cable[2 * CW_NAME_SIZE + 32], speed[32], name[sizeof cable + sizeof speed + 8];
    cw_network_channel_name(net, channel, cable, sizeof cable);
    char *arrow = strchr(cable, '>');
    if (arrow) *arrow = '-';
    snprintf(name, sizeof name, "%s at %s", cable, cw_format_rate(capacity, speed, sizeof speed));
    return add_change(changes, (struct change){.kind = CW_ADVISE_CABLE, .channel = channel, .capacity = capacity},
                      name);
}

/* A host's own cable is mended, but no second one is laid to it. */
static int list_used_cables(const struct cw_network *net, const struct cw_channel_use *uses, size_t n, double *room,
                            struct changes *changes)
{
    const double usual[2] = {usual_capacity(net, false, room), usual_capacity(net, true, room)};
    size_t found = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < n && found < MOST_CABLES; i++) {
        const uint32_t c = uses[i].channel;
        const bool switches = net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints;
        bool listed = !switches && net->capacity[c] >= usual[0];
        for (size_t k = 0; k < changes->n; k++)
            listed |= changes->items[k].kind == CW_ADVISE_CABLE && changes->items[k].channel == net->twin[c];
        if (listed) continue;
        rc = add_cable(net, c, usual[switches], changes);
        found++;
    }
    return rc;
}

/* Cables that a regular network lacks, each pair of vertices by itself, and all together. */
static int list_missing_cables(const struct cw_network *net, struct changes *changes)
{
    struct cw_what_if_cases cases = {0};
    uint32_t unknown;
    int rc = cw_what_if_add_missing(&cases, net, &unknown);
    for (size_t i = 0; !rc && i < cases.n; i++) {
        struct cw_network *more = NULL;
        char name[2 * CW_NAME_SIZE + 16];
        if (i >= MOST_CABLES && i + 1 < cases.n) continue; /* all of them come last */
        rc = cw_what_if_with(net, &cases.items[i], &more);
        if (rc == CW_ELIMIT) {
            rc = 0;
            continue;
        }
        snprintf(name, sizeof name, "%s added",
                 cases.items[i].n_additions > 1 ? "all missing cables" : cases.items[i].name);
        if (!rc)
            rc = add_change(changes, (struct change){.kind = CW_ADVISE_CABLE, .channel = CW_NONE, .net = more}, name);
        if (rc) cw_network_free(more);
    }
    cw_what_if_cases_free(&cases);
    return rc;
}

static int list_cables(const struct cw_flow_jobs_setup *setup, struct changes *changes)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    struct cw_channel_use *uses = NULL;
    size_t n = 0;
    double *room = cw_new_array(net->n_channels, sizeof *room, what);
    int rc = room ? cw_flow_jobs_uses(setup, 0, &uses, &n) : CW_ENOMEM;
    if (!rc) rc = list_used_cables(net, uses, n, room, changes);
    if (!rc && changes->routing) rc = list_missing_cables(net, changes);
    free(uses);
    free(room);
    return rc;
}

/* --- trying them -------------------------------------------------------------------------------------------------- */

/* The jobs with a change; programs and hosts that they name are lent. */
struct variant {
    struct cw_jobs jobs;
    struct cw_flow_jobs_setup setup;
};

static void free_variant(struct variant *variant)
{
    for (size_t i = 0; i < variant->jobs.n; i++) {
        variant->jobs.items[i].program = NULL;
        variant->jobs.items[i].endpoints = NULL;
    }
    cw_jobs_free(&variant->jobs);
}

/* CHANGE may be NULL: none. Free with free_variant, also on failure. */
static int make_variant(const struct cw_flow_jobs_setup *setup, const struct change *change, struct variant *variant)
{
    int rc = 0;
    *variant = (struct variant){.setup = *setup};
    for (size_t i = 0; !rc && i < setup->jobs->n; i++) {
        struct cw_job_request job = setup->jobs->items[i];
        const char *traffic = job.what, *placement = job.placement;
        struct cw_program *program = job.program;
        uint32_t *endpoints = job.endpoints;
        if (change && i + 1 == setup->jobs->n && change->endpoints)
            endpoints = change->endpoints;
        else if (change && i + 1 == setup->jobs->n && change->kind == CW_ADVISE_PLACEMENT)
            placement = change->name;
        if (change && i + 1 == setup->jobs->n && change->kind == CW_ADVISE_COLLECTIVE) traffic = change->name;
        job.program = NULL;
        job.endpoints = NULL;
        rc = cw_jobs_add(&variant->jobs, traffic, placement, job);
        if (rc) break;
        variant->jobs.items[i].program = program;
        variant->jobs.items[i].endpoints = endpoints;
    }
    variant->setup.jobs = &variant->jobs;
    variant->setup.pairs = CW_PAIRS_WITH_LAST;
    if (change && change->routes) variant->setup.routes = change->routes;
    if (change && change->capacities) variant->setup.capacity = change->capacities;
    return rc;
}

static int run_variant(const struct cw_flow_jobs_setup *setup, const struct change *change, uint64_t seed,
                       struct cw_flow_jobs *out)
{
    struct variant variant;
    int rc = make_variant(setup, change, &variant);
    variant.setup.seed = seed;
    if (!rc) rc = cw_flow_jobs_run(&variant.setup, out);
    free_variant(&variant);
    return rc;
}

/* How much longer other jobs take beside the last one, their mean in a trial. */
static double slowing(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *times, size_t trial)
{
    const size_t last = times->n - 1;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < last; i++) {
        const double alone = cw_flow_jobs_alone(times, trial, i);
        if (!cw_job_ends(&setup->jobs->items[i]) || alone <= 0) continue;
        sum += cw_flow_jobs_beside(times, trial, i, last) / alone;
        n++;
    }
    return n > 0 ? sum / (double)n : 1;
}

/* How much faster jobs that end are in TRIAL than OWN: the geometric mean. */
static double gain_of_all(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own,
                          const struct cw_flow_jobs *times, size_t trial)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < times->n; i++) {
        const double before = cw_flow_jobs_time(own, trial, i), time = cw_flow_jobs_time(times, trial, i);
        if (!cw_job_ends(&setup->jobs->items[i]) || before <= 0 || time <= 0) continue;
        sum += log(before / time);
        n++;
    }
    return n > 0 ? exp(sum / (double)n) : 1;
}

static int summarise(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own,
                     const struct cw_flow_jobs *times, struct cw_advice_trial *out)
{
    const size_t last = times->n - 1, n = times->trials;
    double *values = cw_new_array(5 * n, sizeof *values, what);
    if (!values) return CW_ENOMEM;
    for (size_t t = 0; t < n; t++) {
        const double time = cw_flow_jobs_time(times, t, last), alone = cw_flow_jobs_alone(times, t, last);
        values[t] = time;
        values[n + t] = alone > 0 ? time / alone : 1;
        values[2 * n + t] = slowing(setup, times, t);
        values[3 * n + t] = time > 0 ? cw_flow_jobs_time(own, t, last) / time : 1;
        values[4 * n + t] = gain_of_all(setup, own, times, t);
    }
    int rc = cw_summarise(values, n, &out->time);
    if (!rc) rc = cw_summarise(values + n, n, &out->slowed);
    if (!rc) rc = cw_summarise(values + 2 * n, n, &out->slows);
    if (!rc) rc = cw_summarise(values + 3 * n, n, &out->gain);
    if (!rc) rc = cw_summarise(values + 4 * n, n, &out->all);
    free(values);
    return rc;
}

/* Whether a mean is more than 1, beyond its interval where it has one. Without one nothing was drawn, or all were
 * alike. */
static bool is_gain(const struct cw_summary *gain)
{
    if (gain->max > gain->min && isnan(gain->ci95)) return false;
    return gain->mean - (isnan(gain->ci95) ? 0 : gain->ci95) > 1 + 1e-9;
}

/* Whether a change is left out because it is not possible, and not because something else is wrong. */
static bool is_impossible(int rc)
{
    return rc == CW_EUSAGE || rc == CW_EROUTE || rc == CW_ELIMIT;
}

/* The routes or the capacities of CHANGE, and where cables are added ROUTING's routes. CW_EROUTE for routes that can
 * deadlock: they cannot be advised. */
static int prepare(const struct cw_flow_jobs_setup *setup, const char *routing, struct change *change)
{
    const struct cw_network *net = cw_routes_network(setup->routes);
    if (change->kind == CW_ADVISE_ROUTING || change->net) {
        struct cw_deadlock deadlock;
        struct cw_inputs *before = cw_inputs_record(NULL); /* what is remarked of routes that are not used */
        int rc = cw_engine_route(change->net ? change->net : net, change->net ? routing : change->name, setup->seed,
                                 setup->n_threads, &change->routes);
        cw_inputs_record(before);
        if (rc || change->net) return rc;
        rc = cw_routes_deadlock(change->routes, DEADLOCK_PAIRS, setup->n_threads, &deadlock);
        if (rc) return rc;
        if (!deadlock.acyclic) rc = cw_fail(CW_EROUTE, "routes of %s can deadlock", change->name);
        cw_deadlock_free(&deadlock);
        return rc;
    }
    if (change->kind != CW_ADVISE_CABLE) return 0;
    change->capacities = cw_new_array(net->n_channels, sizeof *change->capacities, what);
    if (!change->capacities) return CW_ENOMEM;
    memcpy(change->capacities, net->capacity, net->n_channels * sizeof *net->capacity);
    change->capacities[change->channel] = change->capacity;
    if (net->capacity[net->twin[change->channel]] > 0)
        change->capacities[net->twin[change->channel]] = change->capacity;
    return 0;
}

/* The times as jobs were asked for, in the trials that changes are chosen by and in those that prove them. */
struct own_times {
    struct cw_flow_jobs chosen, proof;
};

static uint64_t proof_seed(const struct cw_flow_jobs_setup *setup)
{
    return setup->seed + 1;
}

/* The gain once more, with draws that it was not chosen by. */
static int prove(const struct cw_flow_jobs_setup *setup, struct own_times *own, const struct change *change,
                 struct cw_advice_trial *trial)
{
    struct cw_flow_jobs times = {0};
    struct cw_advice_trial again = {.kind = trial->kind};
    int rc = own->proof.times ? 0 : run_variant(setup, NULL, proof_seed(setup), &own->proof);
    if (!rc) rc = run_variant(setup, change, proof_seed(setup), &times);
    if (!rc) rc = summarise(setup, &own->proof, &times, &again);
    if (!rc) trial->proof = *cw_advice_gain(&again);
    if (!rc) trial->advised = is_gain(&trial->proof);
    cw_flow_jobs_free(&times);
    return rc;
}

static int try_change(const struct cw_flow_jobs_setup *setup, const char *routing, struct own_times *own,
                      struct change *change, struct cw_advice *advice)
{
    struct cw_flow_jobs_setup quiet = *setup;
    struct cw_flow_jobs times = {0};
    struct cw_advice_trial trial = {.kind = change->kind};
    quiet.progress = NULL;
    int rc = prepare(&quiet, routing, change);
    if (!rc) rc = run_variant(setup, change, setup->seed, &times);
    if (!rc) rc = summarise(setup, &own->chosen, &times, &trial);
    if (!rc && is_gain(cw_advice_gain(&trial))) rc = prove(&quiet, own, change, &trial);
    cw_flow_jobs_free(&times);
    cw_routes_free(change->routes);
    change->routes = NULL;
    if (is_impossible(rc)) return 0;
    if (rc) return rc;
    trial.change = change->name;
    trial.endpoints = change->endpoints;
    change->name = NULL;
    change->endpoints = NULL;
    advice->trials[advice->n++] = trial;
    return 0;
}

/* --- swaps -------------------------------------------------------------------------------------------------------- */

/* Tries the last job where swaps lead it from the placement from which they lead to the least crowded channels. */
static int try_swaps(const struct cw_flow_jobs_setup *setup, struct own_times *own, struct cw_advice *advice)
{
    struct change best = {.kind = CW_ADVISE_PLACEMENT};
    double least = INFINITY;
    char name[256] = "";
    int rc = 0;
    for (size_t i = 0; !rc && cw_placement_kinds[i]; i++) {
        const struct cw_placement_kind *kind = cw_placement_kinds[i];
        uint32_t *endpoints = NULL;
        double crowding = INFINITY;
        size_t swaps = 0;
        rc = cw_advice_endpoints(setup, kind->name, &endpoints);
        if (!rc) rc = cw_seats_swap(setup, &own->chosen, endpoints, &swaps, &crowding);
        if (!rc && crowding < least) {
            least = crowding;
            free(best.endpoints);
            best.endpoints = endpoints;
            endpoints = NULL;
            snprintf(name, sizeof name,
                     swaps > 0      ? "%s, %zu swapped"
                     : kind->random ? "%s, one draw"
                                    : "",
                     kind->name, swaps);
        }
        free(endpoints);
        if (is_impossible(rc)) rc = 0;
    }
    if (!rc && name[0] && !(best.name = cw_copy_text(name, strlen(name)))) rc = CW_ENOMEM;
    if (!rc && best.name) rc = try_change(setup, NULL, own, &best, advice);
    free(best.name);
    free(best.endpoints);
    return rc;
}

static int compare(const void *a, const void *b)
{
    const struct cw_advice_trial *x = a, *y = b;
    const double gain = cw_advice_gain(x)->mean, other = cw_advice_gain(y)->mean;
    if (gain != other) return gain > other ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->change, y->change);
}

static int list_changes(const struct cw_flow_jobs_setup *setup, const bool kinds[CW_ADVICE_KINDS],
                        struct changes *changes)
{
    static int (*const lists[])(const struct cw_flow_jobs_setup *, struct changes *) = {
        [CW_ADVISE_PLACEMENT] = list_placements,
        [CW_ADVISE_COLLECTIVE] = list_collectives,
        [CW_ADVISE_ROUTING] = list_engines,
        [CW_ADVISE_CABLE] = list_cables,
    };
    int rc = 0;
    for (size_t k = 0; !rc && k < CW_ADVICE_KINDS; k++)
        if (kinds[k]) rc = lists[k](setup, changes);
    return rc;
}

size_t cw_advice_steps(const struct cw_flow_jobs_setup *setup, const bool kinds[CW_ADVICE_KINDS])
{
    size_t placements = 0, schedules = 0, engines = 0;
    while (cw_placement_kinds[placements]) placements++;
    while (cw_schedule_kinds[schedules]) schedules++;
    while (cw_engines[engines]) engines++;
    const size_t most[CW_ADVICE_KINDS] = {placements + 1, schedules, engines, 2 * MOST_CABLES + 1};
    size_t n = 1; /* as it is */
    for (size_t k = 0; k < CW_ADVICE_KINDS; k++) n += kinds[k] ? most[k] : 0;
    return n * cw_flow_jobs_steps(setup);
}

int cw_advice_find(const struct cw_flow_jobs_setup *setup, const char *routing, const bool kinds[CW_ADVICE_KINDS],
                   struct cw_advice *out)
{
    struct cw_advice advice = {0};
    struct changes changes = {.routing = routing};
    struct own_times own = {0};
    if (!cw_job_ends(last_job(setup)))
        return cw_fail(CW_EUSAGE, "job %zu never ends: there is no time that could be shorter", setup->jobs->n);
    int rc = list_changes(setup, kinds, &changes);
    if (!rc && changes.n > 0) advice.trials = cw_new_array(changes.n + 1, sizeof *advice.trials, what);
    if (!rc && changes.n > 0) rc = advice.trials ? run_variant(setup, NULL, setup->seed, &own.chosen) : CW_ENOMEM;
    for (size_t i = 0; !rc && i < changes.n; i++) rc = try_change(setup, routing, &own, &changes.items[i], &advice);
    if (!rc && changes.n > 0 && kinds[CW_ADVISE_PLACEMENT]) rc = try_swaps(setup, &own, &advice);
    cw_flow_jobs_free(&own.chosen);
    cw_flow_jobs_free(&own.proof);
    free_changes(&changes);
    if (rc) {
        cw_advice_free(&advice);
        return rc;
    }
    if (advice.n > 0) qsort(advice.trials, advice.n, sizeof *advice.trials, compare);
    *out = advice;
    return 0;
}

void cw_advice_free(struct cw_advice *advice)
{
    for (size_t i = 0; i < advice->n; i++) {
        free(advice->trials[i].change);
        free(advice->trials[i].endpoints);
    }
    free(advice->trials);
    *advice = (struct cw_advice){0};
}

int cw_advice_endpoints(const struct cw_flow_jobs_setup *setup, const char *placement, uint32_t **endpoints)
{
    static const struct cw_flit_messages messages = {.flits = 1};
    struct cw_flit_seating seating;
    struct variant variant = {0};
    struct change change = {.kind = CW_ADVISE_PLACEMENT, .name = cw_copy_text(placement, strlen(placement))};
    int rc = change.name ? make_variant(setup, &change, &variant) : CW_ENOMEM;
    free(change.name);
    if (!rc)
        rc = cw_flit_seating_make(&variant.jobs, cw_routes_network(setup->routes), setup->selection, setup->seed, 0,
                                  &messages, &seating);
    if (!rc) {
        const struct cw_flit_job *job = &seating.jobs[seating.n - 1];
        *endpoints = cw_new_array(job->n_ranks, sizeof **endpoints, what);
        if (*endpoints)
            memcpy(*endpoints, job->endpoints, job->n_ranks * sizeof **endpoints);
        else
            rc = CW_ENOMEM;
        cw_flit_seating_free(&seating);
    }
    free_variant(&variant);
    return rc;
}
