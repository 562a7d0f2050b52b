package kasoku.jca;

import java.nio.file.Files;
import java.nio.file.Path;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Uses a million keys, in one cipher and in new ciphers, and prints by how many KiB the process grew. */
final class KeysProgram {
    private static final int KEYS = 500_000;

    private KeysProgram() {}

    public static void main(String[] arguments) throws Exception {
        use(KEYS / 5);
        long before = residentKib();
        use(KEYS);
        System.out.println(residentKib() - before);
    }

    private static void use(int keys) throws Exception {
        byte[] out = new byte[32];
        Cipher one = Aes.kasoku();
        for (int number = 0; number < keys; number++) {
            byte[] bytes = new byte[16];
            bytes[number & 15] = (byte) (number >>> 4);
            bytes[15] ^= (byte) (number >>> 12);
            SecretKey key = number % 2 == 0 ? new SecretKeySpec(bytes, "AES") : new OwnKey(bytes);
            for (Cipher cipher : new Cipher[] {one, Aes.kasoku()}) {
                Aes.sealing(cipher, key, Aes.parameters(128, number)).doFinal(out, 0, 16, out, 0);
            }
        }
    }

    /** A key class that the provider does not know. */
    private record OwnKey(byte[] bytes) implements SecretKey {
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
            return bytes.clone();
        }
    }

    private static long residentKib() throws Exception {
        System.gc();
        Thread.sleep(500);
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new AssertionError("no VmRSS");
    }
}
