package kasoku.jca;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.security.ProviderException;
import java.util.Objects;

/**
 * The calls of kasoku.h for keys and whole messages. Native objects are numbers here; texts and the like are segments,
 * which may be parts of Java arrays: they are passed without a copy, and no garbage collector runs meanwhile. So a call
 * gets no more than {@link Pieces#BYTES} of them.
 */
final class Calls {
    static final int OK = 0;
    static final int AUTHENTICATION = -7;

    private static final long MAX_STRING = 4096;
    private static final MethodHandle NEW = function("kasoku_gcm_new", JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle FREE = procedure("kasoku_gcm_free", JAVA_LONG);
    private static final MethodHandle SEAL = function("kasoku_gcm_seal", JAVA_INT, JAVA_LONG,
            ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle OPEN = function("kasoku_gcm_open", JAVA_INT, JAVA_LONG,
            ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);

    private Calls() {}

    /** Expands a key of 16, 24 or 32 bytes. */
    static long newKey(byte[] encoded) {
        try {
            long key = (long) NEW.invokeExact(MemorySegment.ofArray(encoded), (long) encoded.length);
            if (key == 0) {
                throw new ProviderException(
                        "libkasoku makes no key: does KASOKU_BACKEND or KASOKU_SCHEDULE name one not here?");
            }
            return key;
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    static void freeKey(long key) {
        try {
            FREE.invokeExact(key);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * From array to array. The segments are made here and nowhere above: so they are never objects, however much of
     * what is above the compiler puts into one piece; see {@link #from}.
     */
    static int seal(long key, byte[] nonce, byte[] aad, int aadBytes, byte[] in, int inAt, int length, byte[] out,
            int outAt, byte[] tag) {
        try {
            return (int) SEAL.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, from(in, inAt, length), (long) length,
                    from(out, outAt, length), MemorySegment.ofArray(tag));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    static int seal(long key, byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, MemorySegment out,
            byte[] tag) {
        try {
            return (int) SEAL.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, in, in.byteSize(), out, MemorySegment.ofArray(tag));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** From array to array, as above. */
    static int open(long key, byte[] nonce, byte[] aad, int aadBytes, byte[] in, int inAt, int length, byte[] tag,
            byte[] out, int outAt) {
        try {
            return (int) OPEN.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, from(in, inAt, length), (long) length,
                    MemorySegment.ofArray(tag), from(out, outAt, length));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    static int open(long key, byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, byte[] tag,
            MemorySegment out) {
        try {
            return (int) OPEN.invokeExact(key, MemorySegment.ofArray(nonce), (long) nonce.length,
                    MemorySegment.ofArray(aad), (long) aadBytes, in, in.byteSize(), MemorySegment.ofArray(tag), out);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * An array from {@code at} on, where it has {@code length} bytes. A slice of that length would do, but for a branch
     * of its check that is for empty slices: once one was made anywhere in the program, C2 keeps the branch, in which a
     * segment goes to an exception and so must be an object, 72 bytes with its session. To the end of the array all
     * slices take that branch, and what in it was never taken is left out.
     */
    private static MemorySegment from(byte[] array, int at, int length) {
        Objects.checkFromIndexSize(at, length, array.length);
        return MemorySegment.ofArray(array).asSlice(at);
    }

    static String backend(long key) {
        try {
            MethodHandle name = function("kasoku_gcm_backend", ADDRESS, JAVA_LONG);
            return string((MemorySegment) name.invokeExact(key));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    static String version() {
        try {
            return string((MemorySegment) function("kasoku_version", ADDRESS).invokeExact());
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Throws what the library says of {@code code}, unless it is {@link #OK}. */
    static void check(int code) {
        if (code != OK) {
            throw failure(code);
        }
    }

    static MethodHandle function(String name, MemoryLayout result, MemoryLayout... parameters) {
        return link(name, FunctionDescriptor.of(result, parameters));
    }

    static MethodHandle procedure(String name, MemoryLayout... parameters) {
        return link(name, FunctionDescriptor.ofVoid(parameters));
    }

    /** What a call threw, which Java cannot know to be nothing but unchecked: of a buffer that was closed meanwhile. */
    static RuntimeException unexpected(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException unchecked -> unchecked;
            case Error error -> throw error;
            default -> new ProviderException(thrown);
        };
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(String name, FunctionDescriptor signature) {
        try {
            MemorySegment address = NativeLibrary.symbols().find(name)
                    .orElseThrow(() -> new ProviderException("it has no " + name + ": is it another version?"));
            return Linker.nativeLinker().downcallHandle(address, signature, Linker.Option.critical(true));
        } catch (NativeLibrary.Unavailable missing) {
            throw new ProviderException(missing);
        }
    }

    private static ProviderException failure(int code) {
        try {
            MethodHandle words = function("kasoku_strerror", ADDRESS, JAVA_INT);
            return new ProviderException(string((MemorySegment) words.invokeExact(code)));
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    @SuppressWarnings("restricted")
    private static String string(MemorySegment start) {
        return start.reinterpret(MAX_STRING).getString(0);
    }
}
