package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.security.InvalidAlgorithmParameterException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the vectors of Project Wycheproof. Those of AES-GCM-SIV include the vectors of RFC 8452. */
class WycheproofTest {
    @ParameterizedTest
    @CsvSource({
        Aes.GCM + ", aes_gcm_test.json, 229, 81, 6",
        Aes.GCM_SIV + ", aes_gcm_siv_test.json, 136, 66, 0"
    })
    void wycheproofVectorsPassForAllKindsOfCalls(String algorithm, String name, int allValid, int allInvalid,
            int allEmptyNonces) throws Exception {
        int valid = 0;
        int invalid = 0;
        int emptyNonces = 0;
        String json = Files.readString(
                Fetched.file("target/vectors/wycheproof/" + name, "vectors/fetch_wycheproof.sh"));
        for (JsonElement group : JsonParser.parseString(json).getAsJsonObject().getAsJsonArray("testGroups")) {
            assertEquals(128, group.getAsJsonObject().get("tagSize").getAsInt());
            for (JsonElement element : group.getAsJsonObject().getAsJsonArray("tests")) {
                JsonObject test = element.getAsJsonObject();
                SecretKey key = new SecretKeySpec(hex(test, "key"), "AES");
                GCMParameterSpec parameters = new GCMParameterSpec(128, hex(test, "iv"));
                boolean isValid = test.get("result").getAsString().equals("valid");
                if (parameters.getIV().length == 0) {
                    assertThrows(InvalidAlgorithmParameterException.class,
                            () -> Aes.kasoku().init(Cipher.ENCRYPT_MODE, key, parameters));
                    emptyNonces++;
                } else if (isValid) {
                    checkValid(algorithm, test, key, parameters);
                    valid++;
                } else {
                    checkInvalid(algorithm, test, key, parameters);
                    invalid++;
                }
            }
        }
        assertEquals(allValid, valid);
        assertEquals(allInvalid, invalid);
        assertEquals(allEmptyNonces, emptyNonces);
    }

    private static void checkValid(String algorithm, JsonObject test, SecretKey key, GCMParameterSpec parameters)
            throws Exception {
        byte[] text = hex(test, "msg");
        byte[] sealed = sealed(test);
        for (Shape shape : Shape.values()) {
            String what = "case " + test.get("tcId") + " " + shape;
            Cipher cipher = Aes.sealing(Cipher.getInstance(algorithm, Aes.KASOKU), key, parameters);
            assertArrayEquals(sealed, shape.message(cipher, hex(test, "aad"), text), what);
            Aes.opening(cipher, key, parameters);
            assertArrayEquals(text, shape.message(cipher, hex(test, "aad"), sealed), what);
        }
    }

    private static void checkInvalid(String algorithm, JsonObject test, SecretKey key, GCMParameterSpec parameters)
            throws Exception {
        byte[] sealed = sealed(test);
        for (Shape shape : Shape.values()) {
            Cipher cipher = Aes.opening(Cipher.getInstance(algorithm, Aes.KASOKU), key, parameters);
            assertThrows(AEADBadTagException.class, () -> shape.message(cipher, hex(test, "aad"), sealed),
                    () -> "case " + test.get("tcId") + " " + shape);
        }
        byte[] out = new byte[sealed.length - 16];
        Arrays.fill(out, (byte) 1);
        Cipher cipher = Aes.opening(Cipher.getInstance(algorithm, Aes.KASOKU), key, parameters);
        cipher.updateAAD(hex(test, "aad"));
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, out));
        assertTrue(Arrays.equals(out, new byte[out.length]), "a forgery leaves zeros");
    }

    private static byte[] sealed(JsonObject test) {
        return HexFormat.of().parseHex(test.get("ct").getAsString() + test.get("tag").getAsString());
    }

    private static byte[] hex(JsonObject test, String field) {
        return HexFormat.of().parseHex(test.get(field).getAsString());
    }
}
