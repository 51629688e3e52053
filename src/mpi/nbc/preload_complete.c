/*
 * Completion under the preload library. Where requests of ours are among those of a call, MPI's own Test is asked again
 * and again, between looks at ours: so MPI proceeds, statuses are its own, and both kinds may be mixed.
 */
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_requests.h"

/* What calls return; each uses some of it. */
struct outputs {
    int *flag, *position, *n, *positions;
    MPI_Status *statuses;
};

/* Tests what VIEW shows; *DONE: whether one who waits need wait no more. A code of MPI. */
typedef int attempt(struct preload_view *view, const struct outputs *out, int *done);

static int test_one(struct preload_view *view, const struct outputs *out, int *done)
{
    return PMPI_Test(view->seen, done, out->statuses);
}

static int test_all(struct preload_view *view, const struct outputs *out, int *done)
{
    return PMPI_Testall(view->count, view->seen, done, out->statuses);
}

static int test_any(struct preload_view *view, const struct outputs *out, int *done)
{
    return PMPI_Testany(view->count, view->seen, out->position, done, out->statuses);
}

static int test_some(struct preload_view *view, const struct outputs *out, int *done)
{
    int code = PMPI_Testsome(view->count, view->seen, out->n, out->positions, out->statuses);
    *done = *out->n != 0;
    return code;
}

static int get_status(struct preload_view *view, const struct outputs *out, int *done)
{
    return PMPI_Request_get_status(view->seen[0], done, out->statuses);
}

/* Once, or as long as it takes if PATIENT. */
static int carry_out(attempt *test, bool patient, int count, MPI_Request requests[], const struct outputs *out)
{
    struct preload_view view;
    int done = 0, code = preload_view_open(count, requests, &view);
    if (code != MPI_SUCCESS) return code;
    for (;;) {
        preload_view_look(&view);
        code = test(&view, out, &done);
        if (done || code != MPI_SUCCESS || !patient) break;
        preload_view_rest(&view);
    }
    preload_view_close(&view);
    if (out->flag) *out->flag = done;
    return code;
}

int cw_preload_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!preload_requests_among(1, request)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_one, true, 1, request, &(struct outputs){.statuses = status});
}

int cw_preload_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_all, true, count, requests, &(struct outputs){.statuses = statuses});
}

int cw_preload_Waitany(int count, MPI_Request requests[], int *position, MPI_Status *status)
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_any, true, count, requests, &(struct outputs){.position = position, .statuses = status});
}

int cw_preload_Waitsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[])
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_some, true, count, requests,
                     &(struct outputs){.n = n, .positions = positions, .statuses = statuses});
}

int cw_preload_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!preload_requests_among(1, request)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_one, false, 1, request, &(struct outputs){.flag = flag, .statuses = status});
}

int cw_preload_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_all, false, count, requests, &(struct outputs){.flag = flag, .statuses = statuses});
}

int cw_preload_Testany(int count, MPI_Request requests[], int *position, int *flag, MPI_Status *status)
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_any, false, count, requests,
                     &(struct outputs){.flag = flag, .position = position, .statuses = status});
}

int cw_preload_Testsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[])
{
    if (!preload_requests_among(count, requests)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(test_some, false, count, requests,
                     &(struct outputs){.n = n, .positions = positions, .statuses = statuses});
}

int cw_preload_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (!preload_requests_among(1, &request)) return CW_NBC_LEFT_TO_MPI;
    return carry_out(get_status, false, 1, &request, &(struct outputs){.flag = flag, .statuses = status});
}

int cw_preload_Request_free(MPI_Request *request)
{
    return preload_requests_among(1, request) ? preload_request_free(request) : CW_NBC_LEFT_TO_MPI;
}
