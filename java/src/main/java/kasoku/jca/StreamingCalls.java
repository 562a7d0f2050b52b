package kasoku.jca;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls the functions of kasoku.h that seal or open messages in parts; see {@link Calls}. */
enum StreamingCalls {
    SEALING,
    OPENING;

    private static final MethodHandle SEALING_NEW = begins("kasoku_gcm_sealing_new");
    private static final MethodHandle SEALING_AAD = takesAad("kasoku_gcm_sealing_aad");
    private static final MethodHandle SEALING_UPDATE = takesText("kasoku_gcm_sealing_update");
    private static final MethodHandle SEALING_FINISH = finishes("kasoku_gcm_sealing_finish");
    private static final MethodHandle SEALING_FREE = Calls.procedure("kasoku_gcm_sealing_free", JAVA_LONG);
    private static final MethodHandle OPENING_NEW = begins("kasoku_gcm_opening_new");
    private static final MethodHandle OPENING_AAD = takesAad("kasoku_gcm_opening_aad");
    private static final MethodHandle OPENING_UPDATE = takesText("kasoku_gcm_opening_update");
    private static final MethodHandle OPENING_FINISH = finishes("kasoku_gcm_opening_finish");
    private static final MethodHandle OPENING_FREE = Calls.procedure("kasoku_gcm_opening_free", JAVA_LONG);

    /** Allocates a message in native memory; returns 0 if there is no memory. */
    long begin(long key, byte[] nonce) {
        try {
            MemorySegment start = MemorySegment.ofArray(nonce);
            return this == SEALING
                    ? (long) SEALING_NEW.invokeExact(key, start, (long) nonce.length)
                    : (long) OPENING_NEW.invokeExact(key, start, (long) nonce.length);
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    void aad(long message, MemorySegment aad, long bytes) {
        try {
            Calls.check(this == SEALING
                    ? (int) SEALING_AAD.invokeExact(message, aad, bytes)
                    : (int) OPENING_AAD.invokeExact(message, aad, bytes));
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    void text(long message, MemorySegment in, long bytes, MemorySegment out) {
        try {
            Calls.check(this == SEALING
                    ? (int) SEALING_UPDATE.invokeExact(message, in, bytes, out)
                    : (int) OPENING_UPDATE.invokeExact(message, in, bytes, out));
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    /** Writes the tag when sealing, verifies it when opening. Returns the library's error code. */
    int finish(long message, byte[] tag) {
        try {
            MemorySegment start = MemorySegment.ofArray(tag);
            return this == SEALING
                    ? (int) SEALING_FINISH.invokeExact(message, start)
                    : (int) OPENING_FINISH.invokeExact(message, start);
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    void free(long message) {
        try {
            if (this == SEALING) {
                SEALING_FREE.invokeExact(message);
            } else {
                OPENING_FREE.invokeExact(message);
            }
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    private static MethodHandle begins(String name) {
        return Calls.function(name, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG);
    }

    private static MethodHandle takesAad(String name) {
        return Calls.function(name, JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG);
    }

    private static MethodHandle takesText(String name) {
        return Calls.function(name, JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS);
    }

    private static MethodHandle finishes(String name) {
        return Calls.function(name, JAVA_INT, JAVA_LONG, ADDRESS);
    }
}
