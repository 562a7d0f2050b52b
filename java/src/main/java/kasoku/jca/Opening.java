package kasoku.jca;

import java.lang.foreign.MemorySegment;
import javax.crypto.AEADBadTagException;

/** Decryption of a message. Updates only keep the ciphertext: there is no output before the tag is verified. */
final class Opening extends Message {
    private static final int WHOLE_TAG = 16;

    private final Bytes kept = new Bytes(false);

    Opening(NativeCipher cipher) {
        super(cipher);
    }

    @Override
    int outputSize(int length, boolean isLast) {
        return isLast ? Math.max(0, Math.addExact(kept.size(), length) - tagBytes) : 0;
    }

    @Override
    int update(MemorySegment in, MemorySegment out) {
        endAad();
        kept.add(in);
        return 0;
    }

    @Override
    void checkLast(int length) throws AEADBadTagException {
        if ((long) kept.size() + length < tagBytes) {
            clear();
            throw new AEADBadTagException("Input data too short to contain an expected tag length of " + tagBytes
                    + "bytes");
        }
    }

    @Override
    int finish(byte[] in, int inAt, int length, byte[] out, int outAt) throws AEADBadTagException {
        int bytes = length - tagBytes;
        boolean isWhole = kept.size() == 0 && tagBytes == WHOLE_TAG && !cipher.isSiv() && fitsOneCall(bytes);
        if (!isWhole || !areInPlaceOrApart(in, inAt, out, outAt, bytes)) {
            return finish(MemorySegment.ofArray(in).asSlice(inAt, length), MemorySegment.ofArray(out).asSlice(outAt));
        }
        System.arraycopy(in, inAt + bytes, tag, 0, WHOLE_TAG);
        int code = cipher.open(nonce, aad.array(), aad.size(), in, inAt, bytes, tag, out, outAt);
        clear();
        verified(code);
        return bytes;
    }

    @Override
    int finish(MemorySegment in, MemorySegment out) throws AEADBadTagException {
        try {
            MemorySegment message = in;
            if (kept.size() > 0) {
                kept.add(in);
                message = kept.segment();
            }
            long bytes = message.byteSize() - tagBytes;
            MemorySegment text = out.asSlice(0, bytes);
            MemorySegment.copy(message, bytes, MemorySegment.ofArray(tag), 0, tagBytes);
            MemorySegment source = keptApart(message.asSlice(0, bytes), text);
            if (tagBytes < WHOLE_TAG) {
                openByShortTag(source, text);
            } else if (fitsOneCall(bytes)) {
                verified(cipher.open(nonce, aad.array(), aad.size(), source, tag, text));
            } else {
                openInPieces(source, text);
            }
            return (int) bytes;
        } finally {
            clear();
        }
    }

    @Override
    void clear() {
        super.clear();
        kept.clear();
    }

    private void openInPieces(MemorySegment in, MemorySegment out) throws AEADBadTagException {
        boolean isVerified = false;
        try {
            cipher.begin(StreamingCalls.OPENING, nonce, aad);
            cipher.text(in, out);
            verified(cipher.finish(tag));
            isVerified = true;
        } finally {
            if (!isVerified) {
                out.fill((byte) 0);
            }
        }
    }

    /**
     * Opens a message with a truncated tag, which the library does not support: decrypts the text with the keystream,
     * encrypts it again for the full tag, and compares the first bytes.
     */
    private void openByShortTag(MemorySegment in, MemorySegment out) throws AEADBadTagException {
        boolean isVerified = false;
        try {
            byte[] whole = new byte[WHOLE_TAG];
            cipher.begin(StreamingCalls.SEALING, nonce, aad);
            cipher.text(in, out);
            cipher.begin(StreamingCalls.SEALING, nonce, aad);
            cipher.authenticate(out);
            Calls.check(cipher.finish(whole));
            int difference = 0;
            for (int at = 0; at < tagBytes; at++) {
                difference |= whole[at] ^ tag[at];
            }
            verified(difference == 0 ? Calls.OK : Calls.AUTHENTICATION);
            isVerified = true;
        } finally {
            if (!isVerified) {
                out.fill((byte) 0);
            }
        }
    }

    private static void verified(int code) throws AEADBadTagException {
        if (code == Calls.AUTHENTICATION) {
            throw new AEADBadTagException("Tag mismatch");
        }
        Calls.check(code);
    }
}
