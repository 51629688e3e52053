/*
 * Calls what libcrosswind-ranks stands in front of, as MPI libraries do: a rank that waits sleeps in between, and from
 * the first flush to the end a thread polls, never while the rank is in UCX. Of no MPI; preload_polls is loaded, too.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "program_polls.h"

#define CHECK(CONDITION)                                                                                               \
    do {                                                                                                               \
        if (!(CONDITION)) {                                                                                            \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #CONDITION);                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void *find(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) fprintf(stderr, "there is no %s\n", name);
    return found ? found : (exit(1), NULL);
}

/* Until *COUNT is LEAST. */
static void await(const atomic_uint *count, unsigned least)
{
    const struct timespec moment = {0, 1000000};
    while (*count < least) nanosleep(&moment, NULL);
}

int main(void)
{
    const struct timespec while_nobody_polls = {0, 20000000};
    struct polls *polls = find("polls");
    unsigned (*progress)(void *);
    void *(*disconnect)(void *);
    void (*release)(void *), (*destroy)(void *);
    *(void **)&progress = find("ucp_worker_progress");
    *(void **)&disconnect = find("ucp_disconnect_nb");
    *(void **)&release = find("ucp_request_release");
    *(void **)&destroy = find("ucp_worker_destroy");
    char worker, endpoint[2], request;
    alarm(60);

    for (unsigned i = 1; i <= 12; i++) { /* it yields three times, then sleeps */
        CHECK(sched_yield() == 0);
        CHECK(polls->sleeps[1] == i / 4);
    }
    CHECK(disconnect(endpoint) == endpoint + 1); /* before there is anything to poll */
    for (unsigned i = 1; i <= 3; i++) {          /* it sleeps only if it has polled in vain */
        polls->progress = 7;
        CHECK(progress(&worker) == 7 && polls->sleeps[1] == 3 + i - 1);
        polls->progress = 0;
        CHECK(progress(&worker) == 0 && polls->sleeps[1] == 3 + i);
        CHECK(polls->worker == &worker && polls->by_rank == 2 * i && polls->by_another == 0);
    }
    release(&request);
    CHECK(polls->released == &request);

    CHECK(disconnect(endpoint) == endpoint + 1);
    await(&polls->by_another, 3);
    CHECK(polls->worker == &worker && polls->sleeps[500] >= 2);
    for (unsigned i = 0; i < 300; i++) {
        polls->progress = 1;
        CHECK(progress(&worker) == 1);
        release(&request + 1);
        CHECK(polls->released == &request + 1);
        if (i % 10 == 0) CHECK(disconnect(endpoint) == endpoint + 1);
    }
    CHECK(polls->at_once == 0);
    await(&polls->by_another, polls->by_another + 3); /* the thread still does */
    polls->slow = true;
    await(&polls->by_another, polls->by_another + 2);
    destroy(&worker); /* while the thread is in UCX */
    CHECK(polls->destroyed == &worker);
    const unsigned by_another = polls->by_another;
    nanosleep(&while_nobody_polls, NULL);
    CHECK(polls->by_another == by_another && polls->at_once == 0);
    destroy(endpoint); /* a second worker, without the thread */
    CHECK(polls->destroyed == endpoint);
    printf("as it should be\n");
    return 0;
}
