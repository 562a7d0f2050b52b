package kasoku.jca;

import java.lang.foreign.MemorySegment;
import javax.crypto.AEADBadTagException;

/** The current message of a cipher, being sealed or opened. */
abstract sealed class Message permits Sealing, SivSealing, Opening {
    private static final int TAG_BYTES = 16;

    final NativeCipher cipher;
    final Bytes aad = new Bytes(false);
    final byte[] tag = new byte[TAG_BYTES];
    byte[] nonce;
    int tagBytes;
    private boolean isAadComplete;

    Message(NativeCipher cipher) {
        this.cipher = cipher;
    }

    /** Begins a message with a new nonce. */
    void start(byte[] newNonce, int newTagBytes) {
        nonce = newNonce;
        tagBytes = newTagBytes;
        clear();
    }

    void addAad(byte[] bytes, int at, int length) {
        if (isAadComplete) {
            throw new IllegalStateException("Update has been called; no more AAD data");
        }
        aad.add(bytes, at, length);
    }

    final void endAad() {
        isAadComplete = true;
    }

    /** Returns the number of output bytes for {@code length} input bytes, in an update or at the end of the message. */
    abstract int outputSize(int length, boolean isLast);

    /** Processes a part of the text. {@code out} must have room for {@link #outputSize} bytes. */
    abstract int update(MemorySegment in, MemorySegment out);

    /** Throws an exception if the message cannot end with {@code length} more bytes. */
    abstract void checkLast(int length) throws AEADBadTagException;

    /** Ends the message like {@link #finish(MemorySegment, MemorySegment)}, from array to array. */
    abstract int finish(byte[] in, int inAt, int length, byte[] out, int outAt) throws AEADBadTagException;

    /** Ends the message with its last bytes. {@code out} must have room for {@link #outputSize} bytes. */
    abstract int finish(MemorySegment in, MemorySegment out) throws AEADBadTagException;

    /** Discards the message and keeps its nonce. */
    void clear() {
        cipher.abandon();
        aad.clear();
        isAadComplete = false;
    }

    /** Whether one native call may process all AAD and {@code bytes} bytes of text. */
    final boolean fitsOneCall(long bytes) {
        return cipher.isSiv() || aad.size() + bytes <= Pieces.BYTES;
    }

    /** Whether two texts of {@code length} bytes are identical in memory or do not overlap. */
    static boolean areInPlaceOrApart(byte[] in, int inAt, byte[] out, int outAt, int length) {
        return in != out || inAt == outAt || Math.abs((long) inAt - outAt) >= length;
    }

    /**
     * Returns {@code in}, or a copy if both segments overlap partly: writing would change the input before it is read.
     */
    static MemorySegment keptApart(MemorySegment in, MemorySegment written) {
        if (in.asOverlappingSlice(written).isEmpty()
                || in.address() == written.address() && in.byteSize() == written.byteSize()) {
            return in;
        }
        byte[] copy = new byte[Math.toIntExact(in.byteSize())];
        MemorySegment.copy(in, 0, MemorySegment.ofArray(copy), 0, copy.length);
        return MemorySegment.ofArray(copy);
    }

    /** Wipes {@code source} if it is a copy of the plaintext {@code in}. */
    static void wipeCopy(MemorySegment in, MemorySegment source) {
        if (source != in) {
            source.fill((byte) 0);
        }
    }
}
