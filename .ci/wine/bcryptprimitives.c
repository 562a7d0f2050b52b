/*
 * bcryptprimitives.dll for Wine 8, which lacks it. Rust's standard library takes random numbers from this DLL.
 */

#include <stddef.h>

unsigned char __stdcall SystemFunction036(void *bytes, unsigned long len); /* RtlGenRandom in advapi32 */

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t len)
{
    return SystemFunction036(bytes, (unsigned long)len);
}
