/*
 * D-mod-k routing of extended generalised fat trees: the destination's digits choose the way up, so that a destination
 * is reached from everywhere by one tree. Where a subtree has as many cables up as endpoints, and pairs below the top
 * one cable, no two of these trees share a channel on the way down, and shifts are free of contention. The arithmetic,
 * also where parallel cables do not divide evenly, is in xgft_paths.h. Gómez et al., "Deterministic versus adaptive
 * routing in fat-trees" (2007); Zahavi, "Fat-tree routing and node ordering" (2011).
 */
#include "route/engine.h"
#include "route/engines/xgft_paths.h"
#include "route/routes_internal.h"

static int dmodk_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                       uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    return cw_xgft_batch(state, n, src, dst, hops, channels, stride, lanes);
}

static void dmodk_free(void *state)
{
    cw_xgft_paths_free(state);
}

static bool dmodk_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)survey;
    const struct cw_xgft_paths *paths = state;
    return !paths->detours.places; /* the survey counts channels of the shape */
}

static int dmodk_survey(const void *state, struct cw_survey *survey)
{
    return cw_xgft_survey(state, false, survey);
}

static const struct cw_formula formula = {.name = "dmodk",
                                          .paths = dmodk_paths,
                                          .can_survey = dmodk_can_survey,
                                          .survey = dmodk_survey,
                                          .free_state = dmodk_free};

static int dmodk_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                         struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    struct cw_xgft_paths *paths;
    const int rc = cw_xgft_paths_new(net, &paths);
    return rc ? rc : cw_routes_from_formula(net, &formula, paths, paths->max_hops, paths->lanes, true, out);
}

const struct cw_engine cw_engine_dmodk = {
    .name = "dmodk",
    .help = "fat trees: the destination's digits choose the way up, so that all routes to a destination form one tree",
    .needs = "an XGFT, generated or recognised in a map, in which every vertex has a cable to each of its parents",
    .minimal = true,
    .shape = &cw_shape_xgft,
    .maps = CW_MAPS_ROUTED,
    .by_default = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .accepts = cw_xgft_paths_accepts,
    .compile = dmodk_compile};
