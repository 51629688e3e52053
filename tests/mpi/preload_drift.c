/* For LD_PRELOAD: CLOCK_MONOTONIC runs faster by DRIFT_PPM millionths. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int rc = (int)syscall(SYS_clock_gettime, clock, now);
    const char *drift = getenv("DRIFT_PPM");
    if (rc != 0 || clock != CLOCK_MONOTONIC || !drift) return rc;
    const int64_t ns = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec;
    const int64_t fast = ns + (int64_t)((long double)ns * (long double)atof(drift) / 1e6L);
    now->tv_sec = fast / 1000000000;
    now->tv_nsec = fast % 1000000000;
    return 0;
}
