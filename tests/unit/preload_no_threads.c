/*
 * Loaded before unit tests that are not in threads.txt: they start no thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)start, (void)argument;
    fputs("This test starts a thread: add its name to tests/unit/threads.txt.\n", stderr);
    _exit(1);
}
