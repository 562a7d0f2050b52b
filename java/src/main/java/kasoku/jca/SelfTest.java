package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.HexFormat;

/** Known-answer tests before the first service: test case 2 of the specification of GCM, and one of RFC 8452. */
final class SelfTest {
    private static final String GCM = "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf";
    private static final String GCM_SIV = "743f7c8077ab25f8624e2e948579cf77303aaf90f6fe21199c6068577437a0c4";

    private SelfTest() {}

    static void run() {
        boolean passes = passes(new NativeCipher(false), bytes(16, 0), bytes(12, 0), bytes(16, 0), GCM)
                && passes(new NativeCipher(true), bytes(16, 1), bytes(12, 3), bytes(16, 1), GCM_SIV);
        if (!passes || Pieces.BYTES == 0) {
            throw new ProviderException("it gives a wrong answer");
        }
    }

    private static boolean passes(NativeCipher cipher, byte[] key, byte[] nonce, byte[] text, String expected) {
        byte[] nothing = new byte[0];
        byte[] sealed = HexFormat.of().parseHex(expected);
        byte[] bytes = text.clone();
        byte[] tag = new byte[16];
        MemorySegment place = MemorySegment.ofArray(bytes);
        cipher.setKey(key);
        Calls.check(cipher.seal(nonce, nothing, 0, place, place, tag));
        boolean seals = Arrays.equals(sealed, 0, 16, bytes, 0, 16) && Arrays.equals(sealed, 16, 32, tag, 0, 16);
        Calls.check(cipher.open(nonce, nothing, 0, place, tag, place));
        boolean opens = Arrays.equals(bytes, text);
        boolean refuses = cipher.open(nonce, nothing, 0, place, tag, place) == Calls.AUTHENTICATION;
        cipher.freeKey();
        return seals && opens && refuses;
    }

    private static byte[] bytes(int length, int first) {
        byte[] bytes = new byte[length];
        bytes[0] = (byte) first;
        return bytes;
    }
}
