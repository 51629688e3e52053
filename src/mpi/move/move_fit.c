#include "mpi/move/move_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "flow/moves/moves_change.h"
#include "net/network_internal.h"
#include "study/move/transport_fit.h"

#define REPEATS 5
#define FEW     16 /* chunks; what is no chunk's share is the same for both */
#define MANY    48
#define SHORTER 4 /* times shorter chunks */
#define TINY    8 /* bytes */

struct fitter {
    const struct move_fit *fit;
    uint32_t way[3];
    uint32_t *seats;      /* [moves->n_ranks] of the first rank of each */
    unsigned char *bytes; /* of one rank: sent, relayed or received */
};

/* The first forward of the moves is what is measured. */
static int find_way(struct fitter *fitter, struct cw_fit_times *times)
{
    const struct cw_moves *moves = fitter->fit->moves;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
            const struct cw_step *step = &moves->steps[i];
            if (step->kind != CW_STEP_FORWARD) continue;
            const struct cw_step *before = &moves->steps[cw_moves_find(moves, step->from, step->stream)];
            const double *capacity = fitter->fit->net->capacity;
            fitter->way[0] = step->from;
            fitter->way[1] = r;
            fitter->way[2] = step->to;
            times->capacity = capacity[moves->channels[before->first_channel]];
            for (uint32_t c = 1; c < before->n_channels; c++)
                times->capacity = fmin(times->capacity, capacity[moves->channels[before->first_channel + c]]);
            times->relayed_capacity = times->capacity;
            for (uint32_t c = 0; c < step->n_channels; c++)
                times->relayed_capacity =
                    fmin(times->relayed_capacity, capacity[moves->channels[step->first_channel + c]]);
            return 0;
        }
    return cw_fail(CW_EUSAGE, "these moves relay nothing, so that nothing of it can be measured");
}

/* Once; *SECONDS are those of the slowest rank. */
static int run_once(struct fitter *fitter, struct cw_move *move, double *seconds)
{
    struct meeting *meeting = fitter->fit->meeting;
    void *data[] = {fitter->bytes};
    int rc = ranks_meet(meeting, 0, NULL);
    if (rc) return rc;
    rc = cw_move_run(move, data, seconds);
    if (!rc) return ranks_meet(meeting, 0, seconds);
    meeting->lost = true;
    meeting->found = cw_move_found(move);
    return rc;
}

/* The median time of N chunks of SIZE bytes, directly to the relay, or by way of it. */
static int measure(struct fitter *fitter, bool relayed, uint64_t size, uint64_t n, double *seconds)
{
    const struct move_fit *fit = fitter->fit;
    struct meeting *meeting = fit->meeting;
    struct cw_moves line = {0};
    struct cw_move *move = NULL;
    double times[REPEATS];
    int rc = ranks_meet(meeting, cw_moves_line(fit->moves, fitter->way, relayed ? 3 : 2, size, n, &line), NULL);
    const struct cw_move_setup setup = {.comm = meeting->ranks->comm,
                                        .moves = &line,
                                        .ranks = fitter->seats,
                                        .wait = meeting->wait,
                                        .patience = meeting->patience};
    if (!rc) rc = cw_move_new(&setup, &move);
    for (int i = 0; i < REPEATS && !rc; i++) rc = run_once(fitter, move, &times[i]);
    if (meeting->lost) return rc; /* what is under way still needs all this */
    if (!rc) {
        cw_sort_reals(times, REPEATS);
        *seconds = times[REPEATS / 2];
    }
    cw_move_free(move);
    cw_moves_free(&line);
    return rc;
}

static int measure_period(struct fitter *fitter, bool relayed, uint64_t size, double *period)
{
    double few, many;
    int rc = measure(fitter, relayed, size, FEW, &few);
    if (!rc) rc = measure(fitter, relayed, size, MANY, &many);
    if (!rc) *period = (many - few) / (MANY - FEW);
    return rc;
}

static int measure_all(struct fitter *fitter, struct cw_fit_times *times)
{
    int rc = measure_period(fitter, false, times->chunk_bytes, &times->period);
    if (!rc) rc = measure_period(fitter, false, times->short_bytes, &times->short_period);
    if (!rc) rc = measure_period(fitter, true, times->chunk_bytes, &times->relayed_period);
    if (!rc) rc = measure(fitter, false, TINY, 1, &times->direct_one);
    return rc ? rc : measure(fitter, true, TINY, 1, &times->relayed_one);
}

static int prepare(struct fitter *fitter, struct cw_fit_times *times)
{
    const struct move_fit *fit = fitter->fit;
    times->chunk_bytes = fit->moves->chunk_bytes;
    times->short_bytes = times->chunk_bytes / SHORTER;
    const int rc = find_way(fitter, times);
    if (rc) return rc;
    if (times->short_bytes == 0)
        return cw_fail(CW_EUSAGE, "chunks of %llu bytes; expected at least %d to measure what they cost",
                       (unsigned long long)times->chunk_bytes, SHORTER);
    fitter->seats = cw_new_array(fit->moves->n_ranks, sizeof *fitter->seats, "ranks of moves");
    fitter->bytes = cw_new_array(MANY, (size_t)times->chunk_bytes + TINY, "data");
    if (!fitter->seats || !fitter->bytes) return CW_ENOMEM;
    for (uint32_t r = 0; r < fit->moves->n_ranks; r++) fitter->seats[r] = fit->seats[(size_t)r * fit->ranks_each];
    return 0;
}

int move_fit_run(const struct move_fit *fit, uint32_t way[3], struct cw_transport *out)
{
    struct fitter fitter = {.fit = fit};
    struct cw_fit_times times = {0};
    struct cw_transport made = {.credits = fit->moves->credits};
    int rc = ranks_meet(fit->meeting, prepare(&fitter, &times), NULL);
    if (!rc) rc = measure_all(&fitter, &times);
    if (!rc) rc = cw_transport_fit(&times, &made);
    free(fitter.seats);
    if (!fit->meeting->lost) free(fitter.bytes);
    if (rc) return rc;
    for (int i = 0; i < 3; i++) way[i] = fitter.way[i];
    *out = made;
    return 0;
}
