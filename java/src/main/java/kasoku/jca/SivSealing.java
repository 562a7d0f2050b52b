package kasoku.jca;

import java.lang.foreign.MemorySegment;

/**
 * Encryption of a message with AES-GCM-SIV. The first byte of ciphertext depends on the whole plaintext, so updates
 * only keep the plaintext.
 */
final class SivSealing extends Message {
    private final Bytes kept = new Bytes(true);

    SivSealing(NativeCipher cipher) {
        super(cipher);
    }

    @Override
    int outputSize(int length, boolean isLast) {
        return isLast ? Math.addExact(Math.addExact(kept.size(), length), tagBytes) : 0;
    }

    @Override
    int update(MemorySegment in, MemorySegment out) {
        endAad();
        kept.add(in);
        return 0;
    }

    @Override
    void checkLast(int length) {}

    @Override
    int finish(byte[] in, int inAt, int length, byte[] out, int outAt) {
        return finish(MemorySegment.ofArray(in).asSlice(inAt, length), MemorySegment.ofArray(out).asSlice(outAt));
    }

    @Override
    int finish(MemorySegment in, MemorySegment out) {
        try {
            MemorySegment text = in;
            if (kept.size() > 0) {
                kept.add(in);
                text = kept.segment();
            }
            int bytes = (int) text.byteSize();
            MemorySegment sealed = out.asSlice(0, bytes);
            MemorySegment source = keptApart(text, sealed);
            try {
                Calls.check(cipher.seal(nonce, aad.array(), aad.size(), source, sealed, tag));
            } finally {
                wipeCopy(text, source);
            }
            MemorySegment.copy(MemorySegment.ofArray(tag), 0, out, bytes, tagBytes);
            return bytes + tagBytes;
        } finally {
            clear();
        }
    }

    @Override
    void clear() {
        super.clear();
        kept.clear();
    }
}
