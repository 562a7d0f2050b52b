package kasoku.jca;

import java.security.ProviderException;

/**
 * How much one call into native code may be given. A garbage collector that wants to begin waits for it, and shall not
 * wait for more than 20 microseconds.
 */
final class Pieces {
    /** What does the work on this CPU, in the library's name for it. */
    static final String BACKEND = backend();

    /**
     * Bytes for a call. At the rates that stand here, which AES-256 exceeds on the slowest CPU of each kind that we
     * know, they take 20 microseconds.
     */
    static final int BYTES = switch (BACKEND) {
        case "vaes512" -> 128 << 10; // 6.6 GB/s
        case "vaes256" -> 64 << 10; // 3.3 GB/s
        case "portable" -> 1 << 10; // 50 MB/s
        default -> 24 << 10; // 1.2 GB/s: AES instructions of any other kind
    };

    private Pieces() {}

    private static String backend() {
        long key = Calls.newKey(new byte[16]);
        if (key == 0) {
            throw new ProviderException("it makes no key: does KASOKU_BACKEND or KASOKU_SCHEDULE name one not here?");
        }
        try {
            return Calls.backend(key);
        } finally {
            Calls.freeKey(key);
        }
    }
}
