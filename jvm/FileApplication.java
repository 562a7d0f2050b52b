import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Encryption or decryption of a file into another one, in pieces, as applications do it. */
final class FileApplication {
    private static final int MAX_BUFFER = 64 << 20;

    static Map<String, Object> answer(Supply supply, Request request, Task task) throws Exception {
        String input = Json.string(request.file, "input", null);
        String output = Json.string(request.file, "output", null);
        long buffer = Json.whole(request.file, "buffer", 8192);
        if (input == null || output == null || buffer < 1 || buffer > MAX_BUFFER) {
            throw new Refusal("error",
                    "file needs an input, an output, and a buffer of 1 to " + MAX_BUFFER + " bytes");
        }
        if (task.isSuite() || task.mode == Mode.CTR) {
            throw new Refusal("unsupported", "files are measured in CBC and GCM");
        }
        // Fixtures without text, which is in the file. In memory, it would cause garbage collections while timing.
        Fixtures fixtures = Fixtures.of(new Task(task, 0));
        SecretKeySpec key = new SecretKeySpec(fixtures.key, task.family);
        AlgorithmParameterSpec parameters = task.parameters(fixtures);
        String transformation = task.transformation(task.mode == Mode.GCM ? "NoPadding" : "PKCS5Padding");
        int direction = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
        byte[] piece = new byte[(int) buffer];
        Map<String, Object> answer = new LinkedHashMap<>();
        long cpu = 0;
        long wall = 0;
        for (long done = 0; done < request.iterations; done++) {
            long cpuStart = Clock.cpu();
            long start = System.nanoTime();
            Cipher cipher = supply.cipher(transformation);
            cipher.init(direction, key, parameters);
            copy(cipher, input, output, piece);
            wall += System.nanoTime() - start;
            cpu += Clock.cpu() - cpuStart;
        }
        answer.put("nanoseconds", wall);
        answer.put("cpu_nanoseconds", cpu);
        answer.put("iterations", request.iterations);
        if (request.output) {
            answer.put("check", digestOfFile(output));
        }
        if (request.observeMs > 0) {
            answer.put("code_path", supply.codePath(task));
        }
        return answer;
    }

    /** Processes pieces in memory until the compiler has optimised the code. */
    static void warmUp(Supply supply, Task task, long end) throws Exception {
        if (task.isSuite() || task.mode == Mode.CTR) {
            return;
        }
        Cipher cipher = supply.cipher(task.transformation("NoPadding"));
        Fixtures fixtures = Fixtures.of(new Task(task, 0));
        SecretKeySpec key = new SecretKeySpec(fixtures.key, task.family);
        byte[] piece = new byte[512];
        for (long done = 0; done < WarmUp.MESSAGES && System.nanoTime() < end; done++) {
            if (done % 256 == 0) {
                // A new cipher, because providers reject the nonce of the last message.
                cipher = supply.cipher(task.transformation("NoPadding"));
                int mode = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
                cipher.init(mode, key, task.parameters(fixtures));
            }
            cipher.update(piece);
            if (done % 256 == 255) {
                try {
                    cipher.doFinal();
                } catch (AEADBadTagException expected) {
                    // Decryption always fails, because the warm-up message has no tag.
                }
            }
        }
    }

    private static void copy(Cipher cipher, String input, String output, byte[] piece) throws Exception {
        try (InputStream from = new FileInputStream(input); OutputStream to = new FileOutputStream(output)) {
            for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                byte[] out = cipher.update(piece, 0, read);
                if (out != null) {
                    to.write(out);
                }
            }
            byte[] last = cipher.doFinal();
            if (last != null) {
                to.write(last);
            }
        }
    }

    private static String digestOfFile(String name) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (InputStream from = new DigestInputStream(new FileInputStream(name), digest)) {
            from.transferTo(OutputStream.nullOutputStream());
        }
        return Worker.hexadecimal(Arrays.copyOf(digest.digest(), 16));
    }
}
