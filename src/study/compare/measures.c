#include "study/compare/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/statistics.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim/noise.h"
#include "study/flit/flit_loads.h"
#include "study/jobs/flow_jobs.h"
#include "study/move/plan_case.h"

#define NOISE_RATIO  0.5
#define TRIALS       1000 /* of ebb and noise */
#define OVERHEAD     1e-6 /* of time [s] */
#define DRAWN_TRIALS 100  /* of congestion, likewise */
#define MOST_PAIRS   500000000

int cw_compared_select(struct cw_compared *of, const char *which, uint32_t *cut_off, uint64_t *cut_pairs)
{
    struct cw_selection *asked, *connected, *others;
    int rc = cw_selection_new(of->net, which, &asked);
    if (rc) return rc;
    of->asked = asked;
    rc = cw_selection_connected(of->net, asked, false, &connected, &others);
    if (rc) return rc;
    of->selection = connected;
    *cut_off = others->n;
    *cut_pairs = 0;
    if (others->n > 0) rc = cw_selection_find_parts(of->net, asked, false, cut_pairs);
    cw_selection_free(others);
    return rc;
}

void cw_compared_release(struct cw_compared *of)
{
    cw_selection_free((struct cw_selection *)(uintptr_t)of->selection);
    cw_selection_free((struct cw_selection *)(uintptr_t)of->asked);
    of->selection = of->asked = NULL;
}

static struct cw_measured exactly(double value)
{
    return (struct cw_measured){.value = value};
}

static struct cw_measured mean_of(const struct cw_summary *summary)
{
    /* Samples that are all alike, and those of what is not drawn, have no interval, and no error either. */
    const bool alike = summary->n == 1 || !(summary->max > summary->min);
    return (struct cw_measured){.value = summary->mean, .ci95 = alike ? 0 : summary->ci95};
}

/* --- messages of a round ------------------------------------------------------------------------------------------ */

static const char *const directions[] = {"uni", "bi", NULL};

static int check_direction(const char *parameter)
{
    for (size_t i = 0; directions[i]; i++)
        if (strcmp(parameter, directions[i]) == 0) return 0;
    return cw_fail(CW_EUSAGE, "ebb:%s: expected uni or bi", parameter);
}

static int take_ebb(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const struct cw_ebb_setup setup = {.routes = of->routes,
                                       .selection = of->asked,
                                       .both_directions = !parameter || strcmp(parameter, "bi") == 0,
                                       .trials = of->trials ? of->trials : TRIALS,
                                       .seed = of->seed,
                                       .n_threads = of->n_threads,
                                       .executor = of->executor};
    struct cw_ebb_result result;
    const int rc = cw_ebb_run(&setup, &result);
    if (!rc) *out = mean_of(&result.ebb);
    return rc;
}

static int parse_ratio(const char *parameter, double *ratio)
{
    char *end;
    *ratio = strtod(parameter, &end);
    if (end != parameter && *end == 0 && *ratio > 0 && *ratio < 1) return 0;
    return cw_fail(CW_EUSAGE, "noise:%s: expected the share of endpoints that perturb, between 0 and 1", parameter);
}

static int check_ratio(const char *parameter)
{
    double ratio;
    return parse_ratio(parameter, &ratio);
}

static int take_noise(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct cw_schedule *schedule = NULL;
    struct cw_pattern *background = NULL;
    struct cw_placement *placement = NULL;
    struct cw_noise_result result;
    struct cw_ranks ranks;
    double ratio = NOISE_RATIO;
    int rc = parameter ? parse_ratio(parameter, &ratio) : 0;
    cw_ranks_of(of->net, of->net->n_endpoints, &ranks);
    if (!rc) rc = cw_schedule_new("binomial-bcast", &schedule);
    if (!rc) rc = cw_pattern_new("derangement", &ranks, &background);
    if (!rc) rc = cw_placement_new("random", of->net, of->selection, &placement);
    const struct cw_noise_setup setup = {
        .collective = {.routes = of->routes,
                       .schedule = schedule,
                       .timing = {.latency = -1, .overhead = OVERHEAD, .gap = -1},
                       .sends = CW_SENDS_AT_ONCE},
        .background = background,
        .placement = placement,
        .ratio = ratio,
        .trials = of->trials ? of->trials : TRIALS,
        .seed = of->seed,
        .n_threads = of->n_threads,
        .executor = of->executor,
    };
    if (!rc) rc = cw_noise_run(&setup, &result);
    if (!rc) *out = mean_of(&result.slowdown);
    cw_placement_free(placement);
    cw_pattern_free(background);
    cw_schedule_free(schedule);
    return rc;
}

static int take_congestion(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct cw_placement *placement;
    struct cw_pattern *pattern = NULL;
    struct cw_congestion_result result;
    int rc = cw_placement_new("contiguous", of->net, of->selection, &placement);
    if (rc) return rc;
    rc = cw_placement_pattern(placement, parameter, &pattern);
    const struct cw_congestion_setup setup = {.routes = of->routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .trials = pattern && cw_pattern_is_random(pattern) ? DRAWN_TRIALS : 1,
                                              .seed = of->seed,
                                              .n_threads = of->n_threads,
                                              .executor = of->executor};
    if (!rc) rc = cw_congestion_run(&setup, &result);
    if (!rc) {
        *out = mean_of(&result.time);
        cw_congestion_free(&result);
    }
    cw_pattern_free(pattern);
    cw_placement_free(placement);
    return rc;
}

static int find_quality(struct cw_compared *of)
{
    if (of->has_quality) return 0;
    const struct cw_quality_setup setup = {
        .routes = of->routes, .selection = of->asked, .seed = of->seed, .n_threads = of->n_threads};
    const int rc = cw_quality_run(&setup, &of->quality);
    of->has_quality = rc == 0;
    return rc;
}

static struct cw_measured of_quality(const struct cw_quality_measure *measure)
{
    return (struct cw_measured){.value = measure->value, .ci95 = isnan(measure->ci95) ? 0 : measure->ci95};
}

static int take_shift(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const int rc = find_quality(of);
    (void)parameter;
    if (!rc) *out = of_quality(&of->quality.worst_shift);
    return rc;
}

static int take_alltoall(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const int rc = find_quality(of);
    (void)parameter;
    if (!rc) *out = of_quality(&of->quality.alltoall);
    return rc;
}

/* --- what routes are ---------------------------------------------------------------------------------------------- */

static int find_reach(struct cw_compared *of)
{
    struct cw_reach reach;
    if (of->has_reach) return 0;
    const int rc = cw_routes_reach(of->routes, of->selection, MOST_PAIRS, of->n_threads, &reach);
    if (rc) return rc;
    of->has_reach = true;
    of->hops_mean = reach.hops_mean;
    of->load_max = reach.load_max;
    cw_reach_free(&reach);
    return 0;
}

static int take_hops(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const int rc = find_reach(of);
    (void)parameter;
    if (!rc) *out = exactly(of->hops_mean);
    return rc;
}

static int take_busiest(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const int rc = find_reach(of);
    (void)parameter;
    if (!rc) *out = exactly(of->load_max);
    return rc;
}

static int take_lanes(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    (void)parameter;
    *out = exactly(cw_routes_lanes(of->routes));
    return 0;
}

static int find_deadlock(struct cw_compared *of)
{
    struct cw_deadlock deadlock;
    const int rc = cw_routes_deadlock(of->routes, MOST_PAIRS, of->n_threads, &deadlock);
    if (rc) return rc;
    of->deadlock = cw_deadlock_verdict(&deadlock);
    cw_deadlock_free(&deadlock);
    return 0;
}

int cw_compared_deadlock(struct cw_compared *of, const char **verdict)
{
    int rc = 0;
    if (cw_routes_kind(of->routes) == CW_ROUTES_WAYS) of->deadlock = "unknown";
    if (!of->deadlock) rc = find_deadlock(of);
    if (!rc) *verdict = of->deadlock;
    return rc;
}

static int take_deadlock(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    const char *word;
    const int rc = cw_compared_deadlock(of, &word);
    (void)parameter;
    if (!rc) *out = (struct cw_measured){.value = NAN, .word = word};
    return rc;
}

/* --- in time ------------------------------------------------------------------------------------------------------ */

/* The first job that ends, beside the others. */
static int time_jobs(struct cw_compared *of, const struct cw_jobs *jobs, struct cw_measured *out)
{
    struct cw_flow_jobs_setup setup = {.routes = of->routes,
                                       .selection = of->selection,
                                       .jobs = jobs,
                                       .overhead = OVERHEAD,
                                       .seed = of->seed,
                                       .trials = 1,
                                       .n_threads = of->n_threads,
                                       .executor = of->executor};
    struct cw_flow_jobs times = {0};
    struct cw_summary summary;
    bool drawn;
    size_t job = 0;
    while (job < jobs->n && !cw_job_ends(&jobs->items[job])) job++;
    int rc = cw_jobs_are_drawn(jobs, of->net, of->selection, &drawn);
    if (!rc && drawn) setup.trials = CW_JOBS_RANDOM_TRIALS;
    if (!rc) rc = cw_flow_jobs_run(&setup, &times);
    double *values = rc ? NULL : cw_new_array(setup.trials, sizeof *values, "times of jobs");
    if (!rc && !values) rc = CW_ENOMEM;
    for (size_t t = 0; !rc && t < setup.trials; t++) values[t] = cw_flow_jobs_time(&times, t, job);
    if (!rc) rc = cw_summarise(values, setup.trials, &summary);
    if (!rc) *out = mean_of(&summary);
    free(values);
    cw_flow_jobs_free(&times);
    return rc;
}

static int take_time(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct cw_jobs jobs = {0};
    int rc = cw_jobs_parse(parameter, "contiguous", of->selection->n, of->net, &jobs);
    if (!rc) rc = time_jobs(of, &jobs, out);
    cw_jobs_free(&jobs);
    return rc;
}

/* Endpoints that only others connect take part: these relay. */
static int take_plan(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct cw_selection *connected, *others;
    double seconds;
    int rc = cw_selection_connected(of->net, of->asked, true, &connected, &others);
    if (rc) return rc;
    rc = cw_plan_usual_seconds(of->routes, connected, parameter, of->seed, of->n_threads, &seconds);
    if (!rc) *out = exactly(seconds);
    cw_selection_free(connected);
    cw_selection_free(others);
    return rc;
}

static struct cw_progress *begin_load(void *context, double load)
{
    (void)context, (void)load;
    return NULL;
}

static int end_load(void *context, size_t index, struct cw_flit_measurement *run)
{
    (void)context, (void)index, (void)run;
    return 0;
}

static void stuck_load(void *context, double load)
{
    (void)context, (void)load;
}

/* Loads are tried for as long as a search does it. */
static int search_saturation(struct cw_compared *of, const struct cw_flit_case *made, struct cw_saturation *search)
{
    const struct cw_flit_span span = {.confidence = 0.95};
    struct cw_flit_hardware hardware;
    struct cw_flit_messages messages;
    struct cw_steady_setup steady;
    bool automatic;
    int rc = cw_flit_how_hardware(of->flits, of->net, &hardware, &messages, &automatic);
    if (!rc) rc = cw_flit_how_steady(&span, of->flits, &hardware, true, &steady);
    const struct cw_flit_loads loads = {.made = made,
                                        .hardware = &hardware,
                                        .messages = &messages,
                                        .steady = &steady,
                                        .executor = of->executor,
                                        .n_processes = 1,
                                        .begin = begin_load,
                                        .end = end_load,
                                        .stuck = stuck_load};
    return rc ? rc : cw_flit_loads_search(&loads, search);
}

static int take_saturation(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct cw_flit_case made = {.net = of->net,
                                .selection = of->selection,
                                .routing = of->packets,
                                .traffic_spec = parameter ? parameter : "uniform",
                                .placement_spec = "contiguous",
                                .seed = of->seed,
                                .n_threads = of->n_threads,
                                .allow_deadlock = of->flits->allow_deadlock};
    struct cw_saturation search = {0};
    int rc = of->packets ? 0 : cw_fail(CW_EUSAGE, "packets cannot follow the routes of %s", cw_routes_name(of->routes));
    if (!rc && !of->flits->allow_deadlock) rc = cw_packet_routing_check(of->packets);
    if (!rc) rc = cw_flit_case_make(&made);
    if (rc) return rc;
    rc = search_saturation(of, &made, &search);
    /* the load is known to lie between two that were tried */
    if (!rc)
        *out = (struct cw_measured){.value = search.accepted,
                                    .ci95 = search.refused > 0 ? search.refused - search.accepted : 0};
    cw_flit_case_free(&made);
    return rc;
}

/* --- what a network consists of ----------------------------------------------------------------------------------- */

/* Cables in use: those of endpoints, and those between switches. */
static void count_cables(const struct cw_network *net, uint64_t *endpoints, uint64_t *switches)
{
    *endpoints = *switches = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->twin[c] < c) continue;
        const bool inside = net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints;
        ++*(inside ? switches : endpoints);
    }
}

static int take_switches(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    (void)parameter;
    *out = exactly(cw_network_switches(of->net));
    return 0;
}

static int take_cables(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    uint64_t endpoints, switches;
    (void)parameter;
    count_cables(of->net, &endpoints, &switches);
    *out = exactly((double)switches);
    return 0;
}

static int take_radix(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    uint32_t most = 0;
    (void)parameter;
    for (uint32_t v = of->net->n_endpoints; v < of->net->n_vertices; v++)
        if (cw_network_degree(of->net, v) > most) most = cw_network_degree(of->net, v);
    *out = exactly(most);
    return 0;
}

/* Prices of a file. */
struct prices {
    double of_switch, of_port, of_cable, of_endpoint;
};

static int read_price(const struct cw_lines *lines, struct prices *prices)
{
    const struct {
        const char *name;
        double *price;
    } kinds[] = {{"switch", &prices->of_switch},
                 {"port", &prices->of_port},
                 {"cable", &prices->of_cable},
                 {"endpoint", &prices->of_endpoint}};
    char line[128], name[16], rest;
    double price;
    if (lines->length >= sizeof line) return cw_fail_at(lines->file, lines->number, "the line is too long");
    memcpy(line, lines->line, lines->length);
    line[lines->length] = 0;
    line[strcspn(line, "#")] = 0;
    if (line[strspn(line, " \t")] == 0) return 0;
    if (sscanf(line, "%15s %lf %c", name, &price, &rest) == 2 && isfinite(price) && price >= 0)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(name, kinds[i].name) == 0) {
                *kinds[i].price = price;
                return 0;
            }
    return cw_fail_at(lines->file, lines->number,
                      "expected switch, port, cable or endpoint, and the price of one: \"switch 12000\"");
}

static int read_prices(const char *path, struct prices *prices)
{
    struct cw_text text = {0};
    *prices = (struct prices){0};
    int rc = cw_file_read(path, &text);
    struct cw_lines lines = cw_lines_of(path, text.data, text.length);
    while (!rc && cw_lines_next(&lines)) rc = read_price(&lines, prices);
    cw_text_free(&text);
    return rc;
}

static int check_prices(const char *parameter)
{
    struct prices prices;
    return read_prices(parameter, &prices);
}

static int take_price(struct cw_compared *of, const char *parameter, struct cw_measured *out)
{
    struct prices prices;
    uint64_t endpoints, cables, ports = 0;
    const int rc = read_prices(parameter, &prices);
    if (rc) return rc;
    count_cables(of->net, &endpoints, &cables);
    for (uint32_t v = of->net->n_endpoints; v < of->net->n_vertices; v++) ports += cw_network_degree(of->net, v);
    *out = exactly(prices.of_switch * cw_network_switches(of->net) + prices.of_port * (double)ports +
                   prices.of_cable * (double)cables + prices.of_endpoint * (double)endpoints);
    return 0;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

#define CI95 "half width of its 95 % confidence interval; missing where nothing is drawn"

static const struct cw_measure_kind ebb = {
    .name = "ebb",
    .synopsis = "ebb[:uni|bi]",
    .help = "effective bisection bandwidth, one half sending or both: crosswind ebb --direction bi",
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_MORE,
    .check = check_direction,
    .take = take_ebb,
};
static const struct cw_measure_kind noise = {
    .name = "noise",
    .synopsis = "noise[:RATIO]",
    .help = "slowdown of a broadcast, in units, where that share of the endpoints perturbs it: crosswind noise --ratio "
            "0.5",
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .check = check_ratio,
    .take = take_noise,
};
static const struct cw_measure_kind congestion = {
    .name = "congestion",
    .synopsis = "congestion:PATTERN",
    .help = "time of all rounds of a traffic pattern, in messages alone on a cable, or in seconds where its messages "
            "have sizes: crosswind congestion --traffic PATTERN",
    .needs_parameter = true,
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_congestion,
};
static const struct cw_measure_kind worst_shift = {
    .name = "worst-shift",
    .help = "time of the worst shift, in messages alone on a cable: crosswind route",
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_shift,
};
static const struct cw_measure_kind alltoall = {
    .name = "alltoall",
    .help = "time of all shifts, in messages alone on a cable: crosswind route",
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_alltoall,
};
static const struct cw_measure_kind job_time = {
    .name = "time",
    .synopsis = "time:JOB",
    .help = "how long a job takes, such as alltoall bytes=1MiB; of several the first beside the others: crosswind jobs "
            "--jobs JOB",
    .needs_parameter = true,
    .unit = "s",
    .uncertain = CI95,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_time,
};
static const struct cw_measure_kind plan = {
    .name = "plan",
    .synopsis = "plan:PATTERN",
    .help = "how long the fastest plan takes, over many paths and relays, 8 MiB a pair where the pattern has no sizes: "
            "crosswind plan --traffic PATTERN",
    .needs_parameter = true,
    .unit = "s",
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_plan,
};
static const struct cw_measure_kind saturation = {
    .name = "saturation",
    .synopsis = "saturation[:TRAFFIC]",
    .help =
        "greatest load of uniform or other traffic that is accepted, flit by flit: crosswind flit --traffic uniform",
    .uncertain = "the next load that was tried, which was refused, is so much greater",
    .ratio = true,
    .better = CW_BETTER_MORE,
    .by_flits = true,
    .take = take_saturation,
};
static const struct cw_measure_kind hops = {
    .name = "hops",
    .help = "mean length of a route, host channels included: crosswind route",
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_hops,
};
static const struct cw_measure_kind busiest = {
    .name = "busiest",
    .help = "routes on the busiest channel between switches, of all pairs: crosswind route",
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_busiest,
};
static const struct cw_measure_kind lanes = {
    .name = "lanes",
    .help = "virtual lanes that routes use: crosswind route",
    .better = CW_BETTER_LESS,
    .take = take_lanes,
};
static const struct cw_measure_kind deadlock = {
    .name = "deadlock-free",
    .help = "whether routes are free of deadlocks: crosswind route",
    .in_words = true,
    .take = take_deadlock,
};
static const struct cw_measure_kind switches = {
    .name = "switches",
    .help = "how many switches there are: crosswind topo",
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_switches,
};
static const struct cw_measure_kind cables = {
    .name = "cables",
    .help = "cables between switches: crosswind topo",
    .ratio = true,
    .better = CW_BETTER_LESS,
    .take = take_cables,
};
static const struct cw_measure_kind radix = {
    .name = "radix",
    .help = "most ports of a switch that are in use",
    .better = CW_BETTER_LESS,
    .take = take_radix,
};
static const struct cw_measure_kind price = {
    .name = "price",
    .synopsis = "price:FILE",
    .help =
        "price of all switches and cables, by a file with lines such as: switch 12000; port 300, for each that is in "
        "use; cable 250, between switches; endpoint 120, a cable to one",
    .needs_parameter = true,
    .ratio = true,
    .better = CW_BETTER_LESS,
    .check = check_prices,
    .take = take_price,
};

static const void *const kinds[] = {&ebb,      &noise,      &congestion, &worst_shift, &alltoall, &job_time,
                                    &plan,     &saturation, &hops,       &busiest,     &lanes,    &deadlock,
                                    &switches, &cables,     &radix,      &price,       NULL};

const struct cw_registry cw_measure_registry = {.items = kinds,
                                                .near = "no measure is called '%s'; did you mean '%s'?",
                                                .none = "no measure is called '%s'; expected one of %s"};

/* --- lists of them ------------------------------------------------------------------------------------------------ */

/* MEASURE has its spec. */
static int read_measure(struct cw_measure *measure)
{
    char name[CW_SPEC_NAME_SIZE];
    measure->parameter = cw_spec_split(measure->spec, name, sizeof name);
    const struct cw_measure_kind *kind = measure->kind = cw_registry_find(&cw_measure_registry, name);
    if (!kind) return cw_registry_unknown(&cw_measure_registry, name);
    if (measure->parameter && !kind->synopsis)
        return cw_fail(CW_EUSAGE, "%s: %s has no parameters", measure->spec, name);
    if (kind->needs_parameter && (!measure->parameter || *measure->parameter == 0))
        return cw_fail(CW_EUSAGE, "%s: expected %s", measure->spec, kind->synopsis);
    return measure->parameter && kind->check ? kind->check(measure->parameter) : 0;
}

static int add_measure(struct cw_measure *measures, size_t *n, const char *spec, size_t length)
{
    struct cw_measure *measure = &measures[*n];
    if (length == 0) return cw_fail(CW_EUSAGE, "measures: one of the names is empty");
    measure->spec = cw_copy_text(spec, length);
    if (!measure->spec) return CW_ENOMEM;
    ++*n;
    for (size_t i = 0; i + 1 < *n; i++)
        if (strcmp(measures[i].spec, measure->spec) == 0)
            return cw_fail(CW_EUSAGE, "measures: %s is there twice", measure->spec);
    return read_measure(measure);
}

int cw_measures_parse(const char *list, struct cw_measure **out, size_t *n)
{
    size_t commas = 0, made = 0;
    for (const char *c = list; *c; c++) commas += *c == ',';
    struct cw_measure *measures = cw_new_array(commas + 1, sizeof *measures, "measures");
    int rc = measures ? 0 : CW_ENOMEM;
    for (const char *left = list; !rc && left;) {
        const size_t length = cw_registry_element(&cw_measure_registry, left);
        rc = add_measure(measures, &made, left, length);
        left = left[length] == 0 ? NULL : left + length + 1;
    }
    if (rc) {
        cw_measures_free(measures, made);
        return rc;
    }
    *out = measures;
    *n = made;
    return 0;
}

void cw_measures_free(struct cw_measure *measures, size_t n)
{
    for (size_t i = 0; measures && i < n; i++) free(measures[i].spec);
    free(measures);
}

int cw_measure_take(const struct cw_measure *measure, struct cw_compared *of, struct cw_measured *out)
{
    return measure->kind->take(of, measure->parameter, out);
}

/* --- which is best ------------------------------------------------------------------------------------------------ */

/* A is better than B by more than chance. */
static bool surely_better(enum cw_better better, const struct cw_measured *a, const struct cw_measured *b)
{
    const double by = better == CW_BETTER_MORE ? a->value - b->value : b->value - a->value;
    return by > hypot(a->ci95, b->ci95); /* false if an interval is unknown */
}

/* The best value; N if there is none. */
static size_t find_lead(enum cw_better better, const struct cw_measured *figures, size_t n)
{
    size_t lead = n;
    for (size_t i = 0; i < n; i++) {
        if (isnan(figures[i].value)) continue;
        if (lead == n || (better == CW_BETTER_MORE ? figures[i].value > figures[lead].value
                                                   : figures[i].value < figures[lead].value))
            lead = i;
    }
    return lead;
}

size_t cw_measured_best(enum cw_better better, const struct cw_measured *figures, size_t n, bool *best)
{
    const size_t lead = better == CW_BETTER_NEITHER ? n : find_lead(better, figures, n);
    size_t worse = 0;
    for (size_t i = 0; i < n; i++) {
        const bool known = lead < n && !isnan(figures[i].value);
        const bool is_worse = known && surely_better(better, &figures[lead], &figures[i]);
        best[i] = known && !is_worse;
        worse += is_worse;
    }
    for (size_t i = 0; worse == 0 && i < n; i++) best[i] = false;
    return worse > 0 ? lead : n;
}
