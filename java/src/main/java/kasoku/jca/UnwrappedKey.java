package kasoku.jca;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Creates keys from unwrapped bytes. */
final class UnwrappedKey {
    private UnwrappedKey() {}

    static Key of(byte[] encoded, String algorithm, int type) throws InvalidKeyException, NoSuchAlgorithmException {
        try {
            return switch (type) {
                case Cipher.SECRET_KEY -> new SecretKeySpec(encoded, algorithm);
                case Cipher.PRIVATE_KEY ->
                        KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
                case Cipher.PUBLIC_KEY ->
                        KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(encoded));
                default -> throw new NoSuchAlgorithmException("Unsupported key type");
            };
        } catch (InvalidKeySpecException other) {
            throw new InvalidKeyException("Cannot construct the key", other);
        }
    }
}
