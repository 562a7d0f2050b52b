// Tasks of a worker, their fixtures, and prepared jobs.

import java.nio.charset.StandardCharsets;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** An algorithm of the laboratory with its name in Java. */
enum Mode {
    GCM, CBC, CTR
}

/** An operation with an algorithm on a number of bytes. */
final class Task {
    final String operation;
    final String algorithm;
    final int bytes;
    final Mode mode;
    final String family;
    final int keyBytes;
    final int block;

    Task(Request request) throws Refusal {
        operation = request.operation;
        algorithm = request.algorithm;
        bytes = (int) request.bytes;
        switch (algorithm) {
            case "aes-128-gcm": mode = Mode.GCM; family = "AES"; keyBytes = 16; block = 1; break;
            case "aes-256-gcm": mode = Mode.GCM; family = "AES"; keyBytes = 32; block = 1; break;
            case "aes-128-cbc": mode = Mode.CBC; family = "AES"; keyBytes = 16; block = 16; break;
            case "aes-256-cbc": mode = Mode.CBC; family = "AES"; keyBytes = 32; block = 16; break;
            case "aes-128-ctr": mode = Mode.CTR; family = "AES"; keyBytes = 16; block = 1; break;
            case "aes-256-ctr": mode = Mode.CTR; family = "AES"; keyBytes = 32; block = 1; break;
            case "des-ede3-cbc": mode = Mode.CBC; family = "DESede"; keyBytes = 24; block = 8; break;
            case "crypto.aes":
            case "crypto.aes.aes":
            case "crypto.aes.des-ede3": mode = null; family = null; keyBytes = 40; block = 1; break;
            default: throw new Refusal("unsupported", "the JVM is not measured with " + algorithm);
        }
        String[] operations = isSuite() ? new String[] {"roundtrip"}
                : request.file != null ? new String[] {"encrypt", "decrypt"}
                : mode == Mode.GCM ? new String[] {"seal", "open"} : new String[] {"encrypt", "decrypt"};
        if (!Arrays.asList(operations).contains(operation)) {
            throw new Refusal("error", algorithm + " has no operation " + operation);
        }
    }

    /** Returns this task with another number of bytes. */
    Task(Task other, int bytes) {
        operation = other.operation;
        algorithm = other.algorithm;
        this.bytes = bytes;
        mode = other.mode;
        family = other.family;
        keyBytes = other.keyBytes;
        block = other.block;
    }

    boolean isSuite() {
        return mode == null;
    }

    boolean encrypts() {
        return operation.equals("encrypt") || operation.equals("seal");
    }

    int ivBytes() {
        return isSuite() ? 24 : mode == Mode.GCM ? 12 : family.equals("AES") ? 16 : 8;
    }

    String transformation(String padding) {
        return family + "/" + mode + "/" + padding;
    }

    AlgorithmParameterSpec parameters(Fixtures fixtures) {
        return mode == Mode.GCM ? new GCMParameterSpec(128, fixtures.nonce) : new IvParameterSpec(fixtures.nonce);
    }

    String cipher() {
        return operation + " " + algorithm;
    }

    String name() {
        return operation + " " + algorithm + " " + bytes;
    }

    Job job(Supply supply, Fixtures fixtures) throws Exception {
        if (isSuite()) {
            return new SuiteJob(supply, algorithm, fixtures);
        }
        if (fixtures.key.length != keyBytes) {
            throw new Refusal("unsupported", "its key has " + keyBytes + " bytes");
        }
        supply.cipher(transformation("NoPadding"));
        return mode != Mode.GCM ? new CipherJob(supply, this, fixtures)
                : encrypts() ? new SealJob(supply, this, fixtures) : new OpenJob(supply, this, fixtures);
    }
}

/** Inputs of a task, equal in all workers (lab/libraries/src/fixtures.rs). */
final class Fixtures {
    private static final int AAD_BYTES = 13;
    final byte[] key;
    final byte[] nonce;
    final byte[] aad;
    final byte[] text;

    private Fixtures(byte[] key, byte[] nonce, byte[] aad, byte[] text) {
        this.key = key;
        this.nonce = nonce;
        this.aad = aad;
        this.text = text;
    }

    static Fixtures of(Task task) {
        int text = task.isSuite() ? SuiteJob.LARGE : task.bytes;
        int whole = (text + task.block - 1) / task.block * task.block;
        byte[] padded = Arrays.copyOf(pattern(task.algorithm, "text", text), whole);
        Arrays.fill(padded, text, whole, (byte) (whole - text));
        return new Fixtures(
                pattern(task.algorithm, "key", task.keyBytes),
                pattern(task.algorithm, "nonce", task.ivBytes()),
                task.mode == Mode.GCM ? pattern(task.algorithm, "aad", AAD_BYTES) : new byte[0],
                padded);
    }

    static Fixtures given(Request request) throws Refusal {
        Map<String, Object> fields = request.fixtures;
        return new Fixtures(
                bytes(fields, "key"), bytes(fields, "nonce"), bytes(fields, "aad"), bytes(fields, "text"));
    }

    private static byte[] bytes(Map<String, Object> fields, String name) throws Refusal {
        String text = Json.string(fields, name, "");
        byte[] bytes = new byte[text.length() / 2];
        for (int index = 0; index < bytes.length; index++) {
            int high = Character.digit(text.charAt(2 * index), 16);
            int low = Character.digit(text.charAt(2 * index + 1), 16);
            if (high < 0 || low < 0 || text.length() % 2 != 0) {
                throw new Refusal("error", "not hexadecimal: " + name);
            }
            bytes[index] = (byte) (high << 4 | low);
        }
        return bytes;
    }

    /** Returns pseudorandom bytes of SplitMix64, seeded with the algorithm's and the part's name. */
    static byte[] pattern(String algorithm, String part, int length) {
        long state = 0xcbf29ce484222325L;
        for (byte one : (algorithm + part).getBytes(StandardCharsets.US_ASCII)) {
            state = (state ^ one) * 0x0000_0100_0000_01b3L;
        }
        byte[] bytes = new byte[length];
        for (int offset = 0; offset < length; offset += 8) {
            state += 0x9e3779b97f4a7c15L;
            long z = state;
            z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
            z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
            z ^= z >>> 31;
            for (int index = offset; index < Math.min(offset + 8, length); index++) {
                bytes[index] = (byte) z;
                z >>>= 8;
            }
        }
        return bytes;
    }
}

/** A prepared workload. */
abstract class Job {
    /** Restores the first nonce, the IV and the text. Not timed. */
    abstract void reset() throws Exception;

    /** Repeats the operation. This is the timed region. */
    abstract void run(long iterations) throws Exception;

    /** Returns the output of the last operation. Not timed. */
    abstract byte[] output() throws Exception;

    /** Whether all operations give the same output, and the last output is still in memory. */
    boolean leavesItsOutput() {
        return false;
    }

    /** Warms up once, before the warm-up of slices. */
    void warmUp(long end) throws Exception {
    }

    void warmUpSlice(long iterations) throws Exception {
        run(iterations);
    }

    String note() {
        return null;
    }
}
