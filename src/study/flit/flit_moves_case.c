#include "study/flit/flit_moves_case.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define RUN_CYCLES 10000 /* between two reports of progress */

/* What the simulator takes. */
struct streams {
    const struct cw_flit_moves_case *made;
    struct cw_flit_hop *hops;
    size_t n_hops;
    size_t *first; /* of the channels of paths; there and back of each hop */
    uint32_t n_paths;
    uint32_t *channels;
};

/* --- from steps to hops ------------------------------------------------------------------------------------------- */

static void add_path_back(struct streams *streams, const struct cw_step *step)
{
    const struct cw_moves *moves = streams->made->moves;
    size_t at = streams->first[streams->n_paths];
    for (uint32_t i = step->n_channels; i-- > 0;)
        streams->channels[at++] = streams->made->net->twin[moves->channels[step->first_channel + i]];
    streams->first[++streams->n_paths] = at;
}

static void add_path(struct streams *streams, const struct cw_step *step)
{
    const struct cw_moves *moves = streams->made->moves;
    size_t at = streams->first[streams->n_paths];
    for (uint32_t i = 0; i < step->n_channels; i++) streams->channels[at++] = moves->channels[step->first_channel + i];
    streams->first[++streams->n_paths] = at;
}

/* The hops of the stream that RANK sends in STEP. */
static void follow(struct streams *streams, uint32_t rank, const struct cw_step *step)
{
    const struct cw_moves *moves = streams->made->moves;
    size_t before = SIZE_MAX;
    while (step->kind != CW_STEP_RECEIVE) {
        const struct cw_step *next = &moves->steps[cw_moves_find(moves, step->to, step->stream)];
        struct cw_flit_hop *hop = &streams->hops[streams->n_hops];
        *hop = (struct cw_flit_hop){
            .src = rank, .dst = step->to, .bytes = step->bytes, .before = before, .path = streams->n_paths};
        add_path(streams, step);
        hop->back = streams->n_paths;
        if (next->kind == CW_STEP_FORWARD) add_path_back(streams, step); /* credits; a destination has none to give */
        before = streams->n_hops++;
        rank = step->to;
        step = next;
    }
}

static int list_hops(struct streams *streams)
{
    const struct cw_moves *moves = streams->made->moves;
    const size_t n = moves->first_step[moves->n_ranks];
    if (n >= UINT32_MAX / 2) return cw_fail(CW_ELIMIT, "%zu steps are too many to be simulated", n);
    streams->hops = cw_new_array(n, sizeof *streams->hops, "hops of moves");
    streams->first = cw_new_array(2 * n + 1, sizeof *streams->first, "paths of moves");
    streams->channels = cw_new_array(2 * moves->n_channels, sizeof *streams->channels, "paths of moves");
    if (!streams->hops || !streams->first || !streams->channels) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++)
            if (moves->steps[i].kind == CW_STEP_SEND) follow(streams, r, &moves->steps[i]);
    return 0;
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

static int find_bound(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *out)
{
    const struct cw_moves *moves = made->moves;
    double *bytes = cw_new_array(made->net->n_channels, sizeof *bytes, "loads of channels");
    if (!bytes) return CW_ENOMEM;
    for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++) {
        const struct cw_step *step = &moves->steps[i];
        for (uint32_t c = 0; c < step->n_channels; c++)
            bytes[moves->channels[step->first_channel + c]] += (double)step->bytes;
        out->forwards += step->kind == CW_STEP_FORWARD;
    }
    for (uint32_t c = 0; c < made->net->n_channels; c++) {
        const double seconds = bytes[c] / made->net->capacity[c];
        if (!(seconds > out->bound_seconds)) continue;
        out->bound_seconds = seconds;
        out->hottest = c;
    }
    free(bytes);
    return 0;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static int simulate(const struct streams *streams, const struct cw_packet_routing *routing,
                    struct cw_flit_moves_result *out)
{
    const struct cw_flit_moves_case *made = streams->made;
    const struct cw_moves *moves = made->moves;
    const struct cw_flit_streams all = {
        .hops = streams->hops, .n = streams->n_hops, .chunk_bytes = moves->chunk_bytes, .credits = moves->credits};
    const struct cw_flit_job job = {.kind = CW_FLIT_STREAMS,
                                    .n_ranks = moves->n_ranks,
                                    .endpoints = moves->endpoints,
                                    .message_flits = made->message_flits,
                                    .streams = &all};
    const struct cw_flit_setup setup = {.routing = routing,
                                        .hardware = made->hardware,
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .seed = made->seed,
                                        .n_threads = made->n_threads};
    struct cw_flit_simulation *simulation;
    struct cw_flit_window window = {.finished = false};
    double moved = 0, flits = 0;
    for (size_t h = 0; h < streams->n_hops; h++) flits += (double)streams->hops[h].bytes / made->hardware.flit_bytes;
    int rc = cw_flit_new(&setup, &simulation);
    if (rc) return rc;
    while (!rc && !window.finished) {
        rc = cw_flit_run(simulation, RUN_CYCLES, &window);
        moved += (double)window.accepted_flits;
        cw_progress_reach(&made->progress, fmin(moved / flits, 1));
    }
    out->cycles = cw_flit_job_done(simulation, 0);
    out->seconds = (double)out->cycles * cw_flit_cycle(&made->hardware);
    if (!rc) rc = cw_flit_drain_and_check(simulation);
    cw_flit_free(simulation);
    return rc;
}

static int run(struct streams *streams, struct cw_flit_moves_result *out)
{
    const struct cw_network *net = streams->made->net;
    struct cw_packet_routing *routing;
    int rc = list_hops(streams);
    if (!rc)
        rc = cw_packet_routing_of_paths(net, "the plan's paths", streams->n_paths, streams->first, streams->channels,
                                        &routing);
    if (rc) return rc;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t lanes = cw_packet_routing_lanes(routing, c);
        if (lanes > out->lanes) out->lanes = lanes;
    }
    rc = simulate(streams, routing, out);
    cw_packet_routing_free(routing);
    return rc;
}

int cw_flit_moves_case_run(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *out)
{
    struct streams streams = {.made = made};
    struct cw_flit_moves_result result = {.hottest = CW_NONE};
    int rc = cw_moves_check_network(made->moves, made->net);
    if (rc) return rc;
    for (size_t d = 0; d < made->moves->n_demands; d++) result.bytes += made->moves->demands[d].bytes;
    rc = find_bound(made, &result);
    if (!rc) rc = run(&streams, &result);
    free(streams.hops);
    free(streams.first);
    free(streams.channels);
    if (!rc) *out = result;
    return rc;
}
