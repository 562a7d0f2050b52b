package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.security.ProviderException;
import java.util.concurrent.atomic.LongAdder;

/**
 * The native memory of a cipher: a key and at most one message in parts. They are wiped and freed when replaced, or
 * when the cipher becomes unreachable. Not thread-safe.
 */
final class NativeCipher {
    private static final Cleaner CLEANER = Cleaner.create();
    /** A nonce for comparing keys, which no program uses by chance. */
    private static final byte[] FINGERPRINT_NONCE = "Kasoku: the same key?".getBytes(StandardCharsets.US_ASCII);

    /** Number of bytes that ciphers reported. */
    private static final LongAdder BYTES = new LongAdder();
    /** Number of bytes after which a cipher reports: updating the shared counter costs more than a short message. */
    private static final long TOLD_AT_ONCE = 1 << 20;

    /** Native bytes of a key and a message in parts: 4.0 to 4.4 KiB with AES instructions, 5.4 KiB without. */
    private static final int NATIVE_BYTES = 4 << 10;

    private final Memory memory;
    /**
     * Makes a cipher with native memory about as large on the heap. The garbage collector sees only the heap, so it
     * collects unreachable ciphers before their native memory exceeds the size of the heap.
     */
    private byte[] ballast;

    /** The memory to free. It has no reference to its cipher, which would stay reachable otherwise. */
    private static final class Memory implements Runnable {
        private final boolean isSiv;
        private long key;
        private long message;
        private StreamingCalls direction;
        private long untold;

        Memory(boolean isSiv) {
            this.isSiv = isSiv;
        }

        @Override
        public void run() {
            freeMessage();
            freeKey();
            tell();
        }

        void count(long bytes) {
            untold += bytes;
            if (untold >= TOLD_AT_ONCE) {
                tell();
            }
        }

        private void tell() {
            BYTES.add(untold);
            untold = 0;
        }

        void freeMessage() {
            if (message != 0) {
                direction.free(message);
                message = 0;
            }
        }

        void freeKey() {
            if (key != 0) {
                if (isSiv) {
                    SivCalls.freeKey(key);
                } else {
                    Calls.freeKey(key);
                }
                key = 0;
            }
        }
    }

    /** Creates a cipher without a key, for AES-GCM-SIV if {@code isSiv}, and for AES-GCM otherwise. */
    NativeCipher(boolean isSiv) {
        memory = new Memory(isSiv);
    }

    boolean isSiv() {
        return memory.isSiv;
    }

    /** Replaces the key by one of 16, 24 (not for AES-GCM-SIV) or 32 bytes. */
    void setKey(byte[] encoded) {
        try {
            if (ballast == null) {
                CLEANER.register(this, memory);
                ballast = new byte[NATIVE_BYTES];
            }
            memory.freeMessage();
            memory.freeKey();
            memory.key = isSiv() ? SivCalls.newKey(encoded) : Calls.newKey(encoded);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the number of bytes that all ciphers reported. */
    static long bytesDone() {
        return BYTES.sum();
    }

    boolean hasKey() {
        return memory.key != 0;
    }

    /** Returns a secret fingerprint of an AES-GCM key: 16 bytes that are almost certainly unique. */
    byte[] fingerprint() {
        byte[] fingerprint = new byte[16];
        byte[] nothing = new byte[0];
        Calls.check(seal(FINGERPRINT_NONCE, nothing, 0, nothing, 0, 0, nothing, 0, fingerprint));
        return fingerprint;
    }

    /** Encrypts from array to array with AES-GCM. */
    int seal(byte[] nonce, byte[] aad, int aadBytes, byte[] in, int inAt, int length, byte[] out, int outAt,
            byte[] tag) {
        try {
            memory.count(length);
            return Calls.seal(memory.key, nonce, aad, aadBytes, in, inAt, length, out, outAt, tag);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    int seal(byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, MemorySegment out, byte[] tag) {
        try {
            memory.count(in.byteSize());
            return isSiv()
                    ? SivCalls.seal(memory.key, nonce, aad, aadBytes, in, out, tag)
                    : Calls.seal(memory.key, nonce, aad, aadBytes, in, out, tag);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Decrypts from array to array with AES-GCM. */
    int open(byte[] nonce, byte[] aad, int aadBytes, byte[] in, int inAt, int length, byte[] tag, byte[] out,
            int outAt) {
        try {
            memory.count(length);
            return Calls.open(memory.key, nonce, aad, aadBytes, in, inAt, length, tag, out, outAt);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    int open(byte[] nonce, byte[] aad, int aadBytes, MemorySegment in, byte[] tag, MemorySegment out) {
        try {
            memory.count(in.byteSize());
            return isSiv()
                    ? SivCalls.open(memory.key, nonce, aad, aadBytes, in, tag, out)
                    : Calls.open(memory.key, nonce, aad, aadBytes, in, tag, out);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    boolean isStreaming() {
        return memory.message != 0;
    }

    /** Begins an AES-GCM message in parts. */
    void begin(StreamingCalls direction, byte[] nonce, Bytes aad) {
        try {
            memory.freeMessage();
            memory.direction = direction;
            memory.message = direction.begin(memory.key, nonce);
            if (memory.message == 0) {
                throw new ProviderException("libkasoku begins no message with a nonce of " + nonce.length + " bytes");
            }
            MemorySegment all = aad.segment();
            for (long at = 0; at < all.byteSize(); at += Pieces.BYTES) {
                long bytes = Math.min(Pieces.BYTES, all.byteSize() - at);
                direction.aad(memory.message, all.asSlice(at, bytes), bytes);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Processes the next part of a message from {@code in} to {@code out}. */
    void text(MemorySegment in, MemorySegment out) {
        try {
            memory.count(in.byteSize());
            for (long at = 0; at < in.byteSize(); at += Pieces.BYTES) {
                long bytes = Math.min(Pieces.BYTES, in.byteSize() - at);
                memory.direction.text(memory.message, in.asSlice(at, bytes), bytes, out.asSlice(at, bytes));
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Encrypts the next part of a message only to compute the tag, without counting its bytes again. */
    void authenticate(MemorySegment in) {
        try {
            MemorySegment discarded = MemorySegment.ofArray(new byte[(int) Math.min(Pieces.BYTES, in.byteSize())]);
            for (long at = 0; at < in.byteSize(); at += Pieces.BYTES) {
                long bytes = Math.min(Pieces.BYTES, in.byteSize() - at);
                memory.direction.text(memory.message, in.asSlice(at, bytes), bytes, discarded);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Ends a message in parts: writes its tag when sealing, verifies it when opening. */
    int finish(byte[] tag) {
        try {
            int code = memory.direction.finish(memory.message, tag);
            memory.freeMessage();
            return code;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Discards the message in parts, if there is one. */
    void abandon() {
        try {
            memory.freeMessage();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Wipes and frees the key at once. */
    void freeKey() {
        try {
            memory.freeKey();
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
