/*
 * The executor of programs (nbc/nbc_program.h): whatever hosts do with one vector. All streams of this host begin at
 * once; each goes through its steps in order, segment by segment, with a few segments on the wire at a time. What ranks
 * of this host give is reduced into the vector, or read from the root, and what is complete given to them, in the same
 * segments.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"
#include "nbc/nbc_reach.h"

struct stream {
    const struct cw_nbc_stream *plan;
    struct nbc_flow flow;
    uint32_t finished; /* messages that were sent, or have come and, if they are to be, were combined */
    char *inbox;       /* [NBC_WINDOW] segments that are to be combined; NULL: there are none */
};

/* Segments that ranks of this host give, or get; of blocks in a given order. */
struct stage {
    const uint32_t *blocks;
    enum { NOBODY, ALL, ROOT } who; /* ALL: an operation of the inner communicator for each segment */
    uint32_t begun, done;
    uint64_t numbers[NBC_WINDOW];
};

struct relay_vector {
    const struct cw_nbc_program *program;
    struct cw_nbc_cut cut;
    uint32_t n_segments;
    uint32_t *events;       /* [n_segments] that each has had */
    char *data, *own;       /* of the whole message: the root's, or our own */
    struct stream *streams; /* [n_streams] */
    uint32_t root;          /* among the ranks of this host, if the root is one of them: rooted */
    bool rooted;
    struct stage taken, given;
};

/* --- segments ----------------------------------------------------------------------------------------------------- */

static uint64_t offset_of(const struct relay_vector *vector, uint32_t segment)
{
    return segment * vector->cut.segment;
}

static size_t bytes_of(const struct relay_vector *vector, uint32_t segment)
{
    const uint64_t offset = offset_of(vector, segment), bytes = vector->cut.bytes;
    const uint64_t left = offset < bytes ? bytes - offset : 0;
    return left < vector->cut.segment ? left : vector->cut.segment;
}

static char *data_of(const struct relay_vector *vector, uint32_t segment)
{
    return vector->data + offset_of(vector, segment);
}

/* The I-th of STAGE. */
static uint32_t segment_at(const struct relay_vector *vector, const struct stage *stage, uint32_t i)
{
    return stage->blocks[i / vector->cut.per_block] * vector->cut.per_block + i % vector->cut.per_block;
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

/* The root's own memory where this process has it, else ours. */
static int find_data(struct relay *relay, struct relay_vector *vector)
{
    const uint64_t bytes = relay->work.bytes;
    if (vector->rooted && cw_nbc_is_near(relay->node, relay_number(relay, vector->root))) {
        struct stage *stage = vector->taken.who == ROOT ? &vector->taken : &vector->given;
        const struct cw_nbc_part part = relay_part(relay, vector->root);
        vector->data = (char *)(uintptr_t)(stage == &vector->taken ? part.send : part.recv);
        stage->who = NOBODY;
    } else {
        vector->own = cw_new_pages(bytes, "a message between hosts");
        vector->data = vector->own;
    }
    return vector->data || bytes == 0 ? 0 : CW_ENOMEM;
}

static int find_room(struct relay_vector *vector)
{
    const struct cw_nbc_program *program = vector->program;
    vector->events = cw_new_array(vector->n_segments, sizeof *vector->events, "segments of a message");
    vector->streams = cw_new_array(program->n_streams, sizeof *vector->streams, "messages between hosts");
    if (!vector->events || !vector->streams) return CW_ENOMEM;
    for (uint32_t s = 0; s < program->n_streams; s++) {
        struct stream *stream = &vector->streams[s];
        bool reduces = false;
        stream->plan = &program->streams[s];
        for (uint32_t i = 0; i < stream->plan->n; i++) reduces = reduces || stream->plan->steps[i].reduces;
        if (reduces) stream->inbox = cw_new_pages(NBC_WINDOW * vector->cut.segment, "messages of other hosts");
        if (reduces && !stream->inbox) return CW_ENOMEM;
    }
    return 0;
}

/* What no rank has to give is there already, as is what the root has in place. */
static void open_streams(const struct relay *relay, struct relay_vector *vector, const struct relay_program *made)
{
    const struct relay_comm *comm = relay->comm;
    const uint32_t there = vector->taken.who == NOBODY && vector->program->gives;
    for (uint32_t i = 0; i < vector->n_segments; i++) vector->events[i] = there;
    for (uint32_t s = 0; s < vector->program->n_streams && vector->n_segments > 0; s++) {
        struct stream *stream = &vector->streams[s];
        const int peer = cw_nbc_hosts_next(&comm->hosts, made->between.by_fabric, made->first, (int)stream->plan->peer);
        (stream->plan->comes ? nbc_flow_receive : nbc_flow_send)(&stream->flow, comm->hosts.leaders[peer], comm->key,
                                                                 relay->number);
    }
}

/* Place 0 is the root's host; or the first; round a ring the last, so that the first block sets out from the first. */
static int first_of(const struct relay *relay, const struct cw_nbc_between *between)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    if (cw_collective_is_rooted(relay->work.collective)) return hosts->of_rank[relay->work.root];
    if (between->shape != CW_NBC_HOST_RING) return 0;
    return between->by_fabric ? hosts->by_fabric[hosts->n - 1] : hosts->n - 1;
}

static int make_program(const struct cw_nbc_hosts *hosts, struct relay_program *made)
{
    struct cw_schedule *schedule;
    const int place = cw_nbc_hosts_place(hosts, made->between.by_fabric, made->first, hosts->me);
    int rc = cw_nbc_between_schedule(&made->between, made->collective, 1, &schedule);
    if (rc) return rc;
    rc = cw_nbc_program_new(schedule, (uint32_t)hosts->n, (uint32_t)place, &made->program);
    cw_schedule_free(schedule);
    return rc;
}

/* Programs are kept: a ring of many hosts has as many steps. */
static int find_program(struct relay *relay, const struct cw_nbc_between *between, const struct relay_program **out)
{
    struct relay_comm *comm = relay->comm;
    const enum cw_collective_kind collective = relay->work.collective;
    const int first = first_of(relay, between);
    struct relay_program *made = comm->programs;
    while (made && (made->collective != collective || made->between.shape != between->shape ||
                    made->between.radix != between->radix || made->between.by_fabric != between->by_fabric ||
                    made->first != first))
        made = made->before;
    *out = made;
    if (made) return 0;
    made = cw_new_array(1, sizeof *made, "an exchange between hosts");
    if (!made) return CW_ENOMEM;
    *made = (struct relay_program){comm->programs, collective, *between, first, NULL};
    const int rc = make_program(&comm->hosts, made);
    if (rc) {
        free(made);
        return rc;
    }
    *out = comm->programs = made;
    return 0;
}

void relay_programs_free(struct relay_program *programs)
{
    while (programs) {
        struct relay_program *before = programs->before;
        cw_nbc_program_free(programs->program);
        free(programs);
        programs = before;
    }
}

int relay_vector_new(struct relay *relay, const struct cw_nbc_between *between)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    const struct cw_collective_traits *traits = &cw_collectives[relay->work.collective];
    const bool rooted = traits->root_gives || traits->root_takes;
    const struct cw_nbc_between settled =
        cw_nbc_between_settle(between, relay->work.collective, (uint32_t)hosts->n, relay->work.bytes);
    const struct relay_program *made;
    int rc = find_program(relay, &settled, &made);
    if (rc) return rc;
    struct relay_vector *vector = cw_new_array(1, sizeof *vector, "a message between hosts");
    if (!vector) return CW_ENOMEM;
    relay->vector = vector;
    vector->program = made->program;
    vector->cut = cw_nbc_cut_of(relay->work.bytes, made->program->n_blocks);
    vector->n_segments = vector->cut.n_blocks * vector->cut.per_block;
    vector->rooted = rooted && hosts->of_rank[relay->work.root] == hosts->me;
    if (vector->rooted) vector->root = (uint32_t)hosts->among_host[relay->work.root];
    vector->taken.blocks = made->program->taken;
    vector->given.blocks = made->program->given;
    vector->taken.who = !traits->root_gives ? ALL : vector->rooted ? ROOT : NOBODY;
    vector->given.who = !traits->root_takes ? ALL : vector->rooted ? ROOT : NOBODY;
    rc = find_data(relay, vector);
    if (!rc) rc = find_room(vector);
    if (!rc) open_streams(relay, vector, made);
    return rc;
}

void relay_vector_free(struct relay_vector *vector)
{
    if (!vector) return;
    for (uint32_t s = 0; vector->streams && s < vector->program->n_streams; s++) free(vector->streams[s].inbox);
    free(vector->streams);
    free(vector->events);
    free(vector->own);
    free(vector);
}

/* --- the ranks of this host, a segment at a time ------------------------------------------------------------------ */

/* The part of rank I of the inner communicator in what is done with a segment of ours. */
static struct cw_nbc_part inner_part(const struct relay *relay, uint32_t i, uint64_t offset, bool gathers)
{
    const bool relays = i == relay->comm->n;
    const uint64_t here = (uint64_t)(uintptr_t)relay->vector->data + offset;
    const struct cw_nbc_part part = relays ? (struct cw_nbc_part){0} : relay_part(relay, i);
    if (gathers) return (struct cw_nbc_part){.send = part.send + offset, .recv = here, .absent = relays};
    if (relays) return (struct cw_nbc_part){.send = here, .absent = relay->vector->rooted};
    return (struct cw_nbc_part){.send = part.send + offset, .recv = part.recv + offset};
}

/* Where the host's reductions end, and what is spread there begins: the relay, or the root itself. */
static uint32_t inner_root(const struct relay *relay, bool gathers)
{
    return relay->vector->rooted && !gathers ? relay->vector->root : relay->comm->n;
}

/* Lets the host reduce a segment into our vector, or spread it from there, or from the root. */
static bool begin_inner(struct relay *relay, struct stage *stage, uint32_t segment, bool gathers)
{
    struct relay_comm *comm = relay->comm;
    const uint64_t offset = offset_of(relay->vector, segment);
    const struct cw_nbc_work work = {.collective = gathers ? CW_COLLECTIVE_REDUCE : CW_COLLECTIVE_BCAST,
                                     .root = inner_root(relay, gathers),
                                     .bytes = bytes_of(relay->vector, segment),
                                     .chunk = CW_NBC_CHUNK,
                                     .type = relay->work.type,
                                     .op = relay->work.op,
                                     .schedule = CW_NBC_AUTO};
    bool posted = true;
    for (uint32_t i = 0; i <= comm->n && posted; i++) {
        const struct cw_nbc_part part = inner_part(relay, i, offset, gathers);
        cw_nbc_post(relay->node, comm->inner, i, comm->next, &work, &part, &posted); /* the first one or none */
    }
    if (posted) stage->numbers[stage->begun % NBC_WINDOW] = comm->next++;
    return posted;
}

/* Whether the next of STAGE is done. For its root an operation of the host is done when it is for all. */
static bool is_done(struct relay *relay, const struct stage *stage, bool gathers)
{
    bool done = true;
    if (stage->who == ALL && cw_nbc_poll(relay->node, relay->comm->inner, inner_root(relay, gathers),
                                         stage->numbers[stage->done % NBC_WINDOW], &done))
        relay_note_error(relay, EIO, 0);
    return done;
}

/* Reads a segment from the root, or writes it there. */
static void copy_root(struct relay *relay, uint32_t segment, bool gathers)
{
    struct relay_vector *vector = relay->vector;
    const uint32_t root = relay_number(relay, vector->root);
    const struct cw_nbc_part part = relay_part(relay, vector->root);
    const uint64_t there = (gathers ? part.send : part.recv) + offset_of(vector, segment);
    char *here = data_of(vector, segment);
    const size_t bytes = bytes_of(vector, segment);
    relay_note_error(relay,
                     gathers ? cw_nbc_relay_read(relay->node, root, here, there, bytes)
                             : cw_nbc_relay_write(relay->node, root, here, there, bytes),
                     vector->root);
}

/* Ranks of the root's host have what is broadcast from the root itself. */
static bool can_begin(const struct relay_vector *vector, uint32_t segment, bool gathers)
{
    const uint32_t block = segment / vector->cut.per_block;
    return gathers || (vector->rooted && vector->given.who == ALL) ||
           vector->events[segment] >= vector->program->complete[block];
}

static void step_stage(struct relay *relay, struct stage *stage, bool *any)
{
    struct relay_vector *vector = relay->vector;
    const bool gathers = stage == &vector->taken;
    const uint32_t window = stage->who == ALL ? NBC_WINDOW : 1, n = stage->who == NOBODY ? 0 : vector->n_segments;
    while (stage->begun < n && stage->begun - stage->done < window) {
        const uint32_t segment = segment_at(vector, stage, stage->begun);
        if (!can_begin(vector, segment, gathers)) break;
        if (stage->who == ROOT) copy_root(relay, segment, gathers);
        if (stage->who == ALL && !begin_inner(relay, stage, segment, gathers)) break;
        stage->begun++;
        *any = true;
    }
    for (; stage->done < stage->begun && is_done(relay, stage, gathers); stage->done++, *any = true)
        if (gathers) vector->events[segment_at(vector, stage, stage->done)]++;
}

static bool is_over(const struct relay_vector *vector, const struct stage *stage)
{
    return stage->who == NOBODY || stage->done == vector->n_segments;
}

/* --- other hosts -------------------------------------------------------------------------------------------------- */

static uint32_t n_messages(const struct relay_vector *vector, const struct stream *stream)
{
    return stream->plan->n * vector->cut.per_block;
}

/* Of message NUMBER of STREAM; *SEGMENT: which it is. */
static const struct cw_nbc_step *step_at(const struct relay_vector *vector, const struct stream *stream,
                                         uint32_t number, uint32_t *segment)
{
    const struct cw_nbc_step *step = &stream->plan->steps[number / vector->cut.per_block];
    *segment = step->block * vector->cut.per_block + number % vector->cut.per_block;
    return step;
}

/* Where message NUMBER waits until it is combined. */
static char *inbox_of(const struct relay_vector *vector, const struct stream *stream, uint32_t number)
{
    return stream->inbox + number % NBC_WINDOW * vector->cut.segment;
}

/* Counts what was sent or has come. Of what is to be combined one segment at a time, once its turn has come. */
static void finish_messages(const struct relay *relay, struct stream *stream, bool *any)
{
    struct relay_vector *vector = relay->vector;
    bool combined = false;
    while (stream->finished < stream->flow.done && !combined) {
        uint32_t segment;
        const struct cw_nbc_step *step = step_at(vector, stream, stream->finished, &segment);
        combined = step->reduces;
        if (combined && vector->events[segment] < step->after) return;
        if (combined)
            cw_nbc_combine_for(relay->work.type,
                               relay->work.op)(data_of(vector, segment), inbox_of(vector, stream, stream->finished),
                                               bytes_of(vector, segment) / cw_nbc_type_size(relay->work.type));
        vector->events[segment]++;
        stream->finished++;
        *any = true;
    }
}

static void begin_messages(const struct relay_vector *vector, struct stream *stream)
{
    struct nbc_flow *flow = &stream->flow;
    while (flow->begun < n_messages(vector, stream)) {
        uint32_t segment;
        const struct cw_nbc_step *step = step_at(vector, stream, flow->begun, &segment);
        if (step->reduces ? flow->begun - stream->finished >= NBC_WINDOW : vector->events[segment] < step->after)
            return;
        if (!nbc_flow_has_room(flow)) return;
        nbc_flow_begin(flow, step->reduces ? inbox_of(vector, stream, flow->begun) : data_of(vector, segment),
                       bytes_of(vector, segment));
    }
}

bool relay_vector_step(struct relay *relay, bool *any)
{
    struct relay_vector *vector = relay->vector;
    bool finished = true;
    step_stage(relay, &vector->taken, any);
    for (uint32_t s = 0; s < vector->program->n_streams; s++) {
        struct stream *stream = &vector->streams[s];
        nbc_flow_look(&stream->flow, any);
        finish_messages(relay, stream, any);
        begin_messages(vector, stream);
        finished = finished && stream->finished == n_messages(vector, stream);
    }
    step_stage(relay, &vector->given, any);
    finished = finished && is_over(vector, &vector->taken) && is_over(vector, &vector->given);
    for (uint32_t s = 0; finished && s < vector->program->n_streams; s++) nbc_flow_end(&vector->streams[s].flow);
    return finished;
}
