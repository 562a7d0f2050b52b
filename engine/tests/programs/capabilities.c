/*
 * Replaces getauxval() of the C library, and reports the CPU capabilities in the variable CAPABILITIES:
 *
 *   LD_PRELOAD=./capabilities.so CAPABILITIES=0x887 program
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#define AT_HWCAP 16

unsigned long getauxval(unsigned long kind)
{
    static unsigned long (*real)(unsigned long);
    const char *said = getenv("CAPABILITIES");

    if (kind == AT_HWCAP && said != NULL)
        return strtoul(said, NULL, 0);
    if (real == NULL)
        real = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
    return real != NULL ? real(kind) : 0;
}
