package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadsTest {
    private static final int THREADS = 8;

    @ParameterizedTest
    @ValueSource(strings = {Aes.GCM, Aes.GCM_SIV})
    void threadsWithOwnCiphersShareOneKey(String algorithm) throws Exception {
        SecretKey key = Aes.key(32, 1);
        inAllThreads(thread -> {
            Cipher cipher = Cipher.getInstance(algorithm, Aes.KASOKU);
            for (int message = 0; message < 300; message++) {
                GCMParameterSpec nonce = Aes.parameters(128, thread * 1000L + message);
                byte[] text = Aes.bytes(message * 11, message);
                byte[] sealed = Shape.INTO_ARRAY.message(Aes.sealing(cipher, key, nonce), text, text);
                assertArrayEquals(text, Shape.PIECES.message(Aes.opening(cipher, key, nonce), text, sealed));
            }
        });
    }

    /** Results of this wrong use are undefined, but the virtual machine must survive. */
    @ParameterizedTest
    @ValueSource(strings = {Aes.GCM, Aes.GCM_SIV})
    void sharedCipherDoesNotCrashTheVirtualMachine(String algorithm) throws Exception {
        Cipher cipher = Cipher.getInstance(algorithm, Aes.KASOKU);
        byte[] text = new byte[200_000];
        inAllThreads(thread -> {
            for (int call = 0; call < 2000; call++) {
                try {
                    switch ((call + thread) % 5) {
                        case 0 -> Aes.sealing(cipher, Aes.key(16, call % 7), Aes.parameters(128, call));
                        case 1 -> Aes.opening(cipher, Aes.key(32, call % 7), Aes.parameters(128, -call));
                        case 2 -> cipher.updateAAD(text, 0, call);
                        case 3 -> cipher.update(text, 0, call * 50);
                        default -> cipher.doFinal(text, 0, call * 100, Arrays.copyOf(text, text.length + 20));
                    }
                } catch (IllegalStateException | GeneralSecurityException expected) {
                    // Another thread called the cipher in between.
                }
            }
        });
    }

    private interface Work {
        void run(int thread) throws Exception;
    }

    private static void inAllThreads(Work work) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                all.add(() -> {
                    work.run(number);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(all)) {
                done.get();
            }
        }
    }
}
