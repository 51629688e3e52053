#include "sim/flit/flit_source.h"

#include <math.h>

#include "base/random.h"

uint64_t cw_flit_flits_of(uint64_t bytes, uint32_t flit_bytes)
{
    return bytes <= flit_bytes ? 1 : (bytes - 1) / flit_bytes + 1;
}

/* Cycles from one message's beginning to the next one's: each cycle begins one with the same probability. */
static uint64_t gap(const struct cw_flit_source *source, uint64_t random)
{
    const double unit = ((double)(random >> 11) + 1) * 0x1p-53; /* (0, 1] */
    const double cycles = log(unit) / source->log_stay;
    return cycles < 0x1p62 ? 1 + (uint64_t)cycles : UINT64_C(1) << 62;
}

/* When the message comes before which RANDOM is drawn. At full load messages follow each other without a pause. */
static uint64_t after(const struct cw_flit_source *source, uint64_t from, uint64_t random)
{
    if (source->flits_left == 0) return UINT64_MAX;
    if (source->job->load < 1) return from + gap(source, random);
    return source->job->start +
           source->number * source->job->message_flits * source->period / CW_FLIT_CYCLE; /* below 2^44 cycles */
}

struct cw_flit_source cw_flit_source_of(const struct cw_flit_job *job, uint32_t rank, uint32_t flit_bytes,
                                        uint64_t seed, uint64_t period)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, job->endpoints[rank]);
    struct cw_flit_source source = {.job = job, .rank = rank, .period = period};
    source.key = cw_random_u64(&random);
    source.flits_left = job->kind == CW_FLIT_FINITE ? cw_flit_flits_of(job->bytes, flit_bytes) : UINT64_MAX;
    const double rate = (double)CW_FLIT_CYCLE / (double)period;
    source.log_stay = log1p(-job->load * rate / job->message_flits);
    source.ready = job->start + (job->load < 1 ? gap(&source, cw_random_u64(&random)) - 1 : 0);
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
