import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The workload crypto.aes of SPECjvm2008, written anew from its description. One operation covers AES-128 and 3DES,
 * with and without padding, on a short and a long text. For each combination it creates a cipher for each direction,
 * encrypts the text twelve times, each time the last output, decrypts it as often, and compares.
 */
final class SuiteJob extends Job {
    static final int SMALL = 1_696;
    static final int LARGE = 729_600;
    static final int ROUNDS = 12;
    /** Number of times that AES processes the long text before it is timed. */
    static final int LARGE_TO_WARM_UP = 2;
    /** Bytes of the text for warm-up. */
    static final int BRIEF = 96;
    private static final String[] PADDINGS = {"NoPadding", "PKCS5Padding"};
    private final Supply supply;
    private final boolean isScore;
    private final boolean hasAes;
    private final boolean hasDes;
    private final SecretKeySpec aesKey;
    private final SecretKeySpec desKey;
    private final IvParameterSpec aesIv;
    private final IvParameterSpec desIv;
    private final byte[] small;
    private final byte[] large;
    private final ByteArrayOutputStream encrypted = new ByteArrayOutputStream();
    private final List<byte[]> lastOutputs = new ArrayList<>();

    SuiteJob(Supply supply, String algorithm, Fixtures fixtures) throws Exception {
        this.supply = supply;
        isScore = algorithm.equals("crypto.aes");
        hasAes = !algorithm.endsWith("des-ede3");
        hasDes = !algorithm.endsWith(".aes.aes");
        aesKey = new SecretKeySpec(Arrays.copyOf(fixtures.key, 16), "AES");
        desKey = new SecretKeySpec(Arrays.copyOfRange(fixtures.key, 16, 40), "DESede");
        aesIv = new IvParameterSpec(Arrays.copyOf(fixtures.nonce, 16));
        desIv = new IvParameterSpec(Arrays.copyOfRange(fixtures.nonce, 16, 24));
        large = fixtures.text;
        small = Arrays.copyOf(large, SMALL);
        supply.cipher("DESede/CBC/PKCS5Padding");
    }

    @Override
    void reset() {
    }

    @Override
    void run(long iterations) throws Exception {
        for (long done = 0; done < iterations; done++) {
            lastOutputs.clear();
            for (byte[] text : new byte[][] {small, large}) {
                roundTrips(text);
            }
        }
    }

    /** Runs the operation on the short text, which calls the same code in a four-hundredth of the time. */
    @Override
    void warmUpSlice(long iterations) throws Exception {
        for (long done = 0; done < iterations; done++) {
            lastOutputs.clear();
            roundTrips(small);
        }
    }

    /**
     * Warms up with a very short text first, until everything is compiled at the highest level. Then, if there is time,
     * repeats the whole operation, as the original benchmark does.
     */
    @Override
    void warmUp(long end) throws Exception {
        long start = System.nanoTime();
        // Process the long text in between, because the first long text invalidates code compiled for short ones only.
        // Process it again at the end, because the first use of its memory would take half of AES's time.
        byte[] brief = Arrays.copyOf(small, BRIEF);
        for (int turn = 0; turn < 2; turn++) {
            for (long done = 0; done < WarmUp.MESSAGES && System.nanoTime() < end; done += ROUNDS) {
                lastOutputs.clear();
                roundTrips(brief);
            }
            aesRoundTrips(LARGE_TO_WARM_UP);
        }
        while (isScore && end - start > TimeUnit.SECONDS.toNanos(10) && System.nanoTime() < end) {
            run(1);
        }
    }

    private void aesRoundTrips(int times) throws Exception {
        for (int done = 0; hasAes && done < times; done++) {
            lastOutputs.clear();
            for (String padding : PADDINGS) {
                roundTrip("AES/CBC/" + padding, aesKey, aesIv, large);
            }
        }
    }

    private void roundTrips(byte[] text) throws Exception {
        for (String padding : PADDINGS) {
            if (hasAes) {
                roundTrip("AES/CBC/" + padding, aesKey, aesIv, text);
            }
            if (hasDes) {
                roundTrip("DESede/CBC/" + padding, desKey, desIv, text);
            }
        }
    }

    private void roundTrip(String transformation, SecretKeySpec key, IvParameterSpec iv, byte[] text)
            throws Exception {
        Cipher cipher = supply.cipher(transformation);
        cipher.init(Cipher.ENCRYPT_MODE, key, iv);
        byte[] result = text;
        for (int round = 0; round < ROUNDS; round++) {
            result = joined(cipher.update(result), cipher.doFinal());
        }
        lastOutputs.add(result);
        Cipher back = supply.cipher(transformation);
        back.init(Cipher.DECRYPT_MODE, key, cipher.getParameters());
        for (int round = 0; round < ROUNDS; round++) {
            result = joined(back.update(result), back.doFinal());
        }
        if (!Arrays.equals(result, text)) {
            throw new Refusal("error", transformation + " did not give the text back");
        }
    }

    private static byte[] joined(byte[] first, byte[] last) {
        if (last == null || last.length == 0) {
            return first;
        }
        int start = first == null ? 0 : first.length;
        byte[] both = start == 0 ? new byte[last.length] : Arrays.copyOf(first, start + last.length);
        System.arraycopy(last, 0, both, start, last.length);
        return both;
    }

    @Override
    byte[] output() throws Exception {
        encrypted.reset();
        for (byte[] one : lastOutputs) {
            encrypted.write(one);
        }
        return encrypted.toByteArray();
    }

    @Override
    boolean leavesItsOutput() {
        return true;
    }
}
