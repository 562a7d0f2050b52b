package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Encryption of a message with AES-GCM. Updates return whole blocks; the end returns the rest and the tag. */
final class Sealing extends Message {
    private static final int BLOCK = 16;

    /** Plaintext that does not fill a block yet. */
    private final byte[] rest = new byte[BLOCK];
    private int restBytes;
    private boolean isNonceUsed;

    Sealing(NativeCipher cipher) {
        super(cipher);
    }

    @Override
    void start(byte[] newNonce, int newTagBytes) {
        super.start(newNonce, newTagBytes);
        isNonceUsed = false;
    }

    @Override
    void addAad(byte[] bytes, int at, int length) {
        refuseUsedNonce();
        super.addAad(bytes, at, length);
    }

    @Override
    int outputSize(int length, boolean isLast) {
        int all = Math.addExact(restBytes, length);
        return isLast ? Math.addExact(all, tagBytes) : all - all % BLOCK;
    }

    @Override
    int update(MemorySegment in, MemorySegment out) {
        refuseUsedNonce();
        endAad();
        int length = (int) in.byteSize();
        int blocks = outputSize(length, false);
        if (blocks == 0) {
            keepRest(in);
            return 0;
        }
        int taken = blocks - restBytes;
        MemorySegment source = in.asSlice(0, taken);
        MemorySegment last = in.asSlice(taken);
        try {
            byte[] copyOfLast = last.toArray(ValueLayout.JAVA_BYTE);
            addText(source, out.asSlice(0, blocks));
            keepRest(MemorySegment.ofArray(copyOfLast));
            Arrays.fill(copyOfLast, (byte) 0);
        } catch (RuntimeException | Error broken) {
            end();
            throw broken;
        }
        return blocks;
    }

    @Override
    void checkLast(int length) {
        refuseUsedNonce();
    }

    @Override
    int finish(byte[] in, int inAt, int length, byte[] out, int outAt) {
        boolean isWhole = restBytes == 0 && !cipher.isStreaming() && fitsOneCall(length);
        if (!isWhole || !areInPlaceOrApart(in, inAt, out, outAt, length)) {
            return finish(MemorySegment.ofArray(in).asSlice(inAt, length), MemorySegment.ofArray(out).asSlice(outAt));
        }
        Calls.check(cipher.seal(nonce, aad.array(), aad.size(), in, inAt, length, out, outAt, tag));
        System.arraycopy(tag, 0, out, outAt + length, tagBytes);
        end();
        return length + tagBytes;
    }

    @Override
    int finish(MemorySegment in, MemorySegment out) {
        int bytes = restBytes + (int) in.byteSize();
        MemorySegment text = out.asSlice(0, bytes);
        try {
            if (restBytes == 0 && !cipher.isStreaming() && fitsOneCall(bytes)) {
                MemorySegment source = keptApart(in, text);
                try {
                    Calls.check(cipher.seal(nonce, aad.array(), aad.size(), source, text, tag));
                } finally {
                    wipeCopy(in, source);
                }
            } else {
                addText(in, text);
                Calls.check(cipher.finish(tag));
            }
        } finally {
            end();
        }
        MemorySegment.copy(MemorySegment.ofArray(tag), 0, out, bytes, tagBytes);
        return bytes + tagBytes;
    }

    @Override
    void clear() {
        super.clear();
        Arrays.fill(rest, (byte) 0);
        restBytes = 0;
    }

    /** Encrypts the kept plaintext and {@code in}. */
    private void addText(MemorySegment in, MemorySegment out) {
        if (!cipher.isStreaming()) {
            cipher.begin(StreamingCalls.SEALING, nonce, aad);
        }
        MemorySegment source = keptApart(in, out);
        try {
            cipher.text(MemorySegment.ofArray(rest).asSlice(0, restBytes), out.asSlice(0, restBytes));
            cipher.text(source, out.asSlice(restBytes));
        } finally {
            wipeCopy(in, source);
        }
        restBytes = 0;
    }

    private void keepRest(MemorySegment bytes) {
        int length = (int) bytes.byteSize();
        MemorySegment.copy(bytes, 0, MemorySegment.ofArray(rest), restBytes, length);
        restBytes += length;
    }

    private void end() {
        clear();
        isNonceUsed = true;
    }

    private void refuseUsedNonce() {
        if (isNonceUsed) {
            throw new IllegalStateException("Must use either different key or  iv for GCM encryption");
        }
    }
}
