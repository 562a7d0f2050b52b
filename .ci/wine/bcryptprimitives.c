/*
 * What Wine 8 lacks and every Windows has: the library from which Rust takes random numbers.
 */

#include <stddef.h>

unsigned char __stdcall SystemFunction036(void *bytes, unsigned long len); /* RtlGenRandom, of advapi32 */

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t len)
{
    return SystemFunction036(bytes, (unsigned long)len);
}
