package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** Tests AES-GCM-SIV: results against Bouncy Castle, keys, nonces, exceptions, and the state after exceptions. */
class SivTest {
    private static final Provider BOUNCY_CASTLE = new BouncyCastleProvider();
    private static final int[] KEYS = {16, 32};
    private static final int NONCE_BYTES = 12;
    private static final byte[] TEXT = Aes.bytes(100, 1);
    private static final byte[] AAD = Aes.bytes(13, 2);

    private final SecretKey key = Aes.key(32, 3);
    private final GCMParameterSpec nonce = Aes.parameters(128, 1);
    private final Cipher cipher;

    SivTest() throws Exception {
        cipher = Aes.siv();
    }

    @Test
    void resultsEqualBouncyCastleForRandomLengthsAndAllKindsOfCalls() throws Exception {
        Random random = new Random(1);
        for (int message = 0; message < 2000; message++) {
            check(random.nextInt(random.nextInt(4) == 0 ? 5000 : 300), random.nextInt(random.nextInt(60) + 1),
                    Shape.values()[message % Shape.values().length], message);
        }
    }

    @Test
    void resultsEqualBouncyCastleAroundLimitOfCriticalCalls() throws Exception {
        for (int length : new int[] {SivCalls.CRITICAL_BYTES, 2 * SivCalls.CRITICAL_BYTES, 1 << 20}) {
            for (int more = -17; more <= 17; more += 17) {
                for (Shape shape : Shape.values()) {
                    check(length + more, 20, shape, more);
                }
            }
            check(0, length, Shape.RETURNED, 1);
            check(50, length, Shape.IN_PLACE, 1);
        }
    }

    private void check(int length, int aadLength, Shape shape, int seed) throws Exception {
        SecretKey other = Aes.key(KEYS[seed & 1], seed);
        GCMParameterSpec parameters = Aes.parameters(128, seed);
        byte[] aad = Aes.bytes(aadLength, 1);
        byte[] text = Aes.bytes(length, 2);
        Cipher reference = Aes.sealing(Cipher.getInstance(Aes.GCM_SIV, BOUNCY_CASTLE), other, parameters);
        reference.updateAAD(aad);
        byte[] sealed = reference.doFinal(text);
        String what = length + " bytes, " + aadLength + " of AAD, " + shape;
        assertArrayEquals(sealed, shape.message(Aes.sealing(cipher, other, parameters), aad, text), what);
        assertArrayEquals(text, shape.message(Aes.opening(cipher, other, parameters), aad, sealed), what);
        sealed[(length * 7) % sealed.length] ^= 1;
        byte[] out = Aes.bytes(length, 3);
        cipher.updateAAD(aad);
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, out), what);
        assertArrayEquals(new byte[length], out, what);
    }

    @Test
    void sealingAllowsRepeatedNonces() throws Exception {
        byte[] sealed = Aes.sealing(cipher, key, nonce).doFinal(TEXT);
        assertArrayEquals(sealed, cipher.doFinal(TEXT), "without an initialization");
        assertArrayEquals(sealed, Aes.sealing(cipher, key, nonce).doFinal(TEXT), "with the same key object");
        SecretKey equal = new SecretKeySpec(key.getEncoded(), "AES");
        assertArrayEquals(sealed, Aes.sealing(cipher, equal, nonce).doFinal(TEXT), "with an equal key");
    }

    @Test
    void updatesReturnNothing() throws Exception {
        byte[] out = new byte[TEXT.length];
        byte[] sealed = Aes.sealing(cipher, key, nonce).doFinal(TEXT);
        assertEquals(0, cipher.update(TEXT, 0, 70, out));
        assertEquals(TEXT.length + 16, cipher.getOutputSize(30));
        assertArrayEquals(sealed, cipher.doFinal(TEXT, 70, 30));
        Aes.opening(cipher, key, nonce);
        assertEquals(0, cipher.update(sealed, 0, 70, out));
        assertArrayEquals(new byte[TEXT.length], out);
        assertArrayEquals(TEXT, cipher.doFinal(sealed, 70, sealed.length - 70));
    }

    @Test
    void cipherRejectsUnsupportedKeys() throws Exception {
        for (int bytes : new int[] {1, 15, 17, 24, 33}) {
            assertThrows(InvalidKeyException.class, () -> Aes.sealing(cipher, Aes.key(bytes, 1), nonce));
            assertThrows(IllegalStateException.class, () -> cipher.doFinal(TEXT));
        }
        assertThrows(InvalidKeyException.class,
                () -> Aes.sealing(cipher, new SecretKeySpec(TEXT, 0, 16, "DES"), nonce));
        for (int bytes : KEYS) {
            Cipher fixed = Cipher.getInstance("AES_" + bytes * 8 + "/GCM-SIV/NoPadding", Aes.KASOKU);
            assertThrows(InvalidKeyException.class, () -> Aes.sealing(fixed, Aes.key(48 - bytes, 1), nonce));
            byte[] sealed = Aes.sealing(cipher, Aes.key(bytes, 1), nonce).doFinal(TEXT);
            assertArrayEquals(sealed, Aes.sealing(fixed, Aes.key(bytes, 1), nonce).doFinal(TEXT));
        }
        assertThrows(NoSuchAlgorithmException.class,
                () -> Cipher.getInstance("AES_192/GCM-SIV/NoPadding", Aes.KASOKU));
    }

    @Test
    void cipherRejectsUnsupportedNoncesAndTagLengths() throws Exception {
        Aes.sealing(cipher, key, nonce);
        for (int bytes : new int[] {0, 1, 11, 13, 16}) {
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.sealing(cipher, key, new GCMParameterSpec(128, new byte[bytes])));
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.opening(cipher, key, new GCMParameterSpec(128, new byte[bytes])));
        }
        for (int bits : new int[] {0, 64, 96, 104, 112, 120, 127, 136}) {
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.sealing(cipher, key, Aes.parameters(bits, 1)));
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.opening(cipher, key, Aes.parameters(bits, 1)));
        }
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[NONCE_BYTES])));
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, key));
        assertThrows(IllegalStateException.class, () -> cipher.doFinal(TEXT));
    }

    @Test
    void cipherRejectsAadAfterText() throws Exception {
        Aes.sealing(cipher, key, nonce).update(TEXT);
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(AAD));
        cipher.doFinal();
        cipher.updateAAD(AAD);
    }

    @Test
    void cipherContinuesAfterTooShortOutputBuffer() throws Exception {
        byte[] sealed = new byte[TEXT.length + 16];
        Aes.sealing(cipher, key, nonce).update(TEXT, 0, 33);
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(TEXT, 33, 67, sealed, 1));
        assertEquals(sealed.length, cipher.doFinal(TEXT, 33, 67, sealed));
        byte[] text = new byte[TEXT.length];
        Aes.opening(cipher, key, nonce).update(sealed, 0, 50);
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(sealed, 50, sealed.length - 50, text, 1));
        assertEquals(TEXT.length, cipher.doFinal(sealed, 50, sealed.length - 50, text));
        assertArrayEquals(TEXT, text);
    }

    @Test
    void cipherOpensNextMessageAfterForgery() throws Exception {
        byte[] sealed = Shape.RETURNED.message(Aes.sealing(cipher, key, nonce), AAD, TEXT);
        Aes.opening(cipher, key, nonce);
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed), "without its AAD");
        for (int length = 0; length < sealed.length; length++) {
            byte[] truncated = Arrays.copyOf(sealed, length);
            cipher.updateAAD(AAD);
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(truncated));
        }
        assertArrayEquals(TEXT, Shape.PIECES.message(cipher, AAD, sealed));
    }

    @Test
    void cipherAcceptsAndReturnsGcmParameters() throws Exception {
        assertNull(cipher.getIV());
        cipher.init(Cipher.ENCRYPT_MODE, key);
        byte[] sealed = cipher.doFinal(TEXT);
        GCMParameterSpec spec = cipher.getParameters().getParameterSpec(GCMParameterSpec.class);
        assertArrayEquals(cipher.getIV(), spec.getIV());
        assertEquals(NONCE_BYTES, spec.getIV().length);
        assertEquals(128, spec.getTLen());
        assertEquals(Aes.GCM_SIV, cipher.getAlgorithm());
        Cipher opening = Aes.siv();
        opening.init(Cipher.DECRYPT_MODE, key, cipher.getParameters());
        assertArrayEquals(TEXT, opening.doFinal(sealed));
    }

    @Test
    void cipherWrapsAndUnwrapsKeys() throws Exception {
        cipher.init(Cipher.WRAP_MODE, key, nonce);
        byte[] wrapped = cipher.wrap(Aes.key(16, 7));
        cipher.init(Cipher.UNWRAP_MODE, key, nonce);
        assertEquals(Aes.key(16, 7), cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
        wrapped[0] ^= 1;
        assertThrows(InvalidKeyException.class, () -> cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
    }

    @Test
    void keptPlaintextIsWipedWhenTheBufferGrowsAndWhenItIsCleared() {
        Bytes kept = new Bytes(true);
        kept.add(TEXT, 0, 60);
        byte[] small = kept.array();
        kept.add(TEXT, 60, 40);
        byte[] large = kept.array();
        assertArrayEquals(new byte[60], small);
        assertArrayEquals(TEXT, Arrays.copyOf(large, TEXT.length));
        kept.clear();
        assertArrayEquals(new byte[large.length], large);
    }
}
