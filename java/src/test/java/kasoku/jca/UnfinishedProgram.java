package kasoku.jca;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Creates many ciphers that never end a message, and prints the peak of the process's resident memory in KiB. */
final class UnfinishedProgram {
    private static final int THREADS = 2;
    private static final int CIPHERS_PER_THREAD = 150_000;
    /** Number of ciphers per thread that stay reachable until the garbage collector has promoted them. */
    private static final int REACHABLE = 2_000;

    private UnfinishedProgram() {}

    /** Arguments: the provider (Kasoku or SunJCE), and the last call of each cipher (init, seal, open or again). */
    public static void main(String[] arguments) throws Exception {
        Provider provider = arguments[0].equals("Kasoku") ? Aes.KASOKU : Aes.SUN;
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            int first = number * CIPHERS_PER_THREAD;
            threads.add(Thread.ofPlatform().start(() -> work(provider, arguments[1], first)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                System.out.println(line.replaceAll("[^0-9]", ""));
            }
        }
    }

    private static void work(Provider provider, String end, int first) {
        try {
            Cipher[] reachable = new Cipher[REACHABLE];
            byte[] in = new byte[32];
            byte[] out = new byte[48];
            for (int number = 0; number < CIPHERS_PER_THREAD; number++) {
                byte[] bytes = new byte[32];
                bytes[0] = (byte) number;
                bytes[1] = (byte) (number >>> 8);
                SecretKey key = new SecretKeySpec(bytes, "AES");
                Cipher cipher = Cipher.getInstance(Aes.GCM, provider);
                if (end.equals("open")) {
                    Aes.opening(cipher, key, Aes.parameters(128, first + number));
                    cipher.update(in, 0, in.length, out, 0);
                } else {
                    Aes.sealing(cipher, key, Aes.parameters(128, first + number));
                }
                if (end.equals("seal")) {
                    cipher.update(in, 0, in.length, out, 0);
                }
                if (end.equals("again")) {
                    cipher.doFinal(in, 0, in.length, out, 0);
                    Aes.sealing(cipher, key, Aes.parameters(128, -1 - first - number));
                }
                reachable[number % REACHABLE] = cipher;
            }
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
