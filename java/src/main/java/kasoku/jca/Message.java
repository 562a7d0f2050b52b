package kasoku.jca;

import java.lang.foreign.MemorySegment;
import javax.crypto.AEADBadTagException;

/** The message that a cipher is at, in one of the two directions. */
abstract sealed class Message permits Sealing, Opening {
    private static final int TAG_BYTES = 16;

    final NativeCipher cipher;
    final Bytes aad = new Bytes();
    final byte[] tag = new byte[TAG_BYTES];
    byte[] nonce;
    int tagBytes;
    private boolean isAadComplete;

    Message(NativeCipher cipher) {
        this.cipher = cipher;
    }

    /** Begins a message under another nonce. */
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

    /** How many bytes come out for {@code length} that go in, by an update or as the last ones. */
    abstract int outputSize(int length, boolean isLast);

    /** Takes text; {@code out} has as much room as {@link #outputSize} says. */
    abstract int update(MemorySegment in, MemorySegment out);

    /** Refuses to end the message with {@code length} bytes more. */
    abstract void checkLast(int length) throws AEADBadTagException;

    /** Ends the message, from array to array, as {@link #finish(MemorySegment, MemorySegment)} does. */
    abstract int finish(byte[] in, int inAt, int length, byte[] out, int outAt) throws AEADBadTagException;

    /** Ends the message with its last bytes; {@code out} has as much room as {@link #outputSize} says. */
    abstract int finish(MemorySegment in, MemorySegment out) throws AEADBadTagException;

    /** Forgets the message, but not its nonce. */
    void clear() {
        cipher.abandon();
        aad.clear();
        isAadComplete = false;
    }

    /** Whether {@code bytes} of text and all AAD may go into one call. */
    final boolean fitsOneCall(long bytes) {
        return aad.size() + bytes <= Pieces.BYTES;
    }

    /** Whether texts in two arrays, {@code length} bytes each, are the same one or apart. */
    static boolean areInPlaceOrApart(byte[] in, int inAt, byte[] out, int outAt, int length) {
        return in != out || inAt == outAt || Math.abs((long) inAt - outAt) >= length;
    }

    /**
     * {@code in}, or a copy of it if it would be written over before it is read: it may be what is written, exactly, or
     * lie apart from it.
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
}
