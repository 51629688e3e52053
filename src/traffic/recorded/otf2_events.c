/* The events of an OTF2 archive, as lines of a recording. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "traffic/recorded/otf2_internal.h"
#include "traffic/schedule.h"

#define NONE       CW_OTF2_NONE
#define MOST_TIME  UINT64_C(1000000000000000) /* ns, as in a recording */
#define MOST_BYTES UINT64_C(1000000000000000000)

static const char what[] = "an OTF2 archive";

static OTF2_CallbackCode result(const struct cw_otf2_reading *reading)
{
    return reading->rc ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static uint32_t size_of(const struct cw_otf2_group *group)
{
    return group->type == OTF2_GROUP_TYPE_COMM_SELF ? 1 : group->n;
}

/* Member I of GROUP, as a rank of the world. */
static uint32_t member(const struct cw_otf2_reading *reading, const struct cw_otf2_group *group, uint32_t i)
{
    if (group->type == OTF2_GROUP_TYPE_COMM_SELF) return reading->rank;
    return group == reading->world ? i : (uint32_t)group->members[i];
}

/* Which member of GROUP the rank is; NONE: it is none. */
static uint32_t place(const struct cw_otf2_reading *reading, const struct cw_otf2_group *group, uint32_t rank)
{
    if (group == reading->world && rank < group->n) return rank;
    for (uint32_t i = 0; i < size_of(group); i++)
        if (member(reading, group, i) == rank) return i;
    return NONE;
}

static void add_members(struct cw_otf2_reading *reading, const struct cw_otf2_group *group)
{
    const uint32_t n = size_of(group);
    for (uint32_t i = 0, j; i < n; i = j) {
        const uint32_t from = member(reading, group, i);
        for (j = i + 1; j < n && member(reading, group, j) == from + (j - i);) j++;
        cw_text_printf(reading->out, j > i + 1 ? "%s%u-%u" : "%s%u", i > 0 ? "," : "", from, from + (j - i - 1));
    }
}

/* The rank's communicators: those that it is in, in the order of the archive, which is the same for all ranks. */
static void begin_comms(struct cw_otf2_reading *reading)
{
    const struct cw_otf2_comm *comms = reading->comms.items;
    uint32_t n = 0;
    for (size_t i = 0; i < reading->comms.n; i++) {
        const struct cw_otf2_group *const *of = comms[i].of;
        reading->counts[i] = 0;
        reading->numbers[i] = NONE;
        if (!of[0] ||
            (place(reading, of[0], reading->rank) == NONE && (!of[1] || place(reading, of[1], reading->rank) == NONE)))
            continue;
        reading->numbers[i] = n++;
        if (!reading->writing) continue;
        cw_text_printf(reading->out, "communicator 0 0 c%u ", reading->numbers[i]);
        add_members(reading, of[0]);
        if (of[1]) cw_text_add(reading->out, "|");
        if (of[1]) add_members(reading, of[1]);
        cw_text_add(reading->out, "\n");
    }
}

/* The number in comms of the archive's communicator REF, of which the rank is a member; NONE after an error. */
static uint32_t find_comm(struct cw_otf2_reading *reading, OTF2_CommRef ref)
{
    const struct cw_otf2_comm *comm = cw_otf2_find(&reading->comms, ref, sizeof *comm);
    const uint32_t i = comm ? (uint32_t)(comm - (const struct cw_otf2_comm *)reading->comms.items) : NONE;
    if (comm && reading->numbers[i] != NONE) return i;
    cw_otf2_fail(reading, "rank %u uses communicator %u of the archive; expected one of MPI that it is in",
                 reading->rank, ref);
    return NONE;
}

/* The rank of the world that is RANK in communicator COMM: in one between two groups, of the other one. */
static uint32_t find_peer(struct cw_otf2_reading *reading, uint32_t comm, uint32_t rank)
{
    const struct cw_otf2_comm *at = (const struct cw_otf2_comm *)reading->comms.items + comm;
    const struct cw_otf2_group *group =
        at->of[1] && place(reading, at->of[0], reading->rank) != NONE ? at->of[1] : at->of[0];
    if (group->world && rank < reading->world->n) return rank;
    if (rank < size_of(group)) return member(reading, group, rank);
    cw_otf2_fail(reading, "a message of rank %u and rank %u of its communicator; expected one of %u", reading->rank,
                 rank, size_of(group));
    return NONE;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

#define EVENT OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context, OTF2_AttributeList *more
#define BEGIN begin_event(location, time, position, context, more)

/* What is read, now at TIME; NULL: what comes after MPI_Finalize. Clocks that were corrected may go back: they stand.
 */
static struct cw_otf2_reading *begin_event(EVENT)
{
    struct cw_otf2_reading *reading = context;
    (void)location, (void)more;
    if (position % 4096 == 0 && !reading->rc) reading->rc = cw_interrupt_check();
    if (reading->ended) return NULL;
    if (!reading->begun) reading->first = reading->now = time;
    if (time > reading->now) reading->now = time;
    reading->begun = true;
    return reading;
}

/* ns since the first event */
static uint64_t now(const struct cw_otf2_reading *reading)
{
    const uint64_t ticks = reading->now - reading->first, rest = ticks % reading->resolution;
    return ticks / reading->resolution * UINT64_C(1000000000) +
           (uint64_t)((double)rest * 1e9 / (double)reading->resolution + .5);
}

/* A line of the recording: a call from BEGIN to END [ns], and what it does. */
static void add_line(struct cw_otf2_reading *reading, const char *name, uint64_t begin, uint64_t end)
{
    const uint64_t gap = begin - reading->last;
    reading->last = end;
    if (!reading->writing) return;
    if (gap > MOST_TIME || end - begin > MOST_TIME) {
        cw_otf2_fail(reading, "rank %u does one thing for more than 11 days; expected another clock", reading->rank);
        return;
    }
    cw_text_printf(reading->out, "%s %" PRIu64 " %" PRIu64, name, gap, end - begin);
    cw_text_append(reading->out, reading->words.data ? reading->words.data : "", reading->words.length);
    cw_text_add(reading->out, "\n");
}

static void open_call(struct cw_otf2_reading *reading, const char *name)
{
    if (reading->depth++ > 0) return;
    reading->begin = now(reading);
    reading->name = name;
    reading->words.length = 0;
}

/* The time of a rank begins when MPI_Init returns. */
static void close_call(struct cw_otf2_reading *reading)
{
    if (reading->depth == 0 || --reading->depth > 0) return;
    const uint64_t end = now(reading);
    if (strcmp(reading->name, "Init") == 0 || strcmp(reading->name, "Init_thread") == 0) {
        if (reading->writing) reading->out->length = reading->mark;
        reading->n_requests = 0;
        reading->requests.n = 0;
        reading->last = end;
    } else {
        add_line(reading, reading->name, reading->begin, end);
    }
}

/* What the call at hand does; outside of regions it is a call NAME by itself. */
static void CW_PRINTF(3, 4) say(struct cw_otf2_reading *reading, const char *name, const char *format, ...)
{
    char word[128];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(word, sizeof word, format, values);
    va_end(values);
    const bool alone = reading->depth == 0;
    if (alone) open_call(reading, name);
    if (reading->writing) cw_text_append(&reading->words, word, (size_t)length);
    if (alone) close_call(reading);
}

static const char *name_of(const struct cw_otf2_reading *reading, OTF2_RegionRef ref)
{
    const struct cw_otf2_region *region = cw_otf2_find(&reading->regions, ref, sizeof *region);
    const struct cw_otf2_string *name = region ? cw_otf2_find(&reading->strings, region->name, sizeof *name) : NULL;
    return name ? name->text : NULL;
}

static OTF2_CallbackCode on_enter(EVENT, OTF2_RegionRef region)
{
    struct cw_otf2_reading *reading = BEGIN;
    const char *name = reading ? name_of(reading, region) : NULL;
    if (!name) return OTF2_CALLBACK_SUCCESS;
    reading->ended = reading->depth == 0 && strcmp(name, "Finalize") == 0;
    if (!reading->ended) open_call(reading, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(EVENT, OTF2_RegionRef region)
{
    struct cw_otf2_reading *reading = BEGIN;
    if (reading && name_of(reading, region)) close_call(reading);
    return reading ? result(reading) : OTF2_CALLBACK_SUCCESS;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* Request ID of the archive begins; LATE: what it turns out to be. */
static struct cw_otf2_request *begin_request(struct cw_otf2_reading *reading, uint64_t id, bool written, size_t late)
{
    struct cw_otf2_request *request = cw_otf2_append(reading, &reading->requests, sizeof *request);
    if (request) *request = (struct cw_otf2_request){id, written ? reading->n_requests++ : NONE, late};
    return request;
}

/* Request ID is done: *OUT was it. False: it began before what was recorded. The first ones are done first, mostly. */
static bool end_request(struct cw_otf2_reading *reading, uint64_t id, struct cw_otf2_request *out)
{
    struct cw_otf2_request *requests = reading->requests.items;
    size_t i = 0;
    while (i < reading->requests.n && requests[i].id != id) i++;
    if (i == reading->requests.n) return false;
    *out = requests[i];
    memmove(&requests[i], &requests[i + 1], (--reading->requests.n - i) * sizeof *requests);
    return true;
}

/* What the operation that begins will turn out to be: kept the first time, looked up the second time. */
static struct cw_otf2_late *next_late(struct cw_otf2_reading *reading, size_t *number)
{
    struct cw_otf2_list *list = &reading->late[reading->rank];
    struct cw_otf2_late *late = NULL;
    *number = reading->next_late++;
    if (!reading->writing) {
        late = cw_otf2_append(reading, list, sizeof *late);
        if (late) *late = (struct cw_otf2_late){.comm = NONE, .op = NONE};
    } else if (*number < list->n) {
        late = (struct cw_otf2_late *)list->items + *number;
    } else {
        cw_otf2_fail(reading, "the archive has changed while it was read");
    }
    return late;
}

/* What REQUEST, which is done, turns out to be; NULL after an error. */
static struct cw_otf2_late *late_of(struct cw_otf2_reading *reading, const struct cw_otf2_request *request)
{
    const struct cw_otf2_list *list = &reading->late[reading->rank];
    if (request->late < list->n) return (struct cw_otf2_late *)list->items + request->late;
    cw_otf2_fail(reading, "request %" PRIu64 " of rank %u sends a message and is done as something else", request->id,
                 reading->rank);
    return NULL;
}

static void say_send(struct cw_otf2_reading *reading, const char *name, uint32_t number, OTF2_CommRef ref,
                     uint32_t rank, uint32_t tag, uint64_t bytes)
{
    const uint32_t comm = find_comm(reading, ref), peer = comm == NONE ? NONE : find_peer(reading, comm, rank);
    char mark[16] = "";
    if (number != NONE) snprintf(mark, sizeof mark, "%u", number);
    if (bytes > MOST_BYTES)
        cw_otf2_fail(reading, "a message of %" PRIu64 " bytes; expected at most %" PRIu64, bytes, MOST_BYTES);
    else if (peer != NONE)
        say(reading, name, " >%s %u %u %u %" PRIu64, mark, reading->numbers[comm], peer, tag, bytes);
}

static OTF2_CallbackCode on_send(EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct cw_otf2_reading *reading = BEGIN;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    say_send(reading, "Send", NONE, comm, receiver, tag, bytes);
    return result(reading);
}

static OTF2_CallbackCode on_isend(EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                  uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    const struct cw_otf2_request *request = reading ? begin_request(reading, id, true, SIZE_MAX) : NULL;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    if (request) say_send(reading, "Isend", request->number, comm, receiver, tag, bytes);
    return result(reading);
}

static OTF2_CallbackCode on_isend_complete(EVENT, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    struct cw_otf2_request request;
    if (reading && end_request(reading, id, &request) && request.number != NONE)
        say(reading, "Wait", " =%u", request.number);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(EVENT, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    size_t number = 0;
    const struct cw_otf2_late *late = reading ? next_late(reading, &number) : NULL;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    const bool written = late && late->comm != NONE && late->op == NONE;
    const struct cw_otf2_request *request = begin_request(reading, id, written, number);
    if (request && written) say(reading, "Irecv", " <%u %u", request->number, reading->numbers[late->comm]);
    return result(reading);
}

static OTF2_CallbackCode on_recv(EVENT, uint32_t sender, OTF2_CommRef ref, uint32_t tag, uint64_t bytes)
{
    struct cw_otf2_reading *reading = BEGIN;
    (void)bytes;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    const uint32_t comm = find_comm(reading, ref), peer = comm == NONE ? NONE : find_peer(reading, comm, sender);
    if (peer != NONE) say(reading, "Recv", " < %u %u %u", reading->numbers[comm], peer, tag);
    return result(reading);
}

/* A receive that began before what was recorded is one that waits. */
static OTF2_CallbackCode on_irecv(EVENT, uint32_t sender, OTF2_CommRef ref, uint32_t tag, uint64_t bytes, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    struct cw_otf2_request request;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    if (!end_request(reading, id, &request))
        return on_recv(location, time, position, context, more, sender, ref, tag, bytes);
    const uint32_t comm = find_comm(reading, ref), peer = comm == NONE ? NONE : find_peer(reading, comm, sender);
    struct cw_otf2_late *late = peer == NONE ? NULL : late_of(reading, &request);
    if (late && !reading->writing) late->comm = comm;
    if (late && (request.number != NONE || !reading->writing))
        say(reading, "Wait", " ~%u %u %u", request.number, peer, tag);
    return result(reading);
}

static OTF2_CallbackCode on_cancelled(EVENT, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    struct cw_otf2_request request;
    if (reading && end_request(reading, id, &request) && request.number != NONE)
        say(reading, "Cancel", " x%u", request.number);
    return OTF2_CALLBACK_SUCCESS;
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

enum size {
    SIZE_NONE,
    SIZE_SENT, /* what a rank sends … */
    SIZE_RECEIVED,
    SIZE_SENT_SHARE, /* … or one part of N of that */
    SIZE_RECEIVED_SHARE,
    SIZE_SENT_OTHERS, /* of N - 1 */
    SIZE_PARTS,       /* equal ones of what each rank sends, to all … */
    SIZE_PARTS_ROOT   /* … or all of it to the root */
};

/* By OTF2_CollectiveOp; what is not here moves no data. */
static const struct kind {
    const char *call, *name; /* in MPI, and in a recording */
    enum size size;
} kinds[] = {
    [OTF2_COLLECTIVE_OP_BARRIER] = {"Barrier", "barrier", SIZE_NONE},
    [OTF2_COLLECTIVE_OP_BCAST] = {"Bcast", "bcast", SIZE_RECEIVED},
    [OTF2_COLLECTIVE_OP_GATHER] = {"Gather", "gather", SIZE_SENT},
    [OTF2_COLLECTIVE_OP_GATHERV] = {"Gatherv", "", SIZE_PARTS_ROOT},
    [OTF2_COLLECTIVE_OP_SCATTER] = {"Scatter", "scatter", SIZE_RECEIVED},
    [OTF2_COLLECTIVE_OP_SCATTERV] = {"Scatterv", "scatter", SIZE_SENT_SHARE},
    [OTF2_COLLECTIVE_OP_ALLGATHER] = {"Allgather", "allgather", SIZE_RECEIVED_SHARE},
    [OTF2_COLLECTIVE_OP_ALLGATHERV] = {"Allgatherv", "allgather", SIZE_RECEIVED_SHARE},
    [OTF2_COLLECTIVE_OP_ALLTOALL] = {"Alltoall", "alltoall", SIZE_SENT_SHARE},
    [OTF2_COLLECTIVE_OP_ALLTOALLV] = {"Alltoallv", "", SIZE_PARTS},
    [OTF2_COLLECTIVE_OP_ALLTOALLW] = {"Alltoallw", "", SIZE_PARTS},
    [OTF2_COLLECTIVE_OP_ALLREDUCE] = {"Allreduce", "allreduce", SIZE_SENT_SHARE},
    [OTF2_COLLECTIVE_OP_REDUCE] = {"Reduce", "reduce", SIZE_SENT},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = {"Reduce_scatter", "reduce-scatter", SIZE_SENT},
    [OTF2_COLLECTIVE_OP_SCAN] = {"Scan", "scan", SIZE_SENT_SHARE},
    [OTF2_COLLECTIVE_OP_EXSCAN] = {"Exscan", "exscan", SIZE_SENT_OTHERS},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = {"Reduce_scatter_block", "reduce-scatter", SIZE_SENT},
};

static const struct kind *kind_of(uint32_t op)
{
    return op < sizeof kinds / sizeof *kinds ? &kinds[op] : NULL;
}

static uint64_t share(uint64_t bytes, uint32_t n)
{
    return bytes / n + (bytes % n > 0);
}

static uint64_t bytes_of(enum size size, const struct cw_otf2_turn *turn, uint32_t n)
{
    switch (size) {
    case SIZE_SENT:
        return turn->sent;
    case SIZE_RECEIVED:
        return turn->received;
    case SIZE_SENT_SHARE:
        return share(turn->sent, n);
    case SIZE_RECEIVED_SHARE:
        return share(turn->received, n);
    case SIZE_SENT_OTHERS:
        return share(turn->sent, n > 1 ? n - 1 : 1);
    case SIZE_NONE:
    case SIZE_PARTS:
    case SIZE_PARTS_ROOT:
        break;
    }
    return 0;
}

/* Whether a recording says anything of LATE: it is a collective, among the ranks of one group. */
static bool is_said(const struct cw_otf2_reading *reading, const struct cw_otf2_late *late)
{
    return late && late->comm != NONE && kind_of(late->op) &&
           !((const struct cw_otf2_comm *)reading->comms.items)[late->comm].of[1];
}

/* All collectives of the rank, in the order in which they began: what the ranks of each say of its size. */
static void count_turns(struct cw_otf2_reading *reading)
{
    const struct cw_otf2_list *list = &reading->late[reading->rank];
    for (size_t i = 0; !reading->rc && i < list->n; i++) {
        const struct cw_otf2_late *late = (const struct cw_otf2_late *)list->items + i;
        if (!is_said(reading, late)) continue;
        struct cw_otf2_comm *comm = (struct cw_otf2_comm *)reading->comms.items + late->comm;
        const size_t turn = reading->counts[late->comm]++;
        reading->rc = cw_grow_array((void **)&comm->turns, &comm->room, turn + 1, sizeof *comm->turns, what);
        if (reading->rc) return;
        if (turn == comm->n_turns) comm->turns[comm->n_turns++] = (struct cw_otf2_turn){0};
        struct cw_otf2_turn *at = &comm->turns[turn];
        if (late->sent > at->sent) at->sent = late->sent;
        if (late->received > at->received) at->received = late->received;
    }
}

/* Keeps what a collective is, the first time. ROOT becomes a rank of the communicator. */
static void keep(struct cw_otf2_reading *reading, struct cw_otf2_late *late, struct cw_otf2_late found,
                 OTF2_CommRef ref)
{
    if (reading->writing || !late || !kind_of(found.op)) return;
    found.comm = find_comm(reading, ref);
    if (found.comm == NONE) return;
    const struct cw_otf2_comm *comm = (const struct cw_otf2_comm *)reading->comms.items + found.comm;
    if (found.root == OTF2_COLLECTIVE_ROOT_NONE)
        found.root = 0;
    else if (found.root == OTF2_COLLECTIVE_ROOT_SELF)
        found.root = place(reading, comm->of[0], reading->rank);
    else if (comm->of[0]->world)
        found.root = place(reading, comm->of[0], found.root);
    *late = found;
    if (is_said(reading, late) && found.root >= size_of(comm->of[0]))
        cw_otf2_fail(reading, "a collective with root %u; expected one of %u ranks", found.root, size_of(comm->of[0]));
    if (found.sent > MOST_BYTES || found.received > MOST_BYTES)
        cw_otf2_fail(reading, "a collective of more than %" PRIu64 " bytes; expected less", MOST_BYTES);
}

/* The collective that LATE is begins: request NUMBER, or NONE. */
static void say_collective(struct cw_otf2_reading *reading, const struct cw_otf2_late *late, uint32_t number)
{
    const struct cw_otf2_comm *comm = (const struct cw_otf2_comm *)reading->comms.items + late->comm;
    const struct kind *kind = kind_of(late->op);
    const uint32_t n = size_of(comm->of[0]), name = reading->numbers[late->comm];
    const size_t turn = reading->counts[late->comm]++;
    const bool alone = reading->depth == 0, parts = kind->size == SIZE_PARTS;
    char mark[16] = "";
    if (turn >= comm->n_turns) return;
    if (number != NONE) snprintf(mark, sizeof mark, "%u", number);
    if (alone) open_call(reading, kind->call);
    if (parts || kind->size == SIZE_PARTS_ROOT)
        say(reading, kind->call, " v%s %u", mark, name);
    else
        say(reading, kind->call, " *%s %u %s %u %" PRIu64, mark, name, kind->name, late->root,
            bytes_of(kind->size, &comm->turns[turn], n));
    const uint32_t me = place(reading, comm->of[0], reading->rank);
    for (uint32_t i = 0; parts && i < n; i++)
        if (i != me) say(reading, kind->call, " %u:%" PRIu64, i, cw_schedule_bytes(late->sent, n, i, 1));
    if (kind->size == SIZE_PARTS_ROOT && me != late->root)
        say(reading, kind->call, " %u:%" PRIu64, late->root, late->sent);
    if (alone) close_call(reading);
}

static OTF2_CallbackCode on_collective_begin(EVENT)
{
    struct cw_otf2_reading *reading = BEGIN;
    if (!reading || reading->depth > 0) return OTF2_CALLBACK_SUCCESS;
    reading->bare = true;
    open_call(reading, "Collective");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_end(EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                           uint64_t received)
{
    struct cw_otf2_reading *reading = BEGIN;
    size_t number = 0;
    struct cw_otf2_late *late = reading ? next_late(reading, &number) : NULL;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    keep(reading, late, (struct cw_otf2_late){.op = op, .root = root, .sent = sent, .received = received}, comm);
    if (reading->bare && kind_of(op)) reading->name = kind_of(op)->call;
    if (reading->writing && is_said(reading, late)) say_collective(reading, late, NONE);
    if (reading->bare) close_call(reading);
    reading->bare = false;
    return result(reading);
}

static OTF2_CallbackCode on_collective_request(EVENT, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    size_t number = 0;
    const struct cw_otf2_late *late = reading ? next_late(reading, &number) : NULL;
    if (!reading) return OTF2_CALLBACK_SUCCESS;
    const bool written = reading->writing && is_said(reading, late);
    const struct cw_otf2_request *request = begin_request(reading, id, written, number);
    if (request && written) say_collective(reading, late, request->number);
    return result(reading);
}

static OTF2_CallbackCode on_collective_complete(EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
                                                uint64_t sent, uint64_t received, uint64_t id)
{
    struct cw_otf2_reading *reading = BEGIN;
    struct cw_otf2_request request;
    if (!reading || !end_request(reading, id, &request)) return OTF2_CALLBACK_SUCCESS;
    keep(reading, late_of(reading, &request),
         (struct cw_otf2_late){.op = op, .root = root, .sent = sent, .received = received}, comm);
    if (request.number != NONE) say(reading, "Wait", " =%u", request.number);
    return result(reading);
}
/* --- ranks -------------------------------------------------------------------------------------------------------- */

void cw_otf2_set_events(const struct cw_otf2 *otf2, OTF2_EvtReaderCallbacks *to)
{
    otf2->OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
    otf2->OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
    otf2->OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
    otf2->OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
    otf2->OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_isend_complete);
    otf2->OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_irecv_request);
    otf2->OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
    otf2->OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv);
    otf2->OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_cancelled);
    otf2->OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, on_collective_begin);
    otf2->OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective_end);
    otf2->OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_collective_request);
    otf2->OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_collective_complete);
}

void cw_otf2_begin_rank(struct cw_otf2_reading *reading, uint32_t rank)
{
    reading->rank = rank;
    reading->begun = reading->ended = reading->bare = false;
    reading->first = reading->now = reading->last = reading->begin = 0;
    reading->depth = reading->n_requests = 0;
    reading->requests.n = reading->next_late = 0;
    if (reading->writing)
        cw_text_printf(reading->out, "crosswind-recording 1 rank %u of %u block 0\n", rank, reading->world->n);
    begin_comms(reading);
    reading->mark = reading->out->length;
}

/* A rank whose archive ends within a call did not get to its end. */
void cw_otf2_end_rank(struct cw_otf2_reading *reading)
{
    const uint64_t end = now(reading);
    reading->words.length = 0;
    if (!reading->writing)
        count_turns(reading);
    else if (reading->depth == 0)
        add_line(reading, "end", end, end);
}
