package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Tests the behaviour of a cipher apart from its results: keys, nonces, exceptions, and the state after exceptions. */
class SemanticsTest {
    private static final byte[] TEXT = Aes.bytes(100, 1);
    private static final byte[] AAD = Aes.bytes(13, 2);

    private final SecretKey key = Aes.key(16, 3);
    private final Cipher cipher;

    SemanticsTest() throws Exception {
        cipher = Aes.kasoku();
    }

    @Test
    void sealingRejectsRepeatedKeyAndNonce() throws Exception {
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        Aes.sealing(cipher, key, nonce);
        SecretKey equal = new SecretKeySpec(key.getEncoded(), "AES");
        for (SecretKey same : new SecretKey[] {key, equal}) {
            var refused = assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.sealing(cipher, same, nonce));
            assertEquals("Cannot reuse iv for GCM encryption", refused.getMessage());
            assertThrows(IllegalStateException.class, () -> cipher.doFinal(TEXT));
        }
        Aes.opening(cipher, Aes.key(32, 4), nonce);
        assertThrows(InvalidAlgorithmParameterException.class, () -> Aes.sealing(cipher, equal, nonce));
        Aes.sealing(cipher, Aes.key(16, 5), nonce).doFinal(TEXT);
        Aes.sealing(cipher, key, nonce).doFinal(TEXT);
        var ended = assertThrows(IllegalStateException.class, () -> cipher.update(TEXT));
        assertEquals("Must use either different key or  iv for GCM encryption", ended.getMessage());
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(AAD));
    }

    @Test
    void cipherExpandsMutableKeysForEachInitialization() throws Exception {
        class Changing implements SecretKey {
            private static final long serialVersionUID = 1;
            private long seed;

            @Override
            public String getAlgorithm() {
                return "AES";
            }

            @Override
            public String getFormat() {
                return "RAW";
            }

            @Override
            public byte[] getEncoded() {
                return seed < 0 ? null : Aes.bytes(16, seed);
            }
        }

        Changing changing = new Changing();
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        for (changing.seed = 0; changing.seed < 3; changing.seed++) {
            byte[] expected = Aes.sealed(Aes.key(16, changing.seed), nonce, AAD, TEXT);
            assertArrayEquals(expected, Shape.RETURNED.message(Aes.sealing(cipher, changing, nonce), AAD, TEXT));
        }
        changing.seed = -1;
        assertThrows(InvalidKeyException.class, () -> Aes.sealing(cipher, changing, Aes.parameters(128, 2)));
    }

    @Test
    void cipherKeepsNativeKeyFromItsSecondUse() throws Exception {
        NativeCipher memory = new NativeCipher(false);
        CipherKey held = new CipherKey(memory, 0);
        held.set(key);
        held.ensure();
        held.release(true);
        assertEquals(false, memory.hasKey(), "one message");
        held.ensure();
        held.release(false);
        assertEquals(true, memory.hasKey(), "another without an initialization");
        held.set(Aes.key(16, 8));
        held.release(false);
        assertEquals(false, memory.hasKey(), "another key");
        held.set(key);
        held.set(key);
        held.release(true);
        assertEquals(true, memory.hasKey(), "the same twice");
        memory.freeKey();
    }

    @Test
    void cipherFreesKeysOfUnknownClassesAfterSealing() throws Exception {
        class Own implements SecretKey {
            private static final long serialVersionUID = 1;

            @Override
            public String getAlgorithm() {
                return key.getAlgorithm();
            }

            @Override
            public String getFormat() {
                return key.getFormat();
            }

            @Override
            public byte[] getEncoded() {
                return key.getEncoded();
            }
        }

        NativeCipher memory = new NativeCipher(false);
        CipherKey held = new CipherKey(memory, 0);
        held.set(new Own());
        held.release(false);
        assertEquals(true, memory.hasKey(), "who opens another message need not give it again");
        held.release(true);
        assertEquals(false, memory.hasKey(), "who seals another one gives a key");
    }

    @Test
    void cipherContinuesAfterTooShortOutputBuffer() throws Exception {
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        byte[] sealed = Aes.sealed(key, nonce, AAD, TEXT);
        Aes.sealing(cipher, key, nonce).updateAAD(AAD);
        byte[] first = cipher.update(TEXT, 0, 33);
        byte[] last = new byte[TEXT.length - 32 + 16];
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(TEXT, 33, 67, last, 1));
        assertThrows(ShortBufferException.class,
                () -> cipher.doFinal(ByteBuffer.wrap(TEXT, 33, 67), ByteBuffer.allocateDirect(last.length - 1)));
        assertEquals(last.length, cipher.doFinal(TEXT, 33, 67, last));
        assertArrayEquals(Arrays.copyOf(sealed, 32), first);
        assertArrayEquals(Arrays.copyOfRange(sealed, 32, sealed.length), last);

        Aes.opening(cipher, key, nonce).updateAAD(AAD);
        cipher.update(sealed, 0, 50);
        byte[] text = new byte[TEXT.length];
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(sealed, 50, sealed.length - 50, text, 1));
        assertEquals(TEXT.length, cipher.doFinal(sealed, 50, sealed.length - 50, text));
        assertArrayEquals(TEXT, text);
    }

    @Test
    void cipherOpensNextMessageAfterForgery() throws Exception {
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        byte[] sealed = Aes.sealed(key, nonce, AAD, TEXT);
        Aes.opening(cipher, key, nonce);
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed));
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(new byte[15]));
        assertArrayEquals(TEXT, Shape.IN_PLACE.message(cipher, AAD, sealed));
        assertArrayEquals(TEXT, Shape.PIECES.message(cipher, AAD, sealed), "and once more");
    }

    @Test
    void openingForgeryInPlaceLeavesZeros() throws Exception {
        for (int tagBits : new int[] {128, 96}) {
            for (int length : new int[] {40, Pieces.BYTES + 40}) {
                GCMParameterSpec nonce = Aes.parameters(tagBits, length);
                byte[] sealed = Aes.sealed(key, nonce, AAD, new byte[length]);
                sealed[sealed.length - 1] ^= 1;
                Aes.opening(cipher, key, nonce).updateAAD(AAD);
                assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, sealed));
                assertArrayEquals(new byte[length], Arrays.copyOf(sealed, length));
            }
        }
    }

    @Test
    void cipherReportsRandomNonceAndParameters() throws Exception {
        assertNull(cipher.getIV());
        cipher.init(Cipher.ENCRYPT_MODE, key);
        byte[] random = cipher.getIV();
        assertEquals(12, random.length);
        var spec = cipher.getParameters().getParameterSpec(GCMParameterSpec.class);
        assertArrayEquals(random, spec.getIV());
        assertEquals(128, spec.getTLen());
        byte[] sealed = cipher.doFinal(TEXT);
        Cipher sun = Aes.sun();
        sun.init(Cipher.DECRYPT_MODE, key, cipher.getParameters());
        assertArrayEquals(TEXT, sun.doFinal(sealed));
        sun.init(Cipher.ENCRYPT_MODE, key);
        cipher.init(Cipher.DECRYPT_MODE, key, sun.getParameters());
        assertArrayEquals(TEXT, cipher.doFinal(sun.doFinal(TEXT)));
        assertEquals(16, cipher.getBlockSize());
        assertEquals(Aes.GCM, cipher.getAlgorithm());
    }

    @Test
    void cipherRejectsUnsupportedKeysAndParameters() throws Exception {
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        assertThrows(InvalidKeyException.class, () -> Aes.sealing(cipher, Aes.key(17, 1), nonce));
        assertThrows(InvalidKeyException.class,
                () -> Aes.sealing(cipher, new SecretKeySpec(TEXT, 0, 16, "DES"), nonce));
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, key));
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[16])));
        Cipher aes256 = Cipher.getInstance("AES_256/GCM/NoPadding", Aes.KASOKU);
        assertThrows(InvalidKeyException.class, () -> Aes.sealing(aes256, key, nonce));
        byte[] sealed = Aes.sealing(aes256, Aes.key(32, 1), nonce).doFinal(TEXT);
        assertArrayEquals(Aes.sealed(Aes.key(32, 1), nonce, new byte[0], TEXT), sealed);
    }

    @Test
    void cipherWrapsAndUnwrapsKeysLikeSunJce() throws Exception {
        GCMParameterSpec nonce = Aes.parameters(128, 9);
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        cipher.init(Cipher.WRAP_MODE, key, nonce);
        byte[] wrapped = cipher.wrap(pair.getPrivate());
        Cipher sun = Aes.sun();
        sun.init(Cipher.UNWRAP_MODE, key, nonce);
        assertEquals(pair.getPrivate(), sun.unwrap(wrapped, "EC", Cipher.PRIVATE_KEY));
        cipher.init(Cipher.UNWRAP_MODE, key, nonce);
        assertEquals(pair.getPrivate(), cipher.unwrap(wrapped, "EC", Cipher.PRIVATE_KEY));
        wrapped[0] ^= 1;
        assertThrows(InvalidKeyException.class, () -> cipher.unwrap(wrapped, "EC", Cipher.PRIVATE_KEY));

        cipher.init(Cipher.WRAP_MODE, key, Aes.parameters(128, 10));
        byte[] publicKey = cipher.wrap(pair.getPublic());
        cipher.init(Cipher.WRAP_MODE, key, Aes.parameters(128, 11));
        byte[] secretKey = cipher.wrap(Aes.key(32, 7));
        cipher.init(Cipher.UNWRAP_MODE, key, Aes.parameters(128, 10));
        assertEquals(pair.getPublic(), cipher.unwrap(publicKey, "EC", Cipher.PUBLIC_KEY));
        cipher.init(Cipher.UNWRAP_MODE, key, Aes.parameters(128, 11));
        assertEquals(Aes.key(32, 7), cipher.unwrap(secretKey, "AES", Cipher.SECRET_KEY));
    }

    @Test
    void cipherRejectsClosedAndConfinedMemory() throws Exception {
        ByteBuffer closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(200).asByteBuffer();
            ByteBuffer confined = closed.duplicate();
            GCMParameterSpec nonce = Aes.parameters(128, 1);
            Aes.sealing(cipher, key, nonce);
            CompletableFuture.runAsync(() -> assertThrows(WrongThreadException.class,
                    () -> cipher.doFinal(ByteBuffer.wrap(TEXT), confined))).get();
        }
        for (int read = 0; read < 100; read += 7) {
            Aes.sealing(cipher, key, Aes.parameters(128, 2 + read));
            int length = read;
            assertThrows(IllegalStateException.class,
                    () -> cipher.doFinal(ByteBuffer.wrap(TEXT, 0, length), closed.duplicate()));
        }
    }
}
