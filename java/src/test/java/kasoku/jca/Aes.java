package kasoku.jca;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Fixtures of the tests: both providers, keys, nonces, and pseudorandom bytes. */
final class Aes {
    static final String GCM = "AES/GCM/NoPadding";
    static final String GCM_SIV = "AES/GCM-SIV/NoPadding";
    static final Provider KASOKU = available();
    static final Provider SUN = Security.getProvider("SunJCE");

    private Aes() {}

    static Cipher kasoku() throws GeneralSecurityException {
        return Cipher.getInstance(GCM, KASOKU);
    }

    static Cipher siv() throws GeneralSecurityException {
        return Cipher.getInstance(GCM_SIV, KASOKU);
    }

    static Cipher sun() throws GeneralSecurityException {
        return Cipher.getInstance(GCM, SUN);
    }

    static Cipher sealing(Cipher cipher, SecretKey key, GCMParameterSpec parameters) throws GeneralSecurityException {
        cipher.init(Cipher.ENCRYPT_MODE, key, parameters);
        return cipher;
    }

    static Cipher opening(Cipher cipher, SecretKey key, GCMParameterSpec parameters) throws GeneralSecurityException {
        cipher.init(Cipher.DECRYPT_MODE, key, parameters);
        return cipher;
    }

    /** Returns ciphertext and tag by SunJCE. */
    static byte[] sealed(SecretKey key, GCMParameterSpec parameters, byte[] aad, byte[] text)
            throws GeneralSecurityException {
        Cipher cipher = sealing(sun(), key, parameters);
        cipher.updateAAD(aad);
        return cipher.doFinal(text);
    }

    static SecretKey key(int bytes, long seed) {
        return new SecretKeySpec(bytes(bytes, seed), "AES");
    }

    static GCMParameterSpec parameters(int tagBits, long nonce) {
        return new GCMParameterSpec(tagBits, bytes(12, nonce));
    }

    static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Provider available() {
        KasokuProvider.unavailableBecause().ifPresent(reason -> {
            throw new AssertionError(reason);
        });
        return new KasokuProvider();
    }
}
