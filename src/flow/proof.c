#include "flow/proof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/pricing.h"

#define NEGLIGIBLE                                                                                                     \
    1e-15 /* what a channel's length times capacity may be of the greatest such product, to be left out */

void cw_proof_free(struct cw_proof *proof)
{
    if (!proof) return;
    free(proof->channel);
    free(proof->length);
    *proof = (struct cw_proof){0};
}

int cw_proof_copy(const struct cw_proof *proof, struct cw_proof *out)
{
    struct cw_proof copy = {.bound = proof->bound, .n = proof->n};
    if (proof->n > 0) {
        copy.channel = cw_new_array(proof->n, sizeof *copy.channel, "a proof");
        copy.length = cw_new_array(proof->n, sizeof *copy.length, "a proof");
        if (!copy.channel || !copy.length) {
            cw_proof_free(&copy);
            return CW_ENOMEM;
        }
        memcpy(copy.channel, proof->channel, proof->n * sizeof *copy.channel);
        memcpy(copy.length, proof->length, proof->n * sizeof *copy.length);
    }
    *out = copy;
    return 0;
}

/* LENGTH with 9 digits. More would make files longer and the bound no better. */
static double rounded(double length)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", length);
    return strtod(digits, NULL);
}

/* Copies FROM to TO [channels], scaled and rounded; the number of channels that keep a length. */
static uint32_t round_lengths(const struct cw_flow_problem *problem, const double *from, double *to)
{
    const uint32_t n_channels = problem->net->n_channels;
    double greatest = 0, weight = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < n_channels; c++) {
        if (!(from[c] > 0)) continue;
        greatest = fmax(greatest, from[c]);
        weight = fmax(weight, from[c] * problem->capacity[c]);
    }
    for (uint32_t c = 0; c < n_channels; c++) {
        if (from[c] * problem->capacity[c] > NEGLIGIBLE * weight) to[c] = rounded(from[c] / greatest);
        n += to[c] > 0;
    }
    return n;
}

static int price(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, double *bound)
{
    struct cw_pricing *pricing = NULL;
    int rc = cw_pricing_make(problem, NULL, n_threads, &pricing);
    if (!rc) rc = cw_pricing_run(pricing, length);
    if (!rc) *bound = cw_pricing_bound(pricing, length);
    cw_pricing_free(pricing);
    return rc;
}

/* Keeps the N channels of LENGTH that have one. */
static int keep(const struct cw_flow_problem *problem, const double *length, uint32_t n, struct cw_proof *proof)
{
    proof->channel = cw_new_array(n, sizeof *proof->channel, "a proof");
    proof->length = cw_new_array(n, sizeof *proof->length, "a proof");
    if (!proof->channel || !proof->length) {
        cw_proof_free(proof);
        return CW_ENOMEM;
    }
    for (uint32_t c = 0; c < problem->net->n_channels; c++) {
        if (!(length[c] > 0)) continue;
        proof->channel[proof->n] = c;
        proof->length[proof->n++] = length[c];
    }
    return 0;
}

int cw_proof_make(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, struct cw_proof *out)
{
    struct cw_proof proof = {.bound = INFINITY};
    double *kept = cw_new_array(problem->net->n_channels, sizeof *kept, "channel lengths");
    if (!kept) return CW_ENOMEM;
    const uint32_t n = round_lengths(problem, length, kept);
    int rc = price(problem, kept, n_threads, &proof.bound);
    if (!rc && isfinite(proof.bound)) rc = keep(problem, kept, n, &proof);
    free(kept);
    if (!rc) *out = proof;
    return rc;
}
