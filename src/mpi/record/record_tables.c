#include "mpi/record/record_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/record/record_writer.h"

/* --- who is who --------------------------------------------------------------------------------------------------- */

static struct record_members *all_members;

/* WORLD [n] is taken over. */
static const struct record_members *keep_members(int n, int *world)
{
    for (struct record_members *at = all_members; at; at = at->next) {
        if (at->n != n || memcmp(at->world, world, (size_t)n * sizeof *world) != 0) continue;
        free(world);
        return at;
    }
    struct record_members *made = malloc(sizeof *made);
    if (!made) {
        free(world);
        return NULL;
    }
    *made = (struct record_members){.n = n, .world = world, .next = all_members};
    for (int i = 0; i < n; i++) made->foreign |= world[i] < 0;
    all_members = made;
    return made;
}

static const struct record_members *members_of(MPI_Group group)
{
    MPI_Group all;
    int n = 0;
    PMPI_Group_size(group, &n);
    int *ranks = malloc((size_t)n * sizeof *ranks), *world = malloc((size_t)n * sizeof *world);
    if (ranks && world) {
        for (int i = 0; i < n; i++) ranks[i] = i;
        PMPI_Comm_group(MPI_COMM_WORLD, &all);
        PMPI_Group_translate_ranks(group, n, ranks, all, world);
        PMPI_Group_free(&all);
    }
    free(ranks);
    if (ranks && world) return keep_members(n, world);
    free(world);
    return NULL;
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static struct known {
    uintptr_t handle;
    struct record_comm comm;
} * comms; /* [n_comms], few */
static size_t n_comms, comms_room;
static int next_comm;

/* Ranks as "0-7,9,12"; those of another world are "?". There is one at least. */
static void say_members(const struct record_members *members, char *text, size_t room)
{
    size_t length = 0;
    for (int i = 0; i < members->n;) {
        int j = i;
        while (j + 1 < members->n && members->world[j + 1] == members->world[j] + 1) j++;
        const char *comma = length > 0 ? "," : "";
        if (members->world[i] < 0)
            length += (size_t)snprintf(text + length, room - length, "%s?", comma);
        else if (j > i)
            length +=
                (size_t)snprintf(text + length, room - length, "%s%d-%d", comma, members->world[i], members->world[j]);
        else
            length += (size_t)snprintf(text + length, room - length, "%s%d", comma, members->world[i]);
        i = j + 1;
    }
}

static void say_comm(const struct record_comm *comm)
{
    const size_t room = 12 * ((size_t)comm->mine->n + (size_t)comm->peers->n); /* a number, and what is behind it */
    char *text = malloc(room);
    if (!text) return;
    const struct record_members *first = comm->mine, *second = comm->peers;
    if (second->world[0] < first->world[0]) {
        first = comm->peers;
        second = comm->mine;
    }
    say_members(first, text, room);
    if (comm->between) {
        const size_t length = strlen(text);
        text[length] = '|';
        say_members(second, text + length + 1, room - length - 1);
    }
    record_line("communicator", 0, 0);
    record_word("c", comm->id);
    record_text(text);
    record_end_line(0);
    free(text);
}

/* Finds out who is in COMM. */
static bool look_into(MPI_Comm comm, struct record_comm *out)
{
    MPI_Group group;
    int between = 0;
    PMPI_Comm_test_inter(comm, &between);
    PMPI_Comm_group(comm, &group);
    *out = (struct record_comm){.id = next_comm++, .between = between, .mine = members_of(group)};
    PMPI_Group_free(&group);
    out->peers = out->mine;
    if (between) {
        PMPI_Comm_remote_group(comm, &group);
        out->peers = members_of(group);
        PMPI_Group_free(&group);
    }
    return out->mine && out->peers;
}

bool record_comm_of(MPI_Comm comm, struct record_comm *out)
{
    const uintptr_t handle = (uintptr_t)comm;
    static size_t last;
    if (comm == MPI_COMM_NULL) return false;
    for (size_t i = 0; i <= n_comms; i++) {
        const size_t at = i == 0 ? last : i - 1;
        if (at >= n_comms || comms[at].handle != handle) continue;
        *out = comms[at].comm;
        last = at;
        return true;
    }
    if (n_comms == comms_room) {
        struct known *more = realloc(comms, (2 * comms_room + 16) * sizeof *more);
        if (!more) return false;
        comms = more;
        comms_room = 2 * comms_room + 16;
    }
    if (!look_into(comm, out)) return false;
    comms[n_comms++] = (struct known){handle, *out};
    say_comm(out);
    return true;
}

void record_comm_forget(MPI_Comm comm)
{
    for (size_t i = 0; i < n_comms; i++)
        if (comms[i].handle == (uintptr_t)comm) comms[i] = comms[--n_comms];
}

int record_world_rank(const struct record_comm *comm, int peer)
{
    if (peer < 0 || peer >= comm->peers->n) return MPI_PROC_NULL;
    const int world = comm->peers->world[peer];
    return world >= 0 ? world : MPI_PROC_NULL;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* By their handles, each at the first free place from where it belongs. Several may have one handle: MPICH gives the
 * same one for all messages that are sent at once. */
static struct record_request *requests;
static size_t n_requests, n_places; /* a power of two, less than half of them taken */
static bool *taken;
static int64_t next_id;

int64_t record_next_id(void)
{
    return next_id++;
}

static size_t place_of(uintptr_t handle)
{
    return (size_t)(((uint64_t)handle * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (n_places - 1);
}

static void enter(struct record_request request)
{
    size_t at = place_of(request.handle);
    while (taken[at]) at = (at + 1) & (n_places - 1);
    taken[at] = true;
    requests[at] = request;
    n_requests++;
}

static bool grow(void)
{
    const size_t before = n_places;
    struct record_request *old = requests;
    bool *old_taken = taken;
    const size_t places = before ? 2 * before : 1024;
    struct record_request *made = malloc(places * sizeof *made);
    bool *made_taken = calloc(places, sizeof *made_taken);
    if (!made || !made_taken) {
        free(made);
        free(made_taken);
        return false;
    }
    requests = made;
    taken = made_taken;
    n_places = places;
    n_requests = 0;
    for (size_t i = 0; i < before; i++)
        if (old_taken[i]) enter(old[i]);
    free(old);
    free(old_taken);
    return true;
}

void record_request_add(struct record_request request)
{
    if (2 * n_requests >= n_places && !grow()) return;
    enter(request);
}

struct record_request *record_request_find(uintptr_t handle)
{
    if (n_places == 0) return NULL;
    for (size_t at = place_of(handle); taken[at]; at = (at + 1) & (n_places - 1))
        if (requests[at].handle == handle) return &requests[at];
    return NULL;
}

/* Those behind it that would not be found any more move up. */
void record_request_forget(struct record_request *request)
{
    size_t hole = (size_t)(request - requests);
    n_requests--;
    for (size_t at = (hole + 1) & (n_places - 1); taken[at]; at = (at + 1) & (n_places - 1)) {
        const size_t home = place_of(requests[at].handle);
        if (((at - home) & (n_places - 1)) < ((at - hole) & (n_places - 1))) continue;
        requests[hole] = requests[at];
        hole = at;
    }
    taken[hole] = false;
}

void record_request_done(struct record_request *request)
{
    if (request->persistent)
        request->active = false;
    else
        record_request_forget(request);
}
