/* Checks of setups, jobs with what they need, and what is said of routings that fail. */
#include "sim/flit/flit_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"

/* --- checks ------------------------------------------------------------------------------------------------------- */

static int check_count(const char *name, uint32_t value, uint32_t max)
{
    if (value >= 1 && value <= max) return 0;
    return cw_fail(CW_EUSAGE, "%s of %u, expected 1 to %u", name, value, max);
}

int cw_flit_check_hardware(const struct cw_flit_hardware *hardware)
{
    int rc = check_count("flits", hardware->flit_bytes, CW_FLIT_BYTES_MAX);
    if (!rc) rc = check_count("input queues", hardware->input_flits, CW_FLIT_BUFFER_MAX);
    if (!rc) rc = check_count("output queues", hardware->output_flits, CW_FLIT_BUFFER_MAX);
    if (!rc) rc = check_count("a crossbar speed-up", hardware->speedup, CW_FLIT_SPEEDUP_MAX);
    if (!rc) rc = check_count("injection lanes", hardware->injection_lanes, CW_FLIT_LANES);
    if (!rc) rc = check_count("a switch pipeline", hardware->pipeline, CW_FLIT_LATENCY_MAX - 1);
    if (!rc && hardware->host_latency > 0)
        rc = check_count("a host latency", hardware->host_latency, CW_FLIT_LATENCY_MAX - 1);
    if (!rc && hardware->local_latency > 0)
        rc = check_count("a local latency", hardware->local_latency, CW_FLIT_LATENCY_MAX - 1);
    if (!rc && hardware->global_latency > 0)
        rc = check_count("a global latency", hardware->global_latency, CW_FLIT_LATENCY_MAX - 1);
    if (!rc && !(hardware->reference_capacity > 0))
        rc = cw_fail(CW_EUSAGE, "a reference capacity of %g byte/s, expected a positive one",
                     hardware->reference_capacity);
    return rc;
}

static int check_message(const struct cw_flit_hardware *hardware, size_t job, uint32_t flits)
{
    const uint32_t least =
        hardware->input_flits < hardware->output_flits ? hardware->input_flits : hardware->output_flits;
    if (flits == 0) return cw_fail(CW_EUSAGE, "job %zu sends messages of 0 flits, expected at least 1", job);
    if (flits > CW_FLIT_MESSAGE_MAX)
        return cw_fail(CW_EUSAGE, "job %zu sends messages of %u flits, expected at most %d", job, flits,
                       CW_FLIT_MESSAGE_MAX);
    if (flits > least)
        return cw_fail(CW_EUSAGE, "job %zu sends messages of %u flits, but queues hold %u: a message must fit into one",
                       job, flits, least);
    return 0;
}

static int check_sizes(const struct cw_flit_hardware *hardware, const struct cw_flit_job *job, size_t index)
{
    if (job->n_sizes == 0) return check_message(hardware, index, job->message_flits);
    if (job->kind == CW_FLIT_SCHEDULE || job->kind == CW_FLIT_STREAMS)
        return cw_fail(CW_EUSAGE, "job %zu is a schedule and has a mix of messages; its messages are its own", index);
    if (job->n_sizes > CW_FLIT_SIZES)
        return cw_fail(CW_EUSAGE, "job %zu mixes messages of %zu lengths, expected at most %d", index, job->n_sizes,
                       CW_FLIT_SIZES);
    int rc = 0;
    for (size_t i = 0; i < job->n_sizes && !rc; i++) {
        rc = check_message(hardware, index, job->sizes[i].flits);
        if (!rc && !(job->sizes[i].share > 0 && job->sizes[i].share <= 1e9))
            rc = cw_fail(CW_EUSAGE, "job %zu mixes messages, a share of %g of them of %u flits, expected more than 0",
                         index, job->sizes[i].share, job->sizes[i].flits);
    }
    return rc;
}

static int check_workload(const struct cw_flit_job *job, size_t index)
{
    if (!(job->load > 0 && job->load <= 1))
        return cw_fail(CW_EUSAGE, "job %zu offers a load of %g, expected more than 0 and at most 1", index, job->load);
    if (!job->workload) return cw_fail(CW_EUSAGE, "job %zu has no workload", index);
    if (cw_workload_ranks(job->workload) != job->n_ranks)
        return cw_fail(CW_EUSAGE, "job %zu has %u ranks, but its workload %s is for %u", index, job->n_ranks,
                       cw_workload_spec(job->workload), cw_workload_ranks(job->workload));
    if (job->kind == CW_FLIT_FINITE && job->bytes == 0)
        return cw_fail(CW_EUSAGE, "job %zu sends 0 bytes a rank, expected at least 1", index);
    return 0;
}

static int check_job(const struct cw_flit_hardware *hardware, const struct cw_flit_job *job, size_t index)
{
    if (job->n_ranks == 0) return cw_fail(CW_EUSAGE, "job %zu has 0 ranks, expected at least 1", index);
    if (job->kind == CW_FLIT_SCHEDULE) {
        if (!job->schedule) return cw_fail(CW_EUSAGE, "job %zu has no schedule", index);
    } else if (job->kind == CW_FLIT_STREAMS) {
        if (!job->streams) return cw_fail(CW_EUSAGE, "job %zu has no streams", index);
    } else {
        const int rc = check_workload(job, index);
        if (rc) return rc;
    }
    return check_sizes(hardware, job, index);
}

uint64_t cw_flit_period(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel)
{
    return (uint64_t)llround(hardware->reference_capacity / net->capacity[channel] * (double)CW_FLIT_CYCLE);
}

int cw_flit_check_channel(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel)
{
    char name[2 * CW_NAME_SIZE + 32];
    const double capacity = net->capacity[channel], reference = hardware->reference_capacity;
    cw_network_channel_name(net, channel, name, sizeof name);
    if (cw_network_is_closed(net, channel))
        return cw_fail(CW_EUSAGE,
                       "channel %s is closed; expected cables that work in both directions, because credits travel "
                       "back",
                       name);
    if (capacity > reference * (1 + 1e-9))
        return cw_fail(CW_EUSAGE, "channel %s moves %g byte/s, more than the reference capacity of %g byte/s: raise it",
                       name, capacity, reference);
    if (reference / capacity > 1e6)
        return cw_fail(CW_EUSAGE, "channel %s moves %g byte/s, less than a millionth of the reference capacity", name,
                       capacity);
    if (cw_flit_latency(net, hardware, channel) + hardware->pipeline > CW_FLIT_LATENCY_MAX)
        return cw_fail(CW_EUSAGE, "channel %s has more than %d cycles of latency and pipeline", name,
                       CW_FLIT_LATENCY_MAX);
    return 0;
}

int cw_flit_check_seat(const struct cw_network *net, size_t index, uint32_t rank, uint32_t endpoint, uint32_t other_job,
                       uint32_t other_rank)
{
    if (endpoint >= net->n_endpoints)
        return cw_fail(CW_EUSAGE, "rank %u of job %zu is on endpoint %u, but the network has %u endpoints", rank, index,
                       endpoint, net->n_endpoints);
    char name[CW_NAME_SIZE];
    cw_network_name(net, endpoint, name, sizeof name);
    if (cw_network_degree(net, endpoint) == 0)
        return cw_fail(CW_EUSAGE, "rank %u of job %zu is on %s, which has no cable to a switch", rank, index, name);
    if (other_job == CW_NONE) return 0;
    return cw_fail(CW_EUSAGE, "rank %u of job %zu is on %s, where rank %u of job %u is already", rank, index, name,
                   other_rank, other_job);
}

uint32_t cw_flit_longest_message(const struct cw_flit_setup *setup)
{
    uint32_t longest = 1;
    for (size_t i = 0; i < setup->n_jobs; i++) {
        const struct cw_flit_job *job = &setup->jobs[i];
        if (job->n_sizes == 0 && job->message_flits > longest) longest = job->message_flits;
        for (size_t k = 0; k < job->n_sizes; k++)
            if (job->sizes[k].flits > longest) longest = job->sizes[k].flits;
    }
    return longest;
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

/* The gaps between messages of TASK on channels of PERIOD; NULL without memory. */
static const struct cw_flit_gaps *gaps_for(struct cw_flit_task *task, uint32_t flit_bytes, uint64_t period)
{
    for (const struct cw_flit_gaps *gaps = task->gaps; gaps; gaps = gaps->next)
        if (gaps->period == period) return gaps;
    struct cw_flit_gaps *gaps = cw_new_array(1, sizeof *gaps, "times between messages");
    if (!gaps) return NULL;
    cw_flit_gaps_fill(gaps, &task->job, flit_bytes, period);
    gaps->next = task->gaps;
    task->gaps = gaps;
    return gaps;
}

int cw_flit_task_make(struct cw_flit_task *task, const struct cw_network *net, const struct cw_flit_hardware *hardware,
                      const struct cw_flit_job *job, size_t index)
{
    *task = (struct cw_flit_task){.job = *job, .done = UINT64_MAX};
    if (cw_flit_task_waits(task) && job->message_flits == 0) task->job.message_flits = 1;
    const int rc = check_job(hardware, &task->job, index);
    if (rc) return rc;
    task->endpoints = cw_new_array(job->n_ranks, sizeof *task->endpoints, "endpoints of a job");
    if (!task->endpoints) return CW_ENOMEM;
    memcpy(task->endpoints, job->endpoints, job->n_ranks * sizeof *task->endpoints);
    task->job.endpoints = task->endpoints;
    if (job->kind == CW_FLIT_STREAMS) return cw_flit_streams_make(task, net, hardware->flit_bytes, index);
    return job->kind == CW_FLIT_SCHEDULE ? cw_flit_task_expand(task, hardware->flit_bytes) : 0;
}

int cw_flit_task_source(struct cw_flit_task *task, const struct cw_flit_hardware *hardware, uint32_t rank,
                        uint64_t period, uint64_t seed, struct cw_flit_source *out)
{
    if (cw_flit_task_waits(task)) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, task->endpoints[rank]);
        *out = (struct cw_flit_source){.ready = UINT64_MAX, .key = cw_random_u64(&random)};
        return 0;
    }
    const struct cw_flit_gaps *gaps = gaps_for(task, hardware->flit_bytes, period);
    if (!gaps) return CW_ENOMEM;
    *out = cw_flit_source_of(&task->job, gaps, rank, seed);
    return 0;
}

static void free_gaps(struct cw_flit_gaps *gaps)
{
    while (gaps) {
        struct cw_flit_gaps *next = gaps->next;
        free(gaps);
        gaps = next;
    }
}

void cw_flit_task_free(struct cw_flit_task *task)
{
    free_gaps(task->gaps);
    free(task->endpoints);
    free(task->orders);
    free(task->first_order);
    free(task->receives);
    free(task->first_receive);
    free(task->end_receive);
    free(task->stages);
    free(task->hops_of);
    free(task->first_of);
    free(task->shares);
}

size_t cw_flit_task_bytes(const struct cw_flit_task *task)
{
    const size_t orders = task->orders ? task->first_order[task->job.n_ranks] : 0;
    const size_t stages = task->stages ? task->job.streams->n : 0;
    const size_t shares = task->job.n_ranks * (size_t)task->n_sums;
    return task->job.n_ranks * sizeof *task->endpoints + orders * (sizeof *task->orders + sizeof *task->receives) +
           stages * (sizeof *task->stages + sizeof *task->hops_of) + shares * sizeof *task->shares;
}

/* --- messages that wait for others -------------------------------------------------------------------------------- */

void cw_flit_waiting_begin(struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress)
{
    if (task->job.kind == CW_FLIT_SCHEDULE)
        cw_flit_schedule_begin(task, rank, progress);
    else
        cw_flit_streams_begin(task, rank, progress);
}

bool cw_flit_waiting_take(struct cw_flit_task *task, struct cw_flit_progress *progress, struct cw_flit_source *source,
                          uint64_t t, struct cw_flit_message *message, uint32_t *index)
{
    return task->job.kind == CW_FLIT_SCHEDULE ? cw_flit_schedule_take(task, progress, source, t, message, index)
                                              : cw_flit_streams_take(task, progress, t, message, index);
}

void cw_flit_waiting_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t)
{
    if (task->job.kind == CW_FLIT_SCHEDULE)
        cw_flit_schedule_receive(task, progress, index, t);
    else
        cw_flit_streams_receive(task, progress, index, t);
}

/* --- routings that fail ------------------------------------------------------------------------------------------- */

int cw_flit_fail_routing(const struct cw_packet_routing *routing, uint32_t sw, const struct cw_packet *packet, int n,
                         const struct cw_hop *hop)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    const char *name = cw_packet_routing_name(routing);
    char at[CW_NAME_SIZE], to[CW_NAME_SIZE];
    if (n < 0) return n;
    cw_network_name(net, sw, at, sizeof at);
    cw_network_name(net, packet->dst, to, sizeof to);
    if (n == 0) return cw_fail(CW_EROUTE, "routing %s knows no hop from %s to %s", name, at, to);
    return cw_fail(CW_EROUTE, "routing %s sends a packet from %s to %s by channel %u, lane %u, which is not there",
                   name, at, to, hop->channel, hop->lane);
}

int cw_flit_fail_stranger(const struct cw_packet_routing *routing, uint32_t here, const struct cw_packet *packet)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    char name[CW_NAME_SIZE], there[CW_NAME_SIZE];
    cw_network_name(net, here, name, sizeof name);
    cw_network_name(net, packet->dst, there, sizeof there);
    if (packet->dst == here) return cw_fail(CW_EINTERNAL, "the flits of a message to %s came out of order", name);
    return cw_fail(CW_EROUTE, "routing %s delivered a packet to %s that was meant for %s",
                   cw_packet_routing_name(routing), name, there);
}
