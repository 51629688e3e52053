#include "study/move/move_data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#define WORD sizeof(uint64_t)

/* --- MPI's own ---------------------------------------------------------------------------------------------------- */

const char *const cw_move_calls[] = {"MPI_Alltoallv",  "MPI_Alltoall", "MPI_Bcast",          "MPI_Allgather",
                                     "MPI_Allgatherv", "MPI_Reduce",   "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
                                     "MPI_Allreduce"};

/* Whether each of the N ranks has as much for each other one, once: so many demands, and no pair twice. */
static int is_alltoall(const struct cw_moves *moves, uint32_t n, bool *out)
{
    *out = moves->n_ranks == n && moves->n_demands == (size_t)n * (n - 1);
    if (!*out) return 0;
    bool *seen = cw_new_array((size_t)n * n, sizeof *seen, "pairs of ranks");
    if (!seen) return CW_ENOMEM;
    for (size_t d = 0; d < moves->n_demands; d++) {
        const struct cw_moves_demand *demand = &moves->demands[d];
        const size_t pair = (size_t)demand->src * n + demand->dst;
        if (demand->bytes != moves->demands[0].bytes || seen[pair]) *out = false;
        seen[pair] = true;
    }
    free(seen);
    return 0;
}

/* The rank that has DEMAND's data at first, or, if they are a sum, in the end. One that is for all is nobody's own: the
 * first rank stands for all. */
static uint32_t owner_of(const struct cw_moves_demand *demand)
{
    if (demand->src != CW_NONE) return demand->src;
    return demand->dst != CW_NONE ? demand->dst : 0;
}

/* Whether each rank has as much. */
static int is_even(const struct cw_moves *moves, bool *out)
{
    uint64_t *bytes = cw_new_array(moves->n_ranks, sizeof *bytes, "data of ranks");
    if (!bytes) return CW_ENOMEM;
    *out = true;
    for (size_t d = 0; d < moves->n_demands; d++) bytes[owner_of(&moves->demands[d])] += moves->demands[d].bytes;
    for (uint32_t r = 1; r < moves->n_ranks; r++) *out = *out && bytes[r] == bytes[0];
    /* several demands of one rank begin at whole units */
    *out = *out && moves->n_demands == moves->n_ranks;
    free(bytes);
    return 0;
}

int cw_move_call_of(const struct cw_moves *moves, uint32_t n, enum cw_move_call *out)
{
    size_t for_all = 0, sums = 0;
    bool even, one_root = true;
    for (size_t d = 0; d < moves->n_demands; d++) {
        for_all += moves->demands[d].dst == CW_NONE;
        sums += moves->demands[d].src == CW_NONE;
        one_root = one_root && owner_of(&moves->demands[d]) == owner_of(&moves->demands[0]);
    }
    if (sums > 0 && sums < moves->n_demands)
        return cw_fail(CW_EUSAGE, "%zu of %zu demands are sums: expected all of them, or none", sums, moves->n_demands);
    if (for_all > 0 && for_all < moves->n_demands)
        return cw_fail(CW_EUSAGE, "%zu of %zu demands are for all other ranks: expected all of them, or none", for_all,
                       moves->n_demands);
    const int rc = for_all > 0 || sums > 0 ? is_even(moves, &even) : is_alltoall(moves, n, &even);
    if (rc) return rc;
    if (sums > 0)
        *out = for_all > 0 ? CW_MOVE_ALLREDUCE
               : one_root  ? CW_MOVE_REDUCE
               : even      ? CW_MOVE_REDUCE_SCATTER_BLOCK
                           : CW_MOVE_REDUCE_SCATTER;
    else if (for_all > 0)
        *out = one_root ? CW_MOVE_BCAST : even ? CW_MOVE_ALLGATHER : CW_MOVE_ALLGATHERV;
    else
        *out = even ? CW_MOVE_ALLTOALL : CW_MOVE_ALLTOALLV;
    return 0;
}

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
        const uint32_t dst = demand->dst == CW_NONE ? 0 : demand->dst; /* what all have is counted once */
        /* who adds or has what all have, has all */
        uint64_t *both[] = {&sums[demand->src == CW_NONE ? 0 : 2 * (size_t)demand->src], &sums[2 * (size_t)dst + 1]};
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
    uint64_t unit = moves->demands[0].src == CW_NONE ? WORD : 1, most = 0;
    const uint64_t greatest = unit > 1 ? unit : UINT64_MAX / 4; /* numbers are added one by one */
    int rc = sums ? most_units(moves, unit, sums, &most) : CW_ENOMEM;
    while (!rc && most > (uint64_t)limit) {
        if (unit >= greatest) rc = cw_fail(CW_ELIMIT, "a rank has more data than can be counted");
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
    if (data->call == CW_MOVE_ALLTOALL && data->self != CW_NONE)
        side->counts[seats[data->self]] = (int)in_units(moves->demands[0].bytes, data->unit);
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

/* Of those of the program's ranks that take part, which is rank R of the moves: [n_ranks]. */
static uint32_t *number_parts(const struct cw_move_data *data, const uint32_t *seats)
{
    const uint32_t n_ranks = data->moves->n_ranks;
    uint32_t *rank_at = cw_new_array(data->n, sizeof *rank_at, "ranks of a program");
    uint32_t *part = cw_new_array(n_ranks, sizeof *part, "ranks of a program"), parts = 0;
    if (rank_at && part) {
        for (uint32_t r = 0; r < n_ranks; r++) rank_at[seats[r]] = r + 1;
        for (uint32_t i = 0; i < data->n; i++)
            if (rank_at[i] > 0) part[rank_at[i] - 1] = parts++;
    } else {
        free(part);
        part = NULL;
    }
    free(rank_at);
    return part;
}

/* Lays out what all have in the end, by those who have it at first. */
static int lay_out_shared(struct cw_move_data *data, const uint32_t *seats)
{
    const struct cw_moves *moves = data->moves;
    struct cw_move_side *side = &data->shared;
    uint32_t *part = number_parts(data, seats);
    side->counts = cw_new_array(moves->n_ranks, sizeof *side->counts, "counts");
    side->places = cw_new_array((size_t)moves->n_ranks + 1, sizeof *side->places, "places");
    int *next = cw_new_array(moves->n_ranks, sizeof *next, "places"), rc = CW_ENOMEM;
    if (part && side->counts && side->places && next) {
        data->part = (int)part[data->self];
        data->root = (int)part[owner_of(&moves->demands[0])];
        for (size_t d = 0; d < moves->n_demands; d++)
            side->counts[part[owner_of(&moves->demands[d])]] += (int)in_units(moves->demands[d].bytes, data->unit);
        for (uint32_t i = 0; i < moves->n_ranks; i++) {
            next[i] = side->places[i];
            side->places[i + 1] = side->places[i] + side->counts[i];
        }
        side->buffer = cw_new_array((size_t)side->places[moves->n_ranks] + 1, (size_t)data->unit, "data");
        data->block = cw_new_array((size_t)side->counts[data->part] + 1, (size_t)data->unit, "data");
        rc = side->buffer && data->block ? 0 : CW_ENOMEM;
        for (size_t d = 0; d < moves->n_demands && !rc; d++) {
            int *at = &next[part[owner_of(&moves->demands[d])]];
            data->demands[d] = side->buffer + (uint64_t)*at * data->unit;
            *at += (int)in_units(moves->demands[d].bytes, data->unit);
        }
    }
    free(part);
    free(next);
    return rc;
}

int cw_move_data_new(const struct cw_moves *moves, uint32_t self, const uint32_t *seats, uint32_t n, int limit,
                     struct cw_move_data *out)
{
    struct cw_move_data data = {.moves = moves, .self = self, .n = n};
    data.demands = cw_new_array(moves->n_demands + 1, sizeof *data.demands, "places of data");
    int rc = data.demands ? cw_move_call_of(moves, n, &data.call) : CW_ENOMEM;
    const bool shares = cw_move_call_shares(data.call);
    if (!rc) rc = choose_unit(moves, limit, &data.unit);
    if (!rc && shares && self != CW_NONE) rc = lay_out_shared(&data, seats);
    if (!rc && !shares) rc = lay_out(&data, seats, true, &data.sent);
    if (!rc && !shares) rc = lay_out(&data, seats, false, &data.received);
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
    free_side(&data->shared);
    free(data->block);
    free(data->demands);
    *data = (struct cw_move_data){.n = 0};
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

static uint64_t demand_key(uint64_t key, size_t demand)
{
    return cw_random_hash(key, demand);
}

/* Of what RANK has of DEMAND. */
static uint64_t own_key(const struct cw_move_data *data, uint64_t key, size_t demand, uint32_t rank)
{
    const uint64_t all = demand_key(key, demand);
    return data->moves->demands[demand].src == CW_NONE ? cw_random_hash(all, rank) : all;
}

/* Word I of what has arrived of DEMAND in the end. */
static uint64_t word_of(const struct cw_move_data *data, uint64_t key, size_t demand, uint64_t i)
{
    uint64_t sum = 0;
    if (data->moves->demands[demand].src != CW_NONE) return cw_random_word(demand_key(key, demand), i);
    for (uint32_t r = 0; r < data->moves->n_ranks; r++) sum += cw_random_word(own_key(data, key, demand, r), i);
    return sum;
}

void cw_move_data_settle(struct cw_move_data *data)
{
    const struct cw_move_side *side = &data->shared;
    if (!cw_move_call_adds(data->call) || data->call == CW_MOVE_ALLREDUCE || data->self == CW_NONE) return;
    memcpy(side->buffer + (uint64_t)side->places[data->part] * data->unit, data->block,
           (uint64_t)side->counts[data->part] * data->unit);
}

void cw_move_data_fill(struct cw_move_data *data, uint64_t key)
{
    for (size_t d = 0; d < data->moves->n_demands; d++) {
        const struct cw_moves_demand *demand = &data->moves->demands[d];
        const uint64_t own = own_key(data, key, d, data->self);
        unsigned char *bytes = data->demands[d];
        if (data->self == CW_NONE || (demand->src != data->self && demand->src != CW_NONE)) continue;
        for (uint64_t i = 0; i < demand->bytes; i += WORD) {
            const uint64_t word = cw_random_word(own, i / WORD), left = demand->bytes - i;
            memcpy(bytes + i, &word, left < WORD ? (size_t)left : WORD);
        }
    }
}

static int check_demand(const struct cw_move_data *data, size_t d, uint64_t key)
{
    char *const *names = data->moves->names;
    const struct cw_moves_demand *demand = &data->moves->demands[d];
    const unsigned char *bytes = data->demands[d];
    for (uint64_t i = 0; i < demand->bytes; i += WORD) {
        const uint64_t word = word_of(data, key, d, i / WORD), left = demand->bytes - i;
        const size_t size = left < WORD ? (size_t)left : WORD;
        unsigned char expected[WORD];
        memcpy(expected, &word, WORD);
        if (memcmp(bytes + i, expected, size) == 0) continue;
        for (uint64_t b = 0; b < size; b++)
            if (bytes[i + b] != expected[b])
                return cw_fail(CW_EIO, "byte %" PRIu64 " of demand %zu, %s to %s, did not arrive", i + b, d,
                               demand->src == CW_NONE ? "the sum" : names[demand->src], names[data->self]);
    }
    return 0;
}

int cw_move_data_check(const struct cw_move_data *data, uint64_t key)
{
    int rc = 0;
    for (size_t d = 0; d < data->moves->n_demands && !rc; d++)
        if (data->self != CW_NONE && cw_moves_are_for(data->moves, d, data->self)) rc = check_demand(data, d, key);
    return rc;
}
