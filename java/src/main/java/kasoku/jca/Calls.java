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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls the functions of kasoku.h for AES-GCM keys and whole messages. Native objects are pointers as {@code long}. Texts are
 * memory segments, also of Java arrays, and are passed without a copy. A garbage collector has to wait for the call, so
 * no call gets more than {@link Pieces#BYTES}.
 */
final class Calls {
    static final int OK = 0;
    static final int AUTHENTICATION = -7;

    /** Linked functions, which the metadata for GraalVM must list. */
    static final Set<Linked> LINKED = ConcurrentHashMap.newKeySet();

    private static final long MAX_STRING = 4096;
    private static final MethodHandle NEW = function("kasoku_gcm_new", JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle FREE = procedure("kasoku_gcm_free", JAVA_LONG);
    private static final MethodHandle SEAL = function("kasoku_gcm_seal", JAVA_INT, JAVA_LONG,
            ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle OPEN = function("kasoku_gcm_open", JAVA_INT, JAVA_LONG,
            ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);

    /** A function that was linked; {@code isCritical} if the garbage collector waits for its calls. */
    record Linked(String name, FunctionDescriptor signature, boolean isCritical) {}

    private Calls() {}

    /** Expands a key of 16, 24 or 32 bytes in native memory. */
    static long newKey(byte[] encoded) {
        try {
            long key = (long) NEW.invokeExact(MemorySegment.ofArray(encoded), (long) encoded.length);
            return checkedKey(key);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Returns {@code key}, or throws an exception if it is 0: the environment names an unavailable backend. */
    static long checkedKey(long key) {
        if (key == 0) {
            throw new ProviderException(
                    "libkasoku makes no key: does KASOKU_BACKEND or KASOKU_SCHEDULE name one not here?");
        }
        return key;
    }

    static void freeKey(long key) {
        try {
            FREE.invokeExact(key);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * Encrypts from array to array. The segments are created here, not by callers, so that escape analysis removes them
     * however the compiler inlines the callers; see {@link #from}.
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

    /** Decrypts from array to array, with the segments created here. */
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
     * Returns a segment of {@code array} from {@code at} to its end, after checking that it has {@code length} bytes. A
     * slice of {@code length} bytes would allocate 72 bytes: once a program created an empty slice, C2 keeps the branch
     * of the bounds check in which a segment escapes to an exception. Slices to the end of the array avoid that.
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

    /** Throws an exception with the library's message for {@code code}, unless it is {@link #OK}. */
    static void check(int code) {
        if (code != OK) {
            throw failure(code);
        }
    }

    static MethodHandle function(String name, MemoryLayout result, MemoryLayout... parameters) {
        return link(name, FunctionDescriptor.of(result, parameters), Linker.Option.critical(true));
    }

    static MethodHandle procedure(String name, MemoryLayout... parameters) {
        return link(name, FunctionDescriptor.ofVoid(parameters), Linker.Option.critical(true));
    }

    /** Links a function that takes only native memory. The garbage collector need not wait for its calls. */
    static MethodHandle nonCriticalFunction(String name, MemoryLayout result, MemoryLayout... parameters) {
        return link(name, FunctionDescriptor.of(result, parameters));
    }

    /** Rethrows the unchecked exception of a method handle, for example if a segment was closed meanwhile. */
    static RuntimeException unexpected(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException unchecked -> unchecked;
            case Error error -> throw error;
            default -> new ProviderException(thrown);
        };
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(String name, FunctionDescriptor signature, Linker.Option... options) {
        try {
            MemorySegment address = NativeLibrary.symbols().find(name)
                    .orElseThrow(() -> new ProviderException("it has no " + name + ": is it another version?"));
            LINKED.add(new Linked(name, signature, options.length > 0));
            return Linker.nativeLinker().downcallHandle(address, signature, options);
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
