package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersTest {
    @Test
    void parametersAreEncodedLikeSunJce() throws Exception {
        for (int tagBits = 96; tagBits <= 128; tagBits += 8) {
            for (int length : new int[] {1, 12, 120, 121, 127, 128, 250, 300, 70_000}) {
                GCMParameterSpec spec = new GCMParameterSpec(tagBits, Aes.bytes(length, length));
                AlgorithmParameters sun = AlgorithmParameters.getInstance("GCM", Aes.SUN);
                sun.init(spec);
                AlgorithmParameters ours = AlgorithmParameters.getInstance("GCM", Aes.KASOKU);
                ours.init(spec);
                assertArrayEquals(sun.getEncoded(), ours.getEncoded());
                AlgorithmParameters read = AlgorithmParameters.getInstance("GCM", Aes.KASOKU);
                read.init(sun.getEncoded());
                GCMParameterSpec again = read.getParameterSpec(GCMParameterSpec.class);
                assertEquals(tagBits, again.getTLen());
                assertArrayEquals(spec.getIV(), again.getIV());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "30", "3000", "3080", "300204", "30030401", "3003040a01", "300604010002010b", "3006040100020111",
        "30070401000202000c", "3003040100ff", "30040401000c", "308103040100", "30820003040100", "30ffffffffff",
        "3084ffffffff", "3103040100", "3003050100", "30060401000201ff", "3008040100020110aabb"
    })
    void parametersRejectMalformedEncodings(String encoded) throws Exception {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("GCM", Aes.KASOKU);
        assertThrows(IOException.class, () -> parameters.init(HexFormat.of().parseHex(encoded)));
    }

    @Test
    void parametersRejectRandomEncodingsOnlyWithIoException() throws Exception {
        AlgorithmParameters ours = AlgorithmParameters.getInstance("GCM", Aes.KASOKU);
        ours.init(new GCMParameterSpec(128, new byte[200]));
        byte[] right = ours.getEncoded();
        for (int seed = 0; seed < 20_000; seed++) {
            byte[] random = Aes.bytes(seed % 12, seed);
            byte[] broken = Arrays.copyOf(right, right.length - seed % 3);
            broken[seed % 10] = (byte) (seed / 10);
            for (byte[] encoded : new byte[][] {random, broken}) {
                try {
                    AlgorithmParameters.getInstance("GCM", Aes.KASOKU).init(encoded);
                } catch (IOException expected) {
                    assertEquals(IOException.class, expected.getClass());
                }
            }
        }
    }

    @Test
    void parametersRejectUnsupportedSpecificationClasses() throws Exception {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("GCM", Aes.KASOKU);
        assertThrows(InvalidParameterSpecException.class, () -> parameters.init(new IvParameterSpec(new byte[12])));
        assertThrows(InvalidParameterSpecException.class,
                () -> parameters.init(new GCMParameterSpec(64, new byte[12])));
        parameters.init(new GCMParameterSpec(120, new byte[] {1, 2}));
        assertThrows(InvalidParameterSpecException.class, () -> parameters.getParameterSpec(IvParameterSpec.class));
        assertEquals("iv: 0102, tLen(bits): 120", parameters.toString());
    }
}
