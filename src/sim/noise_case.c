#include "sim/noise_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* --- is it possible? --------------------------------------------------------------------------------------------- */

enum role { ROLE_NONE, ROLE_APPLICATION, ROLE_PERTURBING };

static int check_endpoint(const struct cw_noise_case *noise_case, const struct cw_network *net, uint32_t endpoint)
{
    if (endpoint < net->n_endpoints) return 0;
    return cw_fail(CW_EUSAGE, "%s: endpoint %u, but %s has endpoints 0 to %u", noise_case->file, endpoint, net->title,
                   net->n_endpoints - 1);
}

static int check_roles(const struct cw_noise_case *noise_case, const struct cw_network *net, unsigned char *role)
{
    for (uint32_t r = 0; r < noise_case->ranks; r++) {
        const uint32_t endpoint = noise_case->endpoints[r];
        const int rc = check_endpoint(noise_case, net, endpoint);
        if (rc) return rc;
        if (role[endpoint] != ROLE_NONE)
            return cw_fail(CW_EUSAGE, "%s: endpoint %u runs two ranks", noise_case->file, endpoint);
        role[endpoint] = ROLE_APPLICATION;
    }
    for (size_t i = 0; i < 2 * noise_case->perturbation.n; i++) {
        const uint32_t endpoint = i % 2 ? noise_case->perturbation.dst[i / 2] : noise_case->perturbation.src[i / 2];
        const int rc = check_endpoint(noise_case, net, endpoint);
        if (rc) return rc;
        if (role[endpoint] == ROLE_APPLICATION)
            return cw_fail(CW_EUSAGE, "%s: endpoint %u both runs the application and perturbs it", noise_case->file,
                           endpoint);
        role[endpoint] = ROLE_PERTURBING;
    }
    for (size_t i = 0; i < 2 * noise_case->bisection.n; i++) {
        const int rc = check_endpoint(noise_case, net,
                                      i % 2 ? noise_case->bisection.dst[i / 2] : noise_case->bisection.src[i / 2]);
        if (rc) return rc;
    }
    return 0;
}

static int check_case(const struct cw_noise_case *noise_case, const struct cw_network *net)
{
    unsigned char *role = cw_new_array(net->n_endpoints, 1, "roles of endpoints");
    if (!role) return CW_ENOMEM;
    const int rc = check_roles(noise_case, net, role);
    free(role);
    return rc;
}

/* --- replay ------------------------------------------------------------------------------------------------------ */

static void add_up(const struct cw_congestion *congestion, size_t n, struct cw_congestion_sum *out)
{
    *out = (struct cw_congestion_sum){.messages = n};
    for (size_t i = 0; i < n; i++) {
        const uint32_t own = (uint32_t)congestion[i].own;
        out->sum += own;
        out->inverse_sum += own > 0 ? 1.0 / own : 1.0;
        if (own > out->max) out->max = own;
    }
}

/* The congestions of PAIRS when nothing else is on the network. */
static int run_alone(const struct cw_routes *routes, const struct cw_endpoint_pairs *pairs,
                     struct cw_congestion_sum *out)
{
    struct cw_round round = {0};
    struct cw_load load = {0};
    struct cw_congestion *congestion = cw_new_array(pairs->n, sizeof *congestion, "congestions");
    int rc = congestion ? cw_load_init(&load, cw_routes_network(routes)->n_channels) : CW_ENOMEM;
    if (!rc) rc = cw_round_init(&round, routes);
    if (!rc) rc = cw_round_begin(&round, pairs->n);
    for (size_t i = 0; !rc && i < pairs->n; i++) {
        round.src[i] = pairs->src[i];
        round.dst[i] = pairs->dst[i];
    }
    if (!rc) rc = cw_round_route(&round, &load);
    if (!rc) rc = cw_round_congestion(&round, &load, congestion);
    if (!rc) add_up(congestion, pairs->n, out);
    cw_round_free(&round);
    cw_load_free(&load);
    free(congestion);
    return rc;
}

static int run_collective(const struct cw_noise_case *noise_case, const struct cw_collective_setup *setup,
                          struct cw_noise_replay *replay)
{
    struct cw_collective *collective;
    int rc = cw_collective_new(setup, &collective);
    if (rc) return rc;
    cw_collective_trace(collective);
    rc = cw_collective_add_background(collective, noise_case->perturbation.n, noise_case->perturbation.src,
                                      noise_case->perturbation.dst);
    if (!rc) rc = cw_collective_run(collective, noise_case->ranks, noise_case->endpoints, NULL, NULL, &replay->times);
    if (!rc) rc = cw_collective_longest_path(collective, &replay->path, &replay->path_length);
    if (!rc) cw_collective_take_trace(collective, &replay->trace);
    cw_collective_free(collective);
    return rc;
}

int cw_noise_case_run(const struct cw_noise_case *noise_case, const struct cw_collective_setup *setup,
                      struct cw_noise_replay *out)
{
    struct cw_noise_replay replay = {0};
    int rc = cw_check_given(setup->routes, "routes");
    if (!rc) rc = cw_check_given(setup->schedule, "schedule");
    if (!rc) rc = cw_routes_need_paths(setup->routes);
    if (!rc) rc = check_case(noise_case, cw_routes_network(setup->routes));
    if (!rc) rc = run_collective(noise_case, setup, &replay);
    if (!rc) rc = run_alone(setup->routes, &noise_case->perturbation, &replay.perturbation_only);
    if (!rc) rc = run_alone(setup->routes, &noise_case->bisection, &replay.bisection);
    if (rc) {
        cw_noise_replay_free(&replay);
        return rc;
    }
    *out = replay;
    return 0;
}

void cw_noise_replay_free(struct cw_noise_replay *replay)
{
    if (!replay) return;
    cw_trace_free(&replay->trace);
    free(replay->path);
    *replay = (struct cw_noise_replay){0};
}

/* --- comparison -------------------------------------------------------------------------------------------------- */

struct comparison {
    const char *file;
    struct cw_text *text;
    size_t n;
};

static void compare(struct comparison *to, unsigned long line, const char *what, double is, double expected,
                    double tolerance)
{
    if (fabs(is - expected) <= tolerance * fabs(expected)) return;
    cw_text_printf(to->text, "%s:%lu: %s is %.10g, expected %.10g\n", to->file, line, what, is, expected);
    to->n++;
}

static void compare_level(struct comparison *to, unsigned long line, size_t number, const struct cw_level *is,
                          const struct cw_level *expected)
{
    const struct {
        const char *name;
        uint64_t is, expected;
    } figures[] = {{"messages", is->messages, expected->messages},
                   {"clean_sum", is->clean_sum, expected->clean_sum},
                   {"clean_max", is->clean_max, expected->clean_max},
                   {"perturbed_sum", is->perturbed_sum, expected->perturbed_sum},
                   {"perturbed_max", is->perturbed_max, expected->perturbed_max}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        char what[64];
        snprintf(what, sizeof what, "level %zu: %s", number, figures[i].name);
        compare(to, line, what, (double)figures[i].is, (double)figures[i].expected, 0);
    }
}

size_t cw_noise_case_compare(const struct cw_noise_case *noise_case, const struct cw_noise_replay *replay,
                             struct cw_text *differences)
{
    struct comparison to = {noise_case->file, differences, 0};
    static const struct cw_level nothing = {0};
    for (size_t i = 0; i < noise_case->n_levels; i++)
        compare_level(&to, noise_case->level_lines[i], i + 1,
                      i < replay->trace.n_levels ? &replay->trace.levels[i] : &nothing, &noise_case->levels[i]);
    if (noise_case->n_levels > 0)
        compare(&to, noise_case->level_lines[noise_case->n_levels - 1], "the number of levels",
                (double)replay->trace.n_levels, (double)noise_case->n_levels, 0);
    if (noise_case->perturbation_line) {
        const unsigned long line = noise_case->perturbation_line;
        const struct cw_congestion_sum *is = &replay->perturbation_only, *expected = &noise_case->perturbation_only;
        compare(&to, line, "perturbation_only: messages", (double)is->messages, (double)expected->messages, 0);
        compare(&to, line, "perturbation_only: sum", (double)is->sum, (double)expected->sum, 0);
        compare(&to, line, "perturbation_only: max", is->max, expected->max, 0);
    }
    if (noise_case->times_line) {
        compare(&to, noise_case->times_line, "clean time", replay->times.clean, noise_case->times.clean, 1e-9);
        compare(&to, noise_case->times_line, "perturbed time", replay->times.perturbed, noise_case->times.perturbed,
                1e-9);
    }
    if (noise_case->bisection_line) {
        const unsigned long line = noise_case->bisection_line;
        compare(&to, line, "bisection: sum of 1/congestion", replay->bisection.inverse_sum,
                noise_case->bisection_result.inverse_sum, 1e-6);
        compare(&to, line, "bisection: max", replay->bisection.max, noise_case->bisection_result.max, 0);
    }
    return to.n;
}
