// The timed loop of jvm/Worker.java for AES-128-GCM at 16 KiB in the Java Microbenchmark Harness. A test of the
// laboratory compares the results of both.
package kasoku;

import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Gcm {
    private final SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    private final GCMParameterSpec[] nonces = new GCMParameterSpec[256];
    private final byte[] aad = new byte[13];
    private final byte[] text = new byte[16384];
    private final byte[] out = new byte[16384 + 16];
    private Cipher cipher;
    private int next;

    @Setup
    public void prepare() throws Exception {
        for (int sequence = 0; sequence < nonces.length; sequence++) {
            byte[] nonce = new byte[12];
            nonce[11] = (byte) sequence;
            nonces[sequence] = new GCMParameterSpec(128, nonce);
        }
        cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
    }

    @Benchmark
    public int seal() throws Exception {
        cipher.init(Cipher.ENCRYPT_MODE, key, nonces[next]);
        next = (next + 1) % nonces.length;
        cipher.updateAAD(aad);
        return cipher.doFinal(text, 0, text.length, out, 0);
    }
}
