package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.HexFormat;

/** Known-answer test before the first service: test case 2 of the specification of GCM. */
final class SelfTest {
    private static final byte[] CIPHERTEXT = HexFormat.of().parseHex("0388dace60b6a392f328c2b971b2fe78");
    private static final byte[] TAG = HexFormat.of().parseHex("ab6e47d42cec13bdf53a67b21257bddf");

    private SelfTest() {}

    static void run() {
        byte[] nothing = new byte[0];
        byte[] nonce = new byte[12];
        byte[] text = new byte[16];
        byte[] tag = new byte[16];
        MemorySegment place = MemorySegment.ofArray(text);
        NativeCipher cipher = new NativeCipher();
        cipher.setKey(new byte[16]);
        Calls.check(cipher.seal(nonce, nothing, 0, place, place, tag));
        boolean seals = Arrays.equals(text, CIPHERTEXT) && Arrays.equals(tag, TAG);
        Calls.check(cipher.open(nonce, nothing, 0, place, tag, place));
        boolean opens = Arrays.equals(text, new byte[16]);
        boolean refuses = cipher.open(nonce, nothing, 0, place, tag, place) == Calls.AUTHENTICATION;
        cipher.freeKey();
        if (!seals || !opens || !refuses || Pieces.BYTES == 0) {
            throw new ProviderException("it gives a wrong answer");
        }
    }
}
