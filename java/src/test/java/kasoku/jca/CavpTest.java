package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests NIST's CAVP vectors, each in the next {@link Shape}. Tags of less than 96 bits are rejected, as by SunJCE. */
class CavpTest {
    private static final int VECTORS_IN_A_FILE = 7875;

    private final Cipher cipher = cipher();

    @ParameterizedTest
    @ValueSource(ints = {128, 192, 256})
    void cavpSealingVectorsPass(int keyBits) throws Exception {
        assertEquals(VECTORS_IN_A_FILE, each("gcmEncryptExtIV" + keyBits + ".rsp", (number, vector) -> {
            Cipher sealing = Aes.sealing(cipher, vector.key(), vector.parameters());
            assertArrayEquals(vector.sealed(), shape(number).message(sealing, vector.hex("AAD"), vector.hex("PT")));
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 192, 256})
    void cavpOpeningVectorsPass(int keyBits) throws Exception {
        assertEquals(VECTORS_IN_A_FILE, each("gcmDecrypt" + keyBits + ".rsp", (number, vector) -> {
            Cipher opening = Aes.opening(cipher, vector.key(), vector.parameters());
            if (vector.fields.containsKey("FAIL")) {
                assertThrows(AEADBadTagException.class,
                        () -> shape(number).message(opening, vector.hex("AAD"), vector.sealed()));
            } else {
                assertArrayEquals(vector.hex("PT"),
                        shape(number).message(opening, vector.hex("AAD"), vector.sealed()));
            }
        }));
    }

    private interface Check {
        void accept(int number, Vector vector) throws Exception;
    }

    private record Vector(Map<String, String> fields) {
        SecretKey key() {
            return new SecretKeySpec(hex("Key"), "AES");
        }

        GCMParameterSpec parameters() {
            return new GCMParameterSpec(8 * hex("Tag").length, hex("IV"));
        }

        byte[] sealed() {
            return HexFormat.of().parseHex(fields.get("CT") + fields.get("Tag"));
        }

        byte[] hex(String field) {
            return HexFormat.of().parseHex(fields.get(field));
        }
    }

    private int each(String name, Check check) throws Exception {
        Path file = Fetched.file("target/vectors/cavp/" + name, "vectors/fetch_cavp.sh");
        Map<String, String> fields = new HashMap<>();
        int count = 0;
        for (String line : (Files.readString(file) + "\nCount = end").lines().toList()) {
            if (line.startsWith("Count")) {
                if (fields.containsKey("Key")) {
                    one(count++, new Vector(fields), check);
                }
                fields.clear();
            } else if (!line.startsWith("[") && !line.startsWith("#")) {
                String[] parts = line.split("=", 2);
                fields.put(parts[0].strip(), parts.length == 2 ? parts[1].strip() : "");
            }
        }
        return count;
    }

    private void one(int number, Vector vector, Check check) throws Exception {
        if (vector.hex("Tag").length < 12) {
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> Aes.opening(cipher, vector.key(), vector.parameters()));
        } else {
            check.accept(number, vector);
        }
    }

    private static Shape shape(int number) {
        return Shape.values()[number % Shape.values().length];
    }

    private static Cipher cipher() {
        try {
            return Aes.kasoku();
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }
}
