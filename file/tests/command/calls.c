/*
 * Intercepts some functions of the C library and appends their names to the file that CALLS names, one per line.
 *
 *   LD_PRELOAD=./calls.so CALLS=calls program
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void tell(const char *call)
{
    const char *path = getenv("CALLS");
    FILE *calls = path == NULL ? NULL : fopen(path, "a");

    if (calls != NULL) {
        fprintf(calls, "%s\n", call);
        fclose(calls);
    }
}

int fsync(int file)
{
    tell("fsync");
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file)
{
    tell("fdatasync");
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}

int rename(const char *from, const char *to)
{
    tell("rename");
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
