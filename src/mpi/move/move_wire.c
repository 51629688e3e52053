#include "mpi/move/move_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define SUM_BYTES 8

int wire_check(int code, const char *what)
{
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS) return 0;
    MPI_Error_string(code, reason, &length);
    return cw_fail(CW_EIO, "MPI cannot %s: %s", what, reason);
}

static int hear(struct wire *wire)
{
    return wire_check(
        MPI_Irecv(&wire->heard, (int)sizeof wire->heard, MPI_BYTE, MPI_ANY_SOURCE, 0, wire->notes, &wire->listening),
        "listen");
}

int wire_open(struct wire *wire, MPI_Comm comm)
{
    *wire = (struct wire){.data = MPI_COMM_NULL, .notes = MPI_COMM_NULL, .listening = MPI_REQUEST_NULL};
    int rc = wire_check(MPI_Comm_dup(comm, &wire->data), "copy a communicator");
    if (!rc) rc = wire_check(MPI_Comm_dup(comm, &wire->notes), "copy a communicator");
    if (rc) return rc;
    MPI_Comm_set_errhandler(wire->data, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(wire->notes, MPI_ERRORS_RETURN);
    MPI_Comm_rank(wire->data, &wire->rank);
    MPI_Comm_size(wire->data, &wire->n);
    return hear(wire);
}

void wire_close(struct wire *wire)
{
    if (wire->listening != MPI_REQUEST_NULL) {
        MPI_Cancel(&wire->listening);
        MPI_Wait(&wire->listening, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < wire->n_requests; i++) free(wire->posts[i]);
    for (struct post *post = wire->free_posts, *next; post; post = next) {
        next = post->next;
        free(post);
    }
    free(wire->posts);
    free(wire->requests);
    free(wire->ended);
    free(wire->statuses);
    if (wire->data != MPI_COMM_NULL) MPI_Comm_free(&wire->data);
    if (wire->notes != MPI_COMM_NULL) MPI_Comm_free(&wire->notes);
}

/* --- posting ------------------------------------------------------------------------------------------------------ */

static int grow(struct wire *wire)
{
    if ((size_t)wire->n_requests < wire->capacity) return 0;
    const size_t capacity = wire->capacity > 0 ? 2 * wire->capacity : 64;
    MPI_Request *requests = cw_new_array(capacity, sizeof *requests, "requests");
    struct post **posts = cw_new_array(capacity, sizeof *posts, "requests");
    int *ended = cw_new_array(capacity, sizeof *ended, "requests");
    MPI_Status *statuses = cw_new_array(capacity, sizeof *statuses, "requests");
    if (!requests || !posts || !ended || !statuses) {
        free(requests);
        free(posts);
        free(ended);
        free(statuses);
        return CW_ENOMEM;
    }
    if (wire->n_requests > 0) {
        memcpy(requests, wire->requests, (size_t)wire->n_requests * sizeof *requests);
        memcpy(posts, wire->posts, (size_t)wire->n_requests * sizeof *posts);
    }
    free(wire->requests);
    free(wire->posts);
    free(wire->ended);
    free(wire->statuses);
    wire->requests = requests;
    wire->posts = posts;
    wire->ended = ended;
    wire->statuses = statuses;
    wire->capacity = capacity;
    return 0;
}

/* A post with a request of its own, which is the last. */
static int new_post(struct wire *wire, struct post **out)
{
    const int rc = grow(wire);
    if (rc) return rc;
    struct post *post = wire->free_posts;
    if (post)
        wire->free_posts = post->next;
    else
        post = cw_new_array(1, sizeof *post, "requests");
    if (!post) return CW_ENOMEM;
    wire->posts[wire->n_requests] = post;
    wire->requests[wire->n_requests++] = MPI_REQUEST_NULL;
    *out = post;
    return 0;
}

/* The sum and the data of JOB as one message: *TYPE at *BUFFER. */
static int message_of(const struct cw_job *job, void **buffer, int *count, MPI_Datatype *type)
{
    if (job->data == job->sum + SUM_BYTES) {
        *buffer = job->sum;
        *count = (int)(SUM_BYTES + job->bytes);
        *type = MPI_BYTE;
        return 0;
    }
    const int lengths[] = {SUM_BYTES, (int)job->bytes};
    MPI_Aint places[2];
    MPI_Get_address(job->sum, &places[0]);
    MPI_Get_address(job->data, &places[1]);
    *buffer = MPI_BOTTOM;
    *count = 1;
    const int rc = wire_check(MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, type), "make a datatype");
    return rc ? rc : wire_check(MPI_Type_commit(type), "make a datatype");
}

static int post_chunk(struct wire *wire, const struct cw_job *job, MPI_Request *request)
{
    void *buffer;
    int count;
    MPI_Datatype type;
    const int peer = (int)wire->ranks[job->peer], tag = (int)job->stream;
    int rc = message_of(job, &buffer, &count, &type);
    if (rc) return rc;
    if (job->kind == CW_JOB_RECEIVE)
        rc = wire_check(MPI_Irecv(buffer, count, type, peer, tag, wire->data, request), "receive a chunk");
    else if (job->held)
        rc = wire_check(MPI_Issend(buffer, count, type, peer, tag, wire->data, request), "send a chunk");
    else
        rc = wire_check(MPI_Isend(buffer, count, type, peer, tag, wire->data, request), "send a chunk");
    if (type != MPI_BYTE) MPI_Type_free(&type);
    return rc;
}

static int send_note(struct wire *wire, struct post *post, int rank, MPI_Request *request)
{
    const size_t size = post->note.kind == NOTE_FAILURE ? sizeof post->note : offsetof(struct note, text);
    return wire_check(MPI_Isend(&post->note, (int)size, MPI_BYTE, rank, 0, wire->notes, request), "send a note");
}

int wire_note(struct wire *wire, int rank, const struct note *note)
{
    struct post *post;
    const int rc = new_post(wire, &post);
    if (rc) return rc;
    post->job = (struct cw_job){.kind = CW_JOB_ROOM};
    post->note = *note;
    return send_note(wire, post, rank, &wire->requests[wire->n_requests - 1]);
}

int wire_post(struct wire *wire, const struct cw_job *job)
{
    struct post *post;
    if (job->kind == CW_JOB_ROOM) {
        const struct note note = {.kind = NOTE_ROOM, .stream = job->stream, .chunks = job->chunk};
        return wire_note(wire, (int)wire->ranks[job->peer], &note);
    }
    const int rc = new_post(wire, &post);
    if (rc) return rc;
    post->job = *job;
    return post_chunk(wire, job, &wire->requests[wire->n_requests - 1]);
}

/* --- what has ended ----------------------------------------------------------------------------------------------- */

/* Takes out the posts whose requests have become null. */
static void compact(struct wire *wire)
{
    int kept = 0;
    for (int i = 0; i < wire->n_requests; i++) {
        struct post *post = wire->posts[i];
        if (wire->requests[i] == MPI_REQUEST_NULL) {
            post->next = wire->free_posts;
            wire->free_posts = post;
            continue;
        }
        wire->posts[kept] = post;
        wire->requests[kept++] = wire->requests[i];
    }
    wire->n_requests = kept;
}

int wire_progress(struct wire *wire, struct cw_mover *mover, bool *any)
{
    int n = 0;
    if (wire->n_requests == 0) return 0;
    int rc = wire_check(MPI_Testsome(wire->n_requests, wire->requests, &n, wire->ended, wire->statuses),
                        "go on with a message");
    if (rc || n <= 0) return rc;
    *any = true;
    for (int i = 0; i < n && !rc; i++) rc = cw_mover_done(mover, &wire->posts[wire->ended[i]]->job);
    compact(wire);
    return rc;
}

int wire_listen(struct wire *wire, struct note *note, int *rank)
{
    MPI_Status status;
    int came = 0;
    *rank = -1;
    const int rc = wire_check(MPI_Test(&wire->listening, &came, &status), "listen");
    if (rc || !came) return rc;
    *note = wire->heard;
    *rank = status.MPI_SOURCE;
    return hear(wire);
}
