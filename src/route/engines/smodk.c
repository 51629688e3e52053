/*
 * S-mod-k routing of extended generalised fat trees: D-mod-k with the roles of source and destination exchanged. The
 * source's digits choose the way up, so a source owns the cables it goes up by. The way down follows from where that
 * leads: the route is the D-mod-k route from the destination to the source, walked backwards, which also decides among
 * parallel cables (where their number divides evenly: the same cable index down as up).
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/xgft_paths.h"
#include "route/routes_internal.h"

static uint32_t smodk_path(const struct cw_xgft_paths *paths, uint32_t s, uint32_t d, uint32_t *channels,
                           uint8_t *lanes)
{
    uint32_t backwards[4 * CW_XGFT_LEVELS];
    uint8_t lanes_back[4 * CW_XGFT_LEVELS];
    const uint32_t n = cw_xgft_path(paths, d, s, backwards, lanes ? lanes_back : NULL);
    for (uint32_t i = 0; i < n; i++) channels[i] = paths->real->twin[backwards[n - 1 - i]];
    for (uint32_t i = 0; i < n && lanes; i++) lanes[i] = lanes_back[n - 1 - i];
    return n;
}

static int smodk_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                       uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct cw_xgft_paths *paths = state;
    for (size_t i = 0; i < n; i++) {
        hops[i] = smodk_path(paths, src[i], dst[i], channels, lanes);
        if (hops[i] == 0 && src[i] != dst[i]) return cw_fail_hole(paths->real, src[i], dst[i]);
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

static void smodk_free(void *state)
{
    cw_xgft_paths_free(state);
}

static bool smodk_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)survey;
    const struct cw_xgft_paths *paths = state;
    return !paths->detours.places; /* the survey counts channels of the shape */
}

static int smodk_survey(const void *state, struct cw_survey *survey)
{
    return cw_xgft_survey(state, true, survey);
}

static const struct cw_formula formula = {.name = "smodk",
                                          .paths = smodk_paths,
                                          .can_survey = smodk_can_survey,
                                          .survey = smodk_survey,
                                          .free_state = smodk_free};

static int smodk_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                         struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    struct cw_xgft_paths *paths;
    const int rc = cw_xgft_paths_new(net, &paths);
    return rc ? rc : cw_routes_from_formula(net, &formula, paths, paths->max_hops, paths->lanes, false, out);
}

const struct cw_engine cw_engine_smodk = {
    .name = "smodk",
    .help = "fat trees: the source's digits choose the way up, so that all routes from a source form one tree",
    .needs = "an XGFT, generated or recognised in a map, in which every vertex has a cable to each of its parents",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_xgft,
    .maps = CW_MAPS_ROUTED,
    .accepts = cw_xgft_paths_accepts,
    .compile = smodk_compile};
