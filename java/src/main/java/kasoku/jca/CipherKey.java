package kasoku.jca;

import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Arrays;
import javax.crypto.spec.SecretKeySpec;

/**
 * The expanded key of a cipher in native memory. A key that is used for the second time stays there; until then it is
 * freed after each message. Otherwise programs with a new cipher for each message would fill native memory before the
 * garbage collector, which sees little of it, runs.
 */
final class CipherKey {
    private final NativeCipher cipher;
    private final int keyBytes;
    /** The key object expanded last, if it is immutable. */
    private SecretKeySpec expanded;
    private boolean isKept;
    private byte[] fingerprint;

    CipherKey(NativeCipher cipher, int keyBytes) {
        this.cipher = cipher;
        this.keyBytes = keyBytes;
    }

    void set(Key key) throws InvalidKeyException {
        if (expanded != null && key == expanded && !expanded.isDestroyed()) {
            isKept = true;
            ensure();
            return;
        }
        expanded = null;
        isKept = false;
        fingerprint = null;
        byte[] encoded = encoded(key);
        try {
            check(key, encoded);
            cipher.setKey(encoded);
        } finally {
            Arrays.fill(encoded, (byte) 0);
        }
        // Other classes, also derived ones, may return other bytes the next time.
        if (key.getClass() == SecretKeySpec.class) {
            expanded = (SecretKeySpec) key;
        }
    }

    /** Ensures that the key is in native memory for the next message. */
    void ensure() {
        if (expanded != null && !cipher.hasKey()) {
            byte[] encoded = expanded.getEncoded();
            cipher.setKey(encoded);
            Arrays.fill(encoded, (byte) 0);
            isKept = true;
        }
    }

    /**
     * Frees the key at the end of a message unless it is kept. A key that cannot be expanded again stays until a
     * message is sealed, since sealing then needs a new initialization anyway.
     */
    void release(boolean isSealed) {
        if (!isKept && (expanded != null || isSealed)) {
            cipher.freeKey();
        }
    }

    byte[] fingerprint() {
        if (fingerprint == null) {
            fingerprint = cipher.fingerprint();
        }
        return fingerprint;
    }

    static int bits(Key key) throws InvalidKeyException {
        byte[] encoded = encoded(key);
        Arrays.fill(encoded, (byte) 0);
        checkLength(encoded);
        return encoded.length * 8;
    }

    private void check(Key key, byte[] encoded) throws InvalidKeyException {
        if (keyBytes != 0 && encoded.length != keyBytes) {
            throw new InvalidKeyException("The key must be " + keyBytes + " bytes");
        }
        String algorithm = key.getAlgorithm();
        if (!"AES".equalsIgnoreCase(algorithm) && !"Rijndael".equalsIgnoreCase(algorithm)) {
            throw new InvalidKeyException("Wrong algorithm: AES or Rijndael required");
        }
        checkLength(encoded);
        if (cipher.isSiv() && encoded.length == 24) {
            throw new InvalidKeyException("AES-GCM-SIV has no keys of 24 bytes");
        }
    }

    private static byte[] encoded(Key key) throws InvalidKeyException {
        if (key == null) {
            throw new InvalidKeyException("The key must not be null");
        }
        byte[] encoded = key.getEncoded();
        if (encoded == null) {
            throw new InvalidKeyException("Key encoding must not be null");
        }
        return encoded;
    }

    private static void checkLength(byte[] encoded) throws InvalidKeyException {
        if (encoded.length != 16 && encoded.length != 24 && encoded.length != 32) {
            throw new InvalidKeyException("Invalid AES key length: " + encoded.length + " bytes");
        }
    }
}
