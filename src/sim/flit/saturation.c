#include "sim/flit/saturation.h"

#include <math.h>

static const double FIRST = 0.1, STEP = 0.2;
static const double PRECISION = 0.05; /* of the least load that is refused */
static const double LEAST = 0.001;    /* load that is tried */

double cw_saturation_next(const struct cw_saturation *search)
{
    if (search->refused <= 0) {
        if (search->accepted >= 1) return 0;
        return search->accepted <= 0 ? FIRST : fmin((floor(search->accepted / STEP + 0.01) + 1) * STEP, 1);
    }
    const double gap = search->refused - search->accepted, middle = search->accepted + gap / 2;
    return gap <= PRECISION * search->refused * (1 + 1e-9) || middle < LEAST ? 0 : middle;
}

static bool is_among(const double *loads, size_t n, double load)
{
    for (size_t i = 0; i < n; i++)
        if (loads[i] == load) return true;
    return false;
}

size_t cw_saturation_ahead(const struct cw_saturation *search, size_t room, double *out)
{
    struct cw_saturation states[2 * CW_SATURATION_AHEAD + 1] = {*search};
    size_t n = 0, n_states = 1;
    for (size_t i = 0; i < n_states && n < room; i++) {
        const double load = cw_saturation_next(&states[i]);
        if (load <= 0 || is_among(out, n, load)) continue;
        out[n++] = load;
        struct cw_saturation accepted = states[i], refused = states[i];
        accepted.accepted = refused.refused = load;
        states[n_states++] = accepted;
        states[n_states++] = refused;
    }
    return n;
}

bool cw_saturation_add(struct cw_saturation *search, const struct cw_steady_result *result)
{
    const double chance = 3 / sqrt((double)result->messages + 1);
    const double most = fmax(1 - CW_SATURATION_SHARE, chance) * result->offered;
    const bool is_late = search->latency > 0 && result->latency_mean > CW_SATURATION_LATENCY * search->latency;
    const bool accepted = result->offered - result->accepted <= most && !is_late;
    if (search->latency <= 0 || result->latency_mean < search->latency) search->latency = result->latency_mean;
    *(accepted ? &search->accepted : &search->refused) = result->offered;
    search->most = fmax(search->most, result->accepted);
    return accepted;
}
