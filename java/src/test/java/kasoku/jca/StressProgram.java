package kasoku.jca;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Seals and opens in arrays that the garbage collector moves, while other threads create garbage. */
final class StressProgram {
    private static final int THREADS = 4;
    private static final int MAX_TEXT = 300_000;
    private static volatile Object garbage;

    private StressProgram() {}

    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            int seed = number;
            Thread thread = new Thread(() -> work(seed, end));
            thread.setUncaughtExceptionHandler((failed, failure) -> {
                synchronized (failures) {
                    failures.add(failure);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Throwable failure : failures) {
            failure.printStackTrace();
        }
        System.out.println(failures.isEmpty() ? "done" : "failed");
    }

    private static void work(int seed, long end) {
        try {
            Random random = new Random(seed);
            Cipher cipher = null;
            for (int message = 0; System.nanoTime() < end; message++) {
                if (message % 10 == 0) {
                    cipher = random.nextBoolean() ? Aes.kasoku() : Aes.siv();
                }
                SecretKey key = Aes.key(16 + 16 * random.nextInt(2), random.nextInt(5));
                GCMParameterSpec nonce = Aes.parameters(128, random.nextLong());
                byte[] text = Aes.bytes(random.nextInt(random.nextInt(5) == 0 ? MAX_TEXT : 2000), message);
                byte[] sealed = Aes.sealing(cipher, key, nonce).doFinal(text);
                garbage = new byte[random.nextInt(100_000)];
                Aes.opening(cipher, key, nonce);
                ByteBuffer opened = ByteBuffer.allocate(text.length);
                cipher.doFinal(ByteBuffer.wrap(sealed), opened);
                if (!Arrays.equals(text, opened.array())) {
                    throw new AssertionError("another text came back");
                }
                if (message % 200 == 0) {
                    System.gc();
                }
            }
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
