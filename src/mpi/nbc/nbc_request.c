#include <sched.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_operation.h"
#include "preload/nbc_functions.h"

struct cw_nbc_request {
    struct cw_nbc_call call;
    bool persistent, active;
    MPI_Request native;              /* MPI's own function, … */
    struct nbc_operation *operation; /* … or, if this is not NULL, ours */
};

static int start(struct cw_nbc_request *request, const struct nbc_decision *decided)
{
    if (decided->side == NBC_BROKEN) return cw_nbc_fail_of_broken(decided->comm);
    const bool ours = decided->side == NBC_OURS;
    int rc = ours ? nbc_operation_begin(&request->call, decided, &request->operation)
                  : cw_nbc_begin_native(&request->call, &request->native);
    if (!ours) cw_nbc_leave(&request->call, decided->comm, rc != 0);
    if (!rc) request->active = true;
    return rc;
}

int cw_nbc_prepare(const struct cw_nbc_call *call, cw_nbc_request *out)
{
    struct cw_nbc_request *request = cw_new_array(1, sizeof *request, "a request");
    if (!request) return CW_ENOMEM;
    request->call = *call;
    request->persistent = true;
    request->native = MPI_REQUEST_NULL;
    *out = request;
    return 0;
}

int cw_nbc_start(cw_nbc_request *request)
{
    if (!*request || !(*request)->persistent || (*request)->active)
        return cw_fail(CW_EUSAGE, "only an inactive persistent request can be started");
    const struct nbc_decision decision = cw_nbc_side(&(*request)->call);
    return start(*request, &decision);
}

int cw_nbc_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, cw_nbc_request *out)
{
    struct cw_nbc_request *request;
    struct nbc_decision decision;
    int rc = cw_nbc_prepare(call, &request);
    if (rc) return rc;
    request->persistent = false;
    if (!decided) decision = cw_nbc_side(call);
    rc = start(request, decided ? decided : &decision);
    if (rc) {
        free(request);
        return rc;
    }
    *out = request;
    return 0;
}

/* The public functions that start something. */
#define BOTH(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                                        \
    int cw_nbc_i##NAME(CW_NBC_TYPED_##SHAPE(COUNT), cw_nbc_request *request)                                           \
    {                                                                                                                  \
        const struct cw_nbc_call call = NBC_CALL_##SHAPE(KIND);                                                        \
        return cw_nbc_begin(&call, NULL, request);                                                                     \
    }                                                                                                                  \
    int cw_nbc_##NAME##_init(CW_NBC_TYPED_##SHAPE(COUNT), cw_nbc_request *request)                                     \
    {                                                                                                                  \
        const struct cw_nbc_call call = NBC_CALL_##SHAPE(KIND);                                                        \
        return cw_nbc_prepare(&call, request);                                                                         \
    }
CW_NBC_FUNCTIONS(BOTH, , int)

const char *cw_nbc_error_message(void)
{
    return cw_error_message();
}

/* --- completion -------------------------------------------------------------------------------------------------- */

static void finish(cw_nbc_request *request)
{
    nbc_operation_free((*request)->operation);
    (*request)->operation = NULL;
    (*request)->active = false;
    if (!(*request)->persistent) {
        free(*request);
        *request = NULL;
    }
}

static bool is_active(const struct cw_nbc_request *request)
{
    return request && request->active;
}

/* How MPI's own ended, and whether others had waited for it on our side. */
static int native_end(int code)
{
    MPI_Comm comm;
    return code == MPI_SUCCESS ? cw_nbc_hear_alarm(&comm) : nbc_fail_of_mpi("a collective of MPI failed", code);
}

/* Looks at an active request, and ends it if it is complete. */
static int look(cw_nbc_request *request, bool *done)
{
    int rc = 0, flag = 0;
    if ((*request)->operation) {
        rc = nbc_operation_test((*request)->operation, done);
    } else {
        int code = PMPI_Test(&(*request)->native, &flag, MPI_STATUS_IGNORE);
        rc = native_end(code);
        *done = flag || rc;
    }
    if (*done) finish(request);
    return rc;
}

void cw_nbc_rest(int count, const cw_nbc_request requests[])
{
    struct nbc_operation *last = NULL;
    for (int i = 0; i < count; i++) {
        if (!is_active(requests[i])) continue;
        if (!requests[i]->operation) return;
        if (!last) last = requests[i]->operation;
    }
    if (last) nbc_operation_sleep(last);
}

int cw_nbc_test(cw_nbc_request *request, int *done)
{
    bool complete = true;
    int rc = is_active(*request) ? look(request, &complete) : 0;
    *done = complete;
    if (!complete && nbc_job.cores.crowded) sched_yield(); /* else a loop of tests keeps workers from running */
    return rc;
}

int cw_nbc_wait(cw_nbc_request *request)
{
    if (is_active(*request) && !(*request)->operation) {
        int code = PMPI_Wait(&(*request)->native, MPI_STATUS_IGNORE);
        finish(request);
        return native_end(code);
    }
    bool done = !is_active(*request);
    while (!done) {
        int rc = look(request, &done);
        if (rc) return rc;
        if (!done) nbc_operation_sleep((*request)->operation);
    }
    return 0;
}

/* Looks at all that are active; *LEFT: how many still are. The first error. */
static int look_at_all(int count, cw_nbc_request requests[], int *left)
{
    int first = 0;
    *left = 0;
    for (int i = 0; i < count; i++) {
        bool done = false;
        if (!is_active(requests[i])) continue;
        int rc = look(&requests[i], &done);
        if (!first) first = rc;
        *left += !done;
    }
    return first;
}

int cw_nbc_testall(int count, cw_nbc_request requests[], int *done)
{
    int left, rc = look_at_all(count, requests, &left);
    *done = left == 0;
    return rc;
}

int cw_nbc_waitall(int count, cw_nbc_request requests[])
{
    int first = 0, left = 1;
    while (left > 0) {
        int rc = look_at_all(count, requests, &left);
        if (!first) first = rc;
        if (left > 0) cw_nbc_rest(count, requests);
    }
    return first;
}

/* One look at each active request until one is complete. *INDEX: that one, or MPI_UNDEFINED; *ANY: there is one that is
 * active. */
static int look_for_one(int count, cw_nbc_request requests[], int *index, bool *any)
{
    *index = MPI_UNDEFINED;
    *any = false;
    for (int i = 0; i < count; i++) {
        bool done = false;
        if (!is_active(requests[i])) continue;
        *any = true;
        int rc = look(&requests[i], &done);
        if (done) *index = i;
        if (done) return rc;
    }
    return 0;
}

int cw_nbc_waitany(int count, cw_nbc_request requests[], int *index)
{
    for (;;) {
        bool any;
        int rc = look_for_one(count, requests, index, &any);
        if (!any || *index != MPI_UNDEFINED) return rc;
        cw_nbc_rest(count, requests);
    }
}

int cw_nbc_waitsome(int count, cw_nbc_request requests[], int *n, int indices[])
{
    int first = cw_nbc_waitany(count, requests, &indices[0]);
    *n = MPI_UNDEFINED;
    if (indices[0] == MPI_UNDEFINED) return first;
    *n = 1;
    for (int i = indices[0] + 1; i < count; i++) {
        bool done = false;
        if (!is_active(requests[i])) continue;
        int rc = look(&requests[i], &done);
        if (done) indices[(*n)++] = i;
        if (!first) first = rc;
    }
    return first;
}

int cw_nbc_request_free(cw_nbc_request *request)
{
    int rc = 0;
    if (!*request) return 0;
    if ((*request)->active) rc = cw_nbc_wait(request);
    free(*request); /* NULL by now unless it is persistent */
    *request = NULL;
    return rc;
}
