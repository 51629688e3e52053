#include "study/move/move_data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#define WORD sizeof(uint64_t)

/* --- where everything is ------------------------------------------------------------------------------------------ */

static uint64_t in_units(uint64_t bytes, uint64_t unit)
{
    return bytes / unit + (bytes % unit > 0);
}

/* The most units that any rank sends or receives. */
static int most_units(const struct cw_moves *moves, uint64_t unit, uint64_t *sums, uint64_t *out)
{
    memset(sums, 0, 2 * (size_t)moves->n_ranks * sizeof *sums);
    *out = 0;
    for (size_t d = 0; d < moves->n_demands; d++) {
        const struct cw_moves_demand *demand = &moves->demands[d];
        uint64_t *both[] = {&sums[2 * (size_t)demand->src], &sums[2 * (size_t)demand->dst + 1]};
        for (size_t i = 0; i < 2; i++) {
            const uint64_t more = in_units(demand->bytes, unit);
            if (more > UINT64_MAX - *both[i]) return cw_fail(CW_ELIMIT, "a rank has more data than can be counted");
            *both[i] += more;
            if (*both[i] > *out) *out = *both[i];
        }
    }
    return 0;
}

static int choose_unit(const struct cw_moves *moves, int limit, uint64_t *out)
{
    uint64_t *sums = cw_new_array(2 * (size_t)moves->n_ranks, sizeof *sums, "data of ranks");
    uint64_t unit = 1, most = 0;
    int rc = sums ? most_units(moves, unit, sums, &most) : CW_ENOMEM;
    while (!rc && most > (uint64_t)limit) {
        if (unit > UINT64_MAX / 4) rc = cw_fail(CW_ELIMIT, "a rank has more data than can be counted");
        unit *= 2;
        if (!rc) rc = most_units(moves, unit, sums, &most);
    }
    free(sums);
    *out = unit;
    return rc;
}

/* The rank at the other end of DEMAND; CW_NONE: it is none of SELF's. */
static uint32_t other_end(const struct cw_moves_demand *demand, uint32_t self, bool sent)
{
    if ((sent ? demand->src : demand->dst) != self) return CW_NONE;
    return sent ? demand->dst : demand->src;
}

/* Lays one side out by the program's ranks, then demands. */
static int lay_out(struct cw_move_data *data, const uint32_t *seats, bool sent, struct cw_move_side *side)
{
    const struct cw_moves *moves = data->moves;
    side->counts = cw_new_array(data->n, sizeof *side->counts, "counts");
    side->places = cw_new_array((size_t)data->n + 1, sizeof *side->places, "places");
    int *next = cw_new_array(data->n, sizeof *next, "places");
    if (!side->counts || !side->places || !next) {
        free(next);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < moves->n_demands; d++) {
        const uint32_t other = other_end(&moves->demands[d], data->self, sent);
        if (other != CW_NONE) side->counts[seats[other]] += (int)in_units(moves->demands[d].bytes, data->unit);
    }
    for (uint32_t i = 0; i < data->n; i++) {
        next[i] = side->places[i];
        side->places[i + 1] = side->places[i] + side->counts[i];
    }
    side->buffer = cw_new_array((size_t)side->places[data->n] + 1, (size_t)data->unit, "data");
    for (size_t d = 0; d < moves->n_demands && side->buffer; d++) {
        const uint32_t other = other_end(&moves->demands[d], data->self, sent);
        if (other == CW_NONE) continue;
        data->demands[d] = side->buffer + (uint64_t)next[seats[other]] * data->unit;
        next[seats[other]] += (int)in_units(moves->demands[d].bytes, data->unit);
    }
    free(next);
    return side->buffer ? 0 : CW_ENOMEM;
}

int cw_move_data_new(const struct cw_moves *moves, uint32_t self, const uint32_t *seats, uint32_t n, int limit,
                     struct cw_move_data *out)
{
    struct cw_move_data data = {.moves = moves, .self = self, .n = n};
    data.demands = cw_new_array(moves->n_demands + 1, sizeof *data.demands, "places of data");
    int rc = data.demands ? choose_unit(moves, limit, &data.unit) : CW_ENOMEM;
    if (!rc) rc = lay_out(&data, seats, true, &data.sent);
    if (!rc) rc = lay_out(&data, seats, false, &data.received);
    if (rc)
        cw_move_data_free(&data);
    else
        *out = data;
    return rc;
}

static void free_side(struct cw_move_side *side)
{
    free(side->buffer);
    free(side->counts);
    free(side->places);
}

void cw_move_data_free(struct cw_move_data *data)
{
    free_side(&data->sent);
    free_side(&data->received);
    free(data->demands);
    *data = (struct cw_move_data){.n = 0};
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

static uint64_t demand_key(uint64_t key, size_t demand)
{
    return cw_random_hash(key, demand);
}

void cw_move_data_fill(struct cw_move_data *data, uint64_t key)
{
    for (size_t d = 0; d < data->moves->n_demands; d++) {
        const struct cw_moves_demand *demand = &data->moves->demands[d];
        const uint64_t own = demand_key(key, d);
        unsigned char *bytes = data->demands[d];
        if (demand->src != data->self) continue;
        for (uint64_t i = 0; i < demand->bytes; i += WORD) {
            const uint64_t word = cw_random_word(own, i / WORD), left = demand->bytes - i;
            memcpy(bytes + i, &word, left < WORD ? (size_t)left : WORD);
        }
    }
}

static int check_demand(const struct cw_move_data *data, size_t d, uint64_t key)
{
    const struct cw_moves_demand *demand = &data->moves->demands[d];
    const uint64_t own = demand_key(key, d);
    const unsigned char *bytes = data->demands[d];
    for (uint64_t i = 0; i < demand->bytes; i += WORD) {
        const uint64_t word = cw_random_word(own, i / WORD), left = demand->bytes - i;
        const size_t size = left < WORD ? (size_t)left : WORD;
        unsigned char expected[WORD];
        memcpy(expected, &word, WORD);
        if (memcmp(bytes + i, expected, size) == 0) continue;
        for (uint64_t b = 0; b < size; b++)
            if (bytes[i + b] != expected[b])
                return cw_fail(CW_EIO, "byte %" PRIu64 " of demand %zu, %s to %s, did not arrive", i + b, d,
                               data->moves->names[demand->src], data->moves->names[demand->dst]);
    }
    return 0;
}

int cw_move_data_check(const struct cw_move_data *data, uint64_t key)
{
    int rc = 0;
    for (size_t d = 0; d < data->moves->n_demands && !rc; d++)
        if (data->moves->demands[d].dst == data->self) rc = check_demand(data, d, key);
    return rc;
}
