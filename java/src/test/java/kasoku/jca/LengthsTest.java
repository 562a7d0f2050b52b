package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.api.Test;

/** Compares results with SunJCE for many lengths of text, also around the boundaries of native calls. */
class LengthsTest {
    private static final int[] KEYS = {16, 24, 32};

    private final Cipher kasoku;

    LengthsTest() throws Exception {
        kasoku = Aes.kasoku();
    }

    @Test
    void resultsEqualSunJceForAllLengthsUpTo4200() throws Exception {
        for (int length = 0; length <= 4200; length++) {
            check(length, length % 50, Shape.INTO_ARRAY, 128 - 8 * (length % 5));
        }
    }

    @Test
    void resultsEqualSunJceAroundPieceBoundaries() throws Exception {
        for (int length : new int[] {Pieces.BYTES, 2 * Pieces.BYTES, 1 << 16, 1 << 20}) {
            for (int more = -17; more <= 17; more += 17) {
                for (Shape shape : Shape.values()) {
                    check(length + more, 20, shape, 128);
                }
                check(length + more, 20, Shape.IN_PLACE, 96);
            }
        }
    }

    @Test
    void resultsEqualSunJceForLongAad() throws Exception {
        for (int length : new int[] {1000, Pieces.BYTES - 100, Pieces.BYTES, Pieces.BYTES + 1, 3 * Pieces.BYTES + 5}) {
            check(0, length, Shape.RETURNED, 128);
            check(100, length, Shape.DIRECT_BUFFERS, 128);
            check(40, length, Shape.IN_PLACE, 104);
        }
    }

    private void check(int length, int aadLength, Shape shape, int tagBits) throws Exception {
        SecretKey key = Aes.key(KEYS[length % 3], length);
        GCMParameterSpec parameters = Aes.parameters(tagBits, 31L * length + aadLength + 7L * shape.ordinal());
        byte[] aad = Aes.bytes(aadLength, 1);
        byte[] text = Aes.bytes(length, 2);
        byte[] sealed = Aes.sealed(key, parameters, aad, text);
        String what = length + " bytes, " + shape;
        assertArrayEquals(sealed, shape.message(Aes.sealing(kasoku, key, parameters), aad, text), what);
        assertArrayEquals(text, shape.message(Aes.opening(kasoku, key, parameters), aad, sealed), what);
        sealed[(length * 7) % sealed.length] ^= 1;
        byte[] out = new byte[length];
        Arrays.fill(out, (byte) 1);
        kasoku.updateAAD(aad);
        assertThrows(AEADBadTagException.class, () -> kasoku.doFinal(sealed, 0, sealed.length, out), what);
        assertArrayEquals(new byte[length], out, what);
    }
}
