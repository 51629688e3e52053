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

void cw_flit_gaps_fill(struct cw_flit_gaps *gaps, const struct cw_flit_job *job, uint64_t period)
{
    const double rate = (double)CW_FLIT_CYCLE / (double)period;
    *gaps = (struct cw_flit_gaps){.log_stay = log1p(-job->load * rate / job->message_flits), .period = period};
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
    if (source->job->load < 1) return from + cw_flit_gap(source->gaps, random);
    return source->job->start +
           source->number * source->job->message_flits * source->gaps->period / CW_FLIT_CYCLE; /* below 2^44 cycles */
}

struct cw_flit_source cw_flit_source_of(const struct cw_flit_job *job, const struct cw_flit_gaps *gaps, uint32_t rank,
                                        uint32_t flit_bytes, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, job->endpoints[rank]);
    struct cw_flit_source source = {.job = job, .gaps = gaps, .rank = rank};
    source.key = cw_random_u64(&random);
    source.flits_left = job->kind == CW_FLIT_FINITE ? cw_flit_flits_of(job->bytes, flit_bytes) : UINT64_MAX;
    source.ready = job->start + (job->load < 1 ? cw_flit_gap(gaps, cw_random_u64(&random)) - 1 : 0);
    return source;
}

void cw_flit_source_take(struct cw_flit_source *source, struct cw_flit_message *message)
{
    const struct cw_flit_job *job = source->job;
    const uint64_t n = source->number++;
    message->ready = source->ready;
    message->flits = source->flits_left < job->message_flits ? (uint32_t)source->flits_left : job->message_flits;
    if (job->kind == CW_FLIT_FINITE) source->flits_left -= message->flits;
    source->ready = after(source, source->ready, cw_random_word(source->key, 3 * n));
    message->rank = cw_workload_destination(job->workload, source->rank, cw_random_word(source->key, 3 * n + 1));
    message->random = cw_random_word(source->key, 3 * n + 2);
}
