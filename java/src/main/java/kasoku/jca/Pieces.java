package kasoku.jca;

import java.util.Map;

/**
 * How much one call into native code may be given. A garbage collector that wants to begin waits for it, and shall not
 * wait for more than 20 microseconds.
 */
final class Pieces {
    /** What does the work on this CPU, in the library's name for it. */
    static final String BACKEND = backend();

    /**
     * Bytes for a call, by backend. At the rates that stand here, which AES-256 exceeds on the slowest CPU of each kind
     * that we know, they take 20 microseconds. (Those of AArch64 are modelled: docs/ARM.md.)
     */
    static final Map<String, Integer> BYTES_BY_BACKEND = Map.of(
            "vaes512", 128 << 10, // 6.6 GB/s
            "vaes256", 64 << 10, // 3.3 GB/s
            "aesni", 24 << 10, // 1.2 GB/s
            "portable", 1 << 10, // 50 MB/s
            "aes-eor3", 16 << 10, // 0.8 GB/s: Cortex-A510
            "aes-pmull", 6 << 10, // 0.3 GB/s: Cortex-A53, 47 cycles a block of AES-128
            "neon", 256); // 13 MB/s: Cortex-A53, where sixteen blocks at once, the least there is, take that long

    /** Bytes for a call; the least for a backend that is newer than this. */
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
