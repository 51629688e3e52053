/* What program_polls sees of the calls that reach preload_polls. */
#ifndef CW_TESTS_PROGRAM_POLLS_H
#define CW_TESTS_PROGRAM_POLLS_H

#include <stdatomic.h>
#include <stdbool.h>

struct polls {
    atomic_uint by_rank, by_another; /* threads that called ucp_worker_progress; the first to call is the rank */
    atomic_uint at_once;             /* calls while another was under way */
    atomic_uint sleeps[1000];        /* by µs */
    atomic_bool slow;                /* another thread takes long */
    unsigned progress;               /* what the rank is told */
    void *worker, *released, *destroyed;
};

/* Of UCX. */
unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);
void ucp_request_release(void *request);
void ucp_worker_destroy(void *worker);

#endif
