// Seals messages of 1,440 bytes and prints the provider and the time. Does not depend on Kasoku.

import java.nio.ByteBuffer;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

public final class Speed {
    public static void main(String[] arguments) throws Exception {
        SecretKey key = new SecretKeySpec(new byte[32], "AES");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] text = new byte[1440];
        byte[] sealed = new byte[1456];
        byte[] nonce = new byte[12];
        long fastest = Long.MAX_VALUE;
        for (int round = 0; round < 20_000; round++) {
            long start = System.nanoTime();
            for (int message = 0; message < 100; message++) {
                ByteBuffer.wrap(nonce).putLong(round * 100L + message);
                cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
                cipher.doFinal(text, 0, text.length, sealed, 0);
            }
            fastest = Math.min(fastest, (System.nanoTime() - start) / 100);
        }
        System.out.println(cipher.getProvider().getName() + ": " + fastest + " ns a message");
    }
}
