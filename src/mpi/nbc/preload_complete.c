/*
 * Completion under the preload library. Where requests of ours are among those of a call, MPI's own function is asked
 * again and again, between looks at ours: so MPI proceeds, statuses are its own, and both kinds may be mixed.
 *
 * All of several requests are left to MPI only when ours are complete, and to its Waitall if the program waits: where
 * the program does not call Testall, nor do we. With MPICH 4.0.2 that is an error for any persistent collective.
 */
#include <stddef.h>

#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_requests.h"

/* What calls return; each uses some of it. */
struct outputs {
    int *flag, *position, *n, *positions;
    MPI_Status *statuses;
};

/* Tests what VIEW shows; PENDING is one of ours that is not complete (MPI_REQUEST_NULL: all are). *DONE: whether one
 * who waits need wait no more. A code of MPI. */
typedef int attempt(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done);

static int test_one(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    (void)pending;
    return PMPI_Test(view->seen, done, out->statuses);
}

/* Requests of MPI's own proceed, nonblocking collectives among them: others may wait for those before they begin what
 * is PENDING. MPI_Iprobe would not do: under MPICH it attends to messages only. */
static int proceed(MPI_Request pending)
{
    int never;
    return PMPI_Request_get_status(pending, &never, MPI_STATUS_IGNORE);
}

static int test_all(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    if (pending != MPI_REQUEST_NULL) return proceed(pending);
    return PMPI_Testall(view->count, view->seen, done, out->statuses);
}

static int wait_all(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    if (pending != MPI_REQUEST_NULL) return proceed(pending);
    *done = 1;
    return PMPI_Waitall(view->count, view->seen, out->statuses);
}

static int test_any(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    (void)pending;
    return PMPI_Testany(view->count, view->seen, out->position, done, out->statuses);
}

static int test_some(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    (void)pending;
    int code = PMPI_Testsome(view->count, view->seen, out->n, out->positions, out->statuses);
    *done = *out->n != 0;
    return code;
}

static int get_status(struct preload_view *view, MPI_Request pending, const struct outputs *out, int *done)
{
    (void)pending;
    return PMPI_Request_get_status(view->seen[0], done, out->statuses);
}

/* Where the status of the request at POSITION is. */
static MPI_Status *status_of(const struct outputs *out, int position)
{
    if (!out->positions) return &out->statuses[position];
    for (int i = 0; i < *out->n; i++)
        if (out->positions[i] == position) return &out->statuses[i];
    return NULL;
}

/* What is returned when MPI, to which all is well, is done: the error of an operation of ours. */
static int add_errors(const struct preload_view *view, const struct outputs *out)
{
    const bool one = view->count == 1 || (out->position && !out->positions);
    const bool ignored = out->statuses == MPI_STATUSES_IGNORE || out->statuses == MPI_STATUS_IGNORE;
    int code = MPI_SUCCESS;
    for (int i = 0; i < view->ours; i++) {
        const struct preload_item *item = &view->items[i];
        if (item->code == MPI_SUCCESS || (out->position && *out->position != item->position)) continue;
        if (one) return item->code;
        MPI_Status *status = ignored ? NULL : status_of(out, item->position);
        if (code == MPI_SUCCESS && !ignored)
            for (int j = 0; j < (out->n ? *out->n : view->count); j++) out->statuses[j].MPI_ERROR = MPI_SUCCESS;
        if (status) status->MPI_ERROR = item->code;
        if (ignored || status) code = MPI_ERR_IN_STATUS;
    }
    return code;
}

/* Once, or as long as it takes if PATIENT; not at all if none is ours. */
static int carry_out(attempt *test, bool patient, int count, MPI_Request requests[], const struct outputs *out)
{
    struct preload_view view;
    int done = 0, code = preload_view_open(count, requests, &view);
    if (code != MPI_SUCCESS) return code;
    if (view.ours == 0) return CW_NBC_LEFT_TO_MPI;
    for (;;) {
        code = test(&view, preload_view_look(&view), out, &done);
        if (done || code != MPI_SUCCESS || !patient) break;
        preload_view_rest(&view);
    }
    if (done && code == MPI_SUCCESS) code = add_errors(&view, out);
    preload_view_close(&view);
    if (out->flag) *out->flag = done;
    return code;
}

int cw_preload_Wait(MPI_Request *request, MPI_Status *status)
{
    return carry_out(test_one, true, 1, request, &(struct outputs){.statuses = status});
}

int cw_preload_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return carry_out(wait_all, true, count, requests, &(struct outputs){.statuses = statuses});
}

int cw_preload_Waitany(int count, MPI_Request requests[], int *position, MPI_Status *status)
{
    return carry_out(test_any, true, count, requests, &(struct outputs){.position = position, .statuses = status});
}

int cw_preload_Waitsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[])
{
    return carry_out(test_some, true, count, requests,
                     &(struct outputs){.n = n, .positions = positions, .statuses = statuses});
}

int cw_preload_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    return carry_out(test_one, false, 1, request, &(struct outputs){.flag = flag, .statuses = status});
}

int cw_preload_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    return carry_out(test_all, false, count, requests, &(struct outputs){.flag = flag, .statuses = statuses});
}

int cw_preload_Testany(int count, MPI_Request requests[], int *position, int *flag, MPI_Status *status)
{
    return carry_out(test_any, false, count, requests,
                     &(struct outputs){.flag = flag, .position = position, .statuses = status});
}

int cw_preload_Testsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[])
{
    return carry_out(test_some, false, count, requests,
                     &(struct outputs){.n = n, .positions = positions, .statuses = statuses});
}

int cw_preload_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    return carry_out(get_status, false, 1, &request, &(struct outputs){.flag = flag, .statuses = status});
}

int cw_preload_Request_free(MPI_Request *request)
{
    return preload_requests_among(1, request) ? preload_request_free(request) : CW_NBC_LEFT_TO_MPI;
}
