/*
 * Replaces clock_gettime of the C library. Sets the wall clock back by an hour as soon as the file named by
 * CLOCK_SET_BACK exists. Does not affect monotonic clocks.
 *
 *   LD_PRELOAD=./clock.so CLOCK_SET_BACK=set-back program
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    const char *sign = getenv("CLOCK_SET_BACK");
    int result;

    if (real == NULL)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && sign != NULL && access(sign, F_OK) == 0)
        now->tv_sec -= 3600;
    return result;
}
