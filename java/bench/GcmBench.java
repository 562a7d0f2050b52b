package kasoku.bench;

import java.security.Provider;
import java.security.Security;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Seals and opens messages from array to array, each with a nonce and 13 bytes of AAD. A sample has a hundred messages:
 * so few that some samples are undisturbed even on a busy machine.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GcmBench {
    private static final int MESSAGES = 100;

    @Param({"16", "64", "1024", "1440", "16384"})
    int bytes;

    @Param({"128", "256"})
    int keyBits;

    @Param({"SunJCE", "Kasoku"})
    String provider;

    private final GCMParameterSpec[] nonces = new GCMParameterSpec[256];
    private final byte[] aad = new byte[13];
    private SecretKeySpec key;
    private Cipher cipher;
    private Cipher sealing;
    private byte[] text;
    private byte[] sealed;
    private int next;

    @Setup(Level.Trial)
    public void prepare() throws Exception {
        for (int number = 0; number < nonces.length; number++) {
            byte[] nonce = new byte[12];
            nonce[11] = (byte) number;
            nonces[number] = new GCMParameterSpec(128, nonce);
        }
        key = new SecretKeySpec(new byte[keyBits / 8], "AES");
        cipher = Cipher.getInstance("AES/GCM/NoPadding", named(provider));
        sealing = Cipher.getInstance("AES/GCM/NoPadding", named(provider));
        text = new byte[bytes];
        sealed = new byte[bytes + 16];
        cipher.init(Cipher.ENCRYPT_MODE, key, nonces[0]);
        cipher.updateAAD(aad);
        cipher.doFinal(text, 0, bytes, sealed, 0);
        // Opening repeats the message of the first nonce.
        cipher.init(Cipher.DECRYPT_MODE, key, nonces[0]);
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void seal() throws Exception {
        for (int message = 0; message < MESSAGES; message++) {
            next = next + 1 & 255;
            cipher.init(Cipher.ENCRYPT_MODE, key, nonces[next]);
            cipher.updateAAD(aad);
            cipher.doFinal(text, 0, bytes, sealed, 0);
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void open() throws Exception {
        for (int message = 0; message < MESSAGES; message++) {
            cipher.init(Cipher.DECRYPT_MODE, key, nonces[0]);
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, bytes + 16, text, 0);
        }
    }

    /** Seals and opens in one process, which the compiler treats differently. Allocates two copies of a nonce. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void sealAndOpen() throws Exception {
        for (int message = 0; message < MESSAGES; message++) {
            next = next + 1 & 255;
            sealing.init(Cipher.ENCRYPT_MODE, key, nonces[next]);
            sealing.updateAAD(aad);
            sealing.doFinal(text, 0, bytes, sealed, 0);
            cipher.init(Cipher.DECRYPT_MODE, key, nonces[next]);
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, bytes + 16, text, 0);
        }
    }

    /** Opens one message repeatedly without initialization, which copies the nonce, so only {@code doFinal} allocates. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void openAgain() throws Exception {
        for (int message = 0; message < MESSAGES; message++) {
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, bytes + 16, text, 0);
        }
    }

    private static Provider named(String name) throws Exception {
        return switch (name) {
            case "SunJCE" -> Security.getProvider(name);
            case "Kasoku" -> new kasoku.jca.KasokuProvider();
            default -> (Provider) Class.forName(name).getConstructor().newInstance();
        };
    }
}
