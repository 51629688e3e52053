#include "sim/flit/steady_jobs.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "sim/flit/batch_means.h"

#define PROBES 8 /* destinations drawn to see whether a rank sends at all */

struct job {
    double bandwidth;
    double *accepted;     /* [batches] flits a cycle */
    double *population;   /* [batches] flits in the network at their ends */
    uint64_t seen;        /* accepted since the last reset, before this batch */
    int64_t before_reset; /* population then */
};

struct cw_steady_jobs {
    struct cw_flit_simulation *simulation;
    const struct cw_flit_setup *of;
    size_t n, capacity;
    uint64_t *cycles; /* [batches] */
    struct job jobs[];
};

/* --- who sends ---------------------------------------------------------------------------------------------------- */

/* True if RANK ever sends; drawing a few destinations spares most workloads the list of all. */
static int ever_sends(const struct cw_workload *workload, uint32_t rank, bool *out)
{
    struct cw_flows flows = {0};
    *out = true;
    for (uint64_t k = 0; k < PROBES; k++)
        if (cw_workload_destination(workload, rank, cw_random_hash(rank, k)) != rank) return 0;
    const int rc = cw_workload_flows_of(workload, rank, &flows);
    *out = false;
    for (size_t i = 0; i < flows.n; i++) *out |= flows.items[i].dst != rank;
    cw_flows_free(&flows);
    return rc;
}

int cw_steady_senders(const struct cw_flit_job *job, bool *sends)
{
    int rc = 0;
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) rc = ever_sends(job->workload, r, &sends[r]);
    return rc;
}

int cw_steady_bandwidth(const struct cw_flit_setup *of, const struct cw_flit_job *job, double *out)
{
    const struct cw_network *net = cw_packet_routing_network(of->routing);
    bool *sends = cw_new_array(job->n_ranks, sizeof *sends, "ranks that send");
    if (!sends) return CW_ENOMEM;
    const int rc = cw_steady_senders(job, sends);
    double sum = 0;
    for (uint32_t r = 0; r < job->n_ranks; r++)
        if (sends[r]) sum += net->capacity[net->first[job->endpoints[r]]] / of->hardware.reference_capacity;
    free(sends);
    *out = sum;
    return rc;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

int cw_steady_jobs_new(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                       struct cw_steady_jobs **out)
{
    const size_t size = sizeof **out + of->n_jobs * sizeof(struct job);
    struct cw_steady_jobs *jobs = cw_new_array(1, size, "figures of jobs");
    int rc = jobs ? 0 : CW_ENOMEM;
    if (jobs) {
        jobs->simulation = simulation;
        jobs->of = of;
    }
    for (size_t i = 0; i < of->n_jobs && !rc; i++) rc = cw_steady_bandwidth(of, &of->jobs[i], &jobs->jobs[i].bandwidth);
    if (rc)
        cw_steady_jobs_free(jobs);
    else
        *out = jobs;
    return rc;
}

void cw_steady_jobs_free(struct cw_steady_jobs *jobs)
{
    if (!jobs) return;
    for (size_t i = 0; i < jobs->of->n_jobs; i++) {
        free(jobs->jobs[i].accepted);
        free(jobs->jobs[i].population);
    }
    free(jobs->cycles);
    free(jobs);
}

double cw_steady_jobs_bandwidth(const struct cw_steady_jobs *jobs, size_t job)
{
    return jobs->jobs[job].bandwidth;
}

static int grow(void **array, size_t item, size_t old, size_t n)
{
    size_t capacity = old;
    return cw_grow_array(array, &capacity, n, item, "figures of jobs");
}

/* Arrays of one old capacity grow to one new one. */
static int make_room(struct cw_steady_jobs *jobs)
{
    if (jobs->n < jobs->capacity) return 0;
    const size_t n = jobs->capacity ? 2 * jobs->capacity : 256;
    void *cycles = jobs->cycles;
    int rc = grow(&cycles, sizeof *jobs->cycles, jobs->capacity, n);
    jobs->cycles = cycles;
    for (size_t i = 0; i < jobs->of->n_jobs && !rc; i++) {
        void *accepted = jobs->jobs[i].accepted, *population = jobs->jobs[i].population;
        rc = grow(&accepted, sizeof(double), jobs->capacity, n);
        if (!rc) rc = grow(&population, sizeof(double), jobs->capacity, n);
        jobs->jobs[i].accepted = accepted;
        jobs->jobs[i].population = population;
    }
    if (!rc) jobs->capacity = n;
    return rc;
}

/* Flits of JOB that are in the network. */
static int64_t population_of(const struct cw_steady_jobs *jobs, size_t index)
{
    const struct cw_flit_job *job = &jobs->of->jobs[index];
    const uint64_t *injected = cw_flit_injected_by(jobs->simulation);
    int64_t sum = jobs->jobs[index].before_reset - (int64_t)cw_flit_job_accepted(jobs->simulation, index);
    for (uint32_t r = 0; r < job->n_ranks; r++) sum += (int64_t)injected[job->endpoints[r]];
    return sum;
}

int cw_steady_jobs_add(struct cw_steady_jobs *jobs, uint64_t cycles)
{
    const int rc = make_room(jobs);
    if (rc) return rc;
    for (size_t i = 0; i < jobs->of->n_jobs; i++) {
        struct job *job = &jobs->jobs[i];
        const uint64_t accepted = cw_flit_job_accepted(jobs->simulation, i);
        job->accepted[jobs->n] = (double)(accepted - job->seen) / (double)cycles;
        job->population[jobs->n] = (double)population_of(jobs, i);
        job->seen = accepted;
    }
    jobs->cycles[jobs->n++] = cycles;
    return 0;
}

void cw_steady_jobs_reset(struct cw_steady_jobs *jobs)
{
    for (size_t i = 0; i < jobs->of->n_jobs; i++) {
        struct job *job = &jobs->jobs[i];
        job->before_reset = jobs->n > 0 ? (int64_t)job->population[jobs->n - 1] : 0;
        job->seen = 0;
    }
}

/* Flits in the network are those that come in a cycle times the cycles they stay (J. D. C. Little, "A proof for the
 * queuing formula L = λW", Operations Research 9(3), 1961); one is there at the ends of all its cycles but the last. */
int cw_steady_jobs_summarise(const struct cw_steady_jobs *jobs, size_t scatter_from, size_t from,
                             struct cw_steady_job *out)
{
    for (size_t i = 0; i < jobs->of->n_jobs; i++) {
        const struct job *job = &jobs->jobs[i];
        struct cw_batch_means means;
        const int rc =
            cw_batch_means(job->accepted + scatter_from, jobs->n - scatter_from, from - scatter_from, 0.95, &means);
        if (rc) return rc;
        double cycles = 0, flits = 0, present = 0;
        for (size_t k = from; k < jobs->n; k++) {
            const double weight = (double)jobs->cycles[k];
            cycles += weight;
            flits += weight * job->accepted[k];
            present += weight * 0.5 * (job->population[k] + (k > 0 ? job->population[k - 1] : 0));
        }
        out[i] = (struct cw_steady_job){.offered = jobs->of->jobs[i].load,
                                        .accepted = flits / cycles / job->bandwidth,
                                        .accepted_ci95 = means.half_width / job->bandwidth,
                                        .network_latency = flits > 0 ? present / flits + 1 : (double)NAN};
    }
    return 0;
}
