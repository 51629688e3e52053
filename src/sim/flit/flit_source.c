#include "sim/flit/flit_source.h"

#include <math.h>

#include "base/random.h"

uint64_t cw_flit_flits_of(uint64_t bytes, uint32_t flit_bytes)
{
    return bytes <= flit_bytes ? 1 : (bytes - 1) / flit_bytes + 1;
}

/* The cycles for a random number in (0, 1]. */
static uint64_t cycles_for(const struct cw_flit_gaps *gaps, double unit)
{
    const double cycles = log(unit) / gaps->log_stay;
    return cycles < 0x1p62 ? 1 + (uint64_t)cycles : UINT64_C(1) << 62;
}

static double unit_of(uint64_t random)
{
    return ((double)(random >> 11) + 1) * 0x1p-53;
}

double cw_flit_mean_message(const struct cw_flit_job *job)
{
    double flits = 0, shares = 0;
    for (size_t i = 0; i < job->n_sizes; i++) {
        flits += job->sizes[i].share * job->sizes[i].flits;
        shares += job->sizes[i].share;
    }
    return job->n_sizes > 0 ? flits / shares : job->message_flits;
}

static void fill_sizes(struct cw_flit_gaps *gaps, const struct cw_flit_job *job)
{
    double all = 0, so_far = 0;
    gaps->n_sizes = (uint32_t)job->n_sizes;
    for (size_t i = 0; i < job->n_sizes; i++) all += job->sizes[i].share;
    for (size_t i = 0; i < job->n_sizes; i++) {
        so_far += job->sizes[i].share;
        const double share = so_far / all;
        gaps->sizes[i] = job->sizes[i].flits;
        gaps->up_to[i] = i + 1 < job->n_sizes && share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
    }
}

void cw_flit_gaps_fill(struct cw_flit_gaps *gaps, const struct cw_flit_job *job, uint32_t flit_bytes, uint64_t period)
{
    const double rate = (double)CW_FLIT_CYCLE / (double)period;
    *gaps = (struct cw_flit_gaps){.log_stay = log1p(-job->load * rate / cw_flit_mean_message(job)), .period = period};
    gaps->flits = job->kind == CW_FLIT_FINITE ? cw_flit_flits_of(job->bytes, flit_bytes) : UINT64_MAX;
    fill_sizes(gaps, job);
    for (uint64_t byte = 0; byte < 256; byte++) {
        const uint64_t first = byte << 56, last = first | (UINT64_MAX >> 8);
        const uint64_t most = cycles_for(gaps, unit_of(first)), least = cycles_for(gaps, unit_of(last));
        if (most == least && most <= UINT8_MAX) gaps->sure[byte] = (uint8_t)most;
    }
}

uint64_t cw_flit_gap(const struct cw_flit_gaps *gaps, uint64_t random)
{
    const uint8_t sure = gaps->sure[random >> 56];
    return sure > 0 ? sure : cycles_for(gaps, unit_of(random));
}

/* When the message comes before which RANDOM is drawn. At full load messages follow each other without a pause. */
static uint64_t after(const struct cw_flit_source *source, uint64_t from, uint64_t random)
{
    if (source->flits_left == 0) return UINT64_MAX;
    const struct cw_flit_gaps *gaps = source->gaps;
    if (source->job->load < 1) return from + cw_flit_gap(gaps, random);
    const uint64_t flits =
        gaps->n_sizes > 0 ? gaps->flits - source->flits_left : source->number * source->job->message_flits;
    return source->job->start + flits * gaps->period / CW_FLIT_CYCLE; /* below 2^44 cycles */
}

struct cw_flit_source cw_flit_source_of(const struct cw_flit_job *job, const struct cw_flit_gaps *gaps, uint32_t rank,
                                        uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, job->endpoints[rank]);
    struct cw_flit_source source = {.job = job, .gaps = gaps, .rank = rank};
    source.key = cw_random_u64(&random);
    source.flits_left = gaps->flits;
    source.ready = job->start + (job->load < 1 ? cw_flit_gap(gaps, cw_random_u64(&random)) - 1 : 0);
    return source;
}

/* Flits of message number N, the last of a finite amount aside. */
static uint32_t length_of(const struct cw_flit_source *source, uint64_t n)
{
    const struct cw_flit_gaps *gaps = source->gaps;
    if (gaps->n_sizes == 0) return source->job->message_flits;
    const uint64_t random = cw_random_word(source->key, UINT64_MAX - n);
    uint32_t i = 0;
    while (random > gaps->up_to[i]) i++;
    return gaps->sizes[i];
}

void cw_flit_source_take(struct cw_flit_source *source, struct cw_flit_message *message)
{
    const struct cw_flit_job *job = source->job;
    const uint64_t n = source->number++;
    message->ready = source->ready;
    const uint32_t flits = length_of(source, n);
    message->flits = source->flits_left < flits ? (uint32_t)source->flits_left : flits;
    if (job->kind == CW_FLIT_FINITE || source->gaps->n_sizes > 0) source->flits_left -= message->flits;
    source->ready = after(source, source->ready, cw_random_word(source->key, 3 * n));
    message->rank = cw_workload_destination(job->workload, source->rank, cw_random_word(source->key, 3 * n + 1));
    message->random = cw_random_word(source->key, 3 * n + 2);
}
