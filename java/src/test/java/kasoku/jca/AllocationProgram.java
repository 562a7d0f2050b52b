package kasoku.jca;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Prints the number of bytes that a compiled {@code doFinal} into the caller's array allocates, for each size among the
 * arguments: sealing, opening one message repeatedly, and opening after an initialization. Runs without a garbage
 * collector (Epsilon) and without allocation buffers of threads, so that the free memory is exact.
 */
final class AllocationProgram {
    private static final int WARM_UP = 30_000;
    private static final int COUNTED = 60_000;

    private AllocationProgram() {}

    public static void main(String[] arguments) throws Exception {
        for (int round = 0; round < 2; round++) {
            for (String argument : arguments) {
                int bytes = Integer.parseInt(argument);
                String allocated = argument + ": " + sealing(bytes) + " " + opening(bytes) + " "
                        + openingEach(bytes);
                if (round == 1) {
                    System.out.println(allocated);
                }
            }
        }
    }

    /** Measures sealing. The initialization of each message is not counted: it copies the caller's nonce. */
    private static long sealing(int bytes) throws Exception {
        Cipher cipher = Aes.kasoku();
        SecretKey key = Aes.key(16, 1);
        GCMParameterSpec[] nonces = new GCMParameterSpec[256];
        for (int number = 0; number < nonces.length; number++) {
            nonces[number] = Aes.parameters(128, number);
        }
        byte[] aad = new byte[13];
        byte[] text = new byte[bytes];
        byte[] sealed = new byte[bytes + 16];
        long all = counted(call -> {
            cipher.init(Cipher.ENCRYPT_MODE, key, nonces[call & 255]);
            cipher.updateAAD(aad);
            cipher.doFinal(text, 0, text.length, sealed, 0);
        });
        return all - counted(call -> cipher.init(Cipher.ENCRYPT_MODE, key, nonces[call & 255]));
    }

    private static long opening(int bytes) throws Exception {
        SecretKey key = Aes.key(16, 1);
        byte[] aad = new byte[13];
        byte[] text = new byte[bytes];
        byte[] sealed = Aes.sealed(key, Aes.parameters(128, 1), aad, text);
        Cipher cipher = Aes.opening(Aes.kasoku(), key, Aes.parameters(128, 1));
        return counted(call -> {
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, sealed.length, text, 0);
        });
    }

    /** Measures opening after an initialization. The compiler inlines differently in a process that also seals. */
    private static long openingEach(int bytes) throws Exception {
        Cipher cipher = Aes.kasoku();
        SecretKey key = Aes.key(16, 1);
        GCMParameterSpec nonce = Aes.parameters(128, 1);
        byte[] aad = new byte[13];
        byte[] text = new byte[bytes];
        byte[] sealed = Aes.sealed(key, nonce, aad, text);
        long all = counted(call -> {
            cipher.init(Cipher.DECRYPT_MODE, key, nonce);
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, sealed.length, text, 0);
        });
        return all - counted(call -> cipher.init(Cipher.DECRYPT_MODE, key, nonce));
    }

    private interface Work {
        void run(int call) throws Exception;
    }

    /** Returns the number of bytes allocated per call. */
    private static long counted(Work work) throws Exception {
        long before = 0;
        for (int call = 0; call < WARM_UP + COUNTED; call++) {
            if (call == WARM_UP) {
                before = allocated();
            }
            work.run(call);
        }
        return (allocated() - before) / COUNTED;
    }

    private static long allocated() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
