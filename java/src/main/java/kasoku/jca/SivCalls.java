package kasoku.jca;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls the functions of kasoku.h for AES-GCM-SIV; see {@link Calls}. The library takes these messages only whole. */
final class SivCalls {
    /** Maximum number of bytes for a call that a garbage collector waits for: the algorithm reads a message twice. */
    static final int CRITICAL_BYTES = Pieces.BYTES / 2;

    private static final MemoryLayout[] PARAMETERS =
            {JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS};
    private static final MethodHandle NEW = Calls.function("kasoku_siv_new", JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle FREE = Calls.procedure("kasoku_siv_free", JAVA_LONG);
    private static final MethodHandle SEAL = Calls.function("kasoku_siv_seal", JAVA_INT, PARAMETERS);
    private static final MethodHandle OPEN = Calls.function("kasoku_siv_open", JAVA_INT, PARAMETERS);

    private SivCalls() {}

    /** Functions for long messages, linked at the first long message. */
    private static final class LongMessages {
        static final MethodHandle SEAL = Calls.nonCriticalFunction("kasoku_siv_seal", JAVA_INT, PARAMETERS);
        static final MethodHandle OPEN = Calls.nonCriticalFunction("kasoku_siv_open", JAVA_INT, PARAMETERS);
    }

    /** Expands a key of 16 or 32 bytes in native memory. */
    static long newKey(byte[] encoded) {
        try {
            return Calls.checkedKey((long) NEW.invokeExact(MemorySegment.ofArray(encoded), (long) encoded.length));
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    static void freeKey(long key) {
        try {
            FREE.invokeExact(key);
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    static int seal(long key, byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, MemorySegment out,
            byte[] tag) {
        try {
            if (aadBytes + in.byteSize() > CRITICAL_BYTES) {
                return inNativeMemory(nonce, aad, aadBytes, in, tag, out, (nonces, aads, text, tags) ->
                        (int) LongMessages.SEAL.invokeExact(key, nonces, nonces.byteSize(), aads, aads.byteSize(), text,
                                text.byteSize(), text, tags));
            }
            return (int) SEAL.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, in, in.byteSize(), out, MemorySegment.ofArray(tag));
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    static int open(long key, byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, byte[] tag,
            MemorySegment out) {
        try {
            if (aadBytes + in.byteSize() > CRITICAL_BYTES) {
                return inNativeMemory(nonce, aad, aadBytes, in, tag, out, (nonces, aads, text, tags) ->
                        (int) LongMessages.OPEN.invokeExact(key, nonces, nonces.byteSize(), aads, aads.byteSize(), text,
                                text.byteSize(), tags, text));
            }
            return (int) OPEN.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, in, in.byteSize(), MemorySegment.ofArray(tag), out);
        } catch (Throwable thrown) {
            throw Calls.unexpected(thrown);
        }
    }

    /** A native call that processes {@code text} in place. */
    private interface Call {
        int with(MemorySegment nonce, MemorySegment aad, MemorySegment text, MemorySegment tag) throws Throwable;
    }

    /** Copies a message into native memory, where the garbage collector need not wait for it, and back. */
    private static int inNativeMemory(byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, byte[] tag,
            MemorySegment out, Call call) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(JAVA_BYTE, in, JAVA_BYTE, 0, in.byteSize());
            MemorySegment nativeTag = arena.allocateFrom(JAVA_BYTE, tag);
            try {
                int code = call.with(arena.allocateFrom(JAVA_BYTE, nonce),
                        arena.allocateFrom(JAVA_BYTE, MemorySegment.ofArray(aad), JAVA_BYTE, 0, aadBytes), text,
                        nativeTag);
                if (code == Calls.OK || code == Calls.AUTHENTICATION) {
                    MemorySegment.copy(text, 0, out, 0, text.byteSize());
                    MemorySegment.copy(nativeTag, JAVA_BYTE, 0, tag, 0, tag.length);
                }
                return code;
            } finally {
                text.fill((byte) 0);
            }
        }
    }
}
