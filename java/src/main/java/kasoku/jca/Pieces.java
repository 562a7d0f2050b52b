package kasoku.jca;

import java.util.Map;

/**
 * Maximum number of bytes for one call into native code. A garbage collector has to wait for the call to end, but not
 * for more than 20 microseconds.
 */
final class Pieces {
    /** The library's name for the backend on this CPU. */
    static final String BACKEND = backend();

    /**
     * Bytes processed in 20 microseconds, by backend, from the throughput of AES-256 on the slowest known CPU. The
     * numbers for AArch64 come from a model (docs/ARM.md).
     */
    static final Map<String, Integer> BYTES_BY_BACKEND = Map.of(
            "vaes512", 128 << 10, // 6.6 GB/s
            "vaes256", 64 << 10, // 3.3 GB/s
            "aesni", 24 << 10, // 1.2 GB/s
            "portable", 1 << 10, // 50 MB/s
            "aes-eor3", 16 << 10, // 0.8 GB/s: Cortex-A510
            "aes-pmull", 6 << 10, // 0.3 GB/s: Cortex-A53, 47 cycles a block of AES-128
            "neon", 256); // 13 MB/s: Cortex-A53, where the smallest batch, sixteen blocks, takes 20 µs

    /** Maximum number of bytes for a call. Unknown backends get the smallest number of the known ones. */
    static final int BYTES = BYTES_BY_BACKEND.getOrDefault(BACKEND, 256);

    private Pieces() {}

    private static String backend() {
        long key = Calls.newKey(new byte[16]);
        try {
            return Calls.backend(key);
        } finally {
            Calls.freeKey(key);
        }
    }
}
