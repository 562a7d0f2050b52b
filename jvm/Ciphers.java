// Workloads of the level `jvm`: ciphers and AES-GCM of a security provider.

import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Encryption or decryption without authentication. The chain or counter continues from call to call. */
final class CipherJob extends Job {
    private final Cipher cipher;
    private final int direction;
    private final SecretKeySpec key;
    private final IvParameterSpec iv;
    private final byte[] text;
    private final byte[] out;
    private int used;

    CipherJob(Supply supply, Task task, Fixtures fixtures) throws Exception {
        cipher = supply.cipher(task.transformation("NoPadding"));
        direction = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
        key = new SecretKeySpec(fixtures.key, task.family);
        iv = new IvParameterSpec(fixtures.nonce);
        text = fixtures.text;
        out = new byte[text.length + 64];
    }

    @Override
    void reset() throws Exception {
        cipher.init(direction, key, iv);
    }

    @Override
    void run(long iterations) throws Exception {
        for (long done = 0; done < iterations; done++) {
            used = cipher.update(text, 0, text.length, out, 0);
        }
    }

    @Override
    byte[] output() {
        return Arrays.copyOf(out, used);
    }
}

/** Sealing of whole messages, each with a new nonce. */
final class SealJob extends Job {
    private static final int NONCES = 256;
    static final String NOTE = "a Cipher is set to key and nonce for each message: its API has no other way";
    private final Supply supply;
    private final String transformation;
    private final SecretKeySpec key;
    private final GCMParameterSpec[] nonces = new GCMParameterSpec[NONCES];
    private final byte[] aad;
    private final byte[] text;
    private final byte[] out;
    private Cipher cipher;
    private int next;

    SealJob(Supply supply, Task task, Fixtures fixtures) {
        this.supply = supply;
        transformation = task.transformation("NoPadding");
        key = new SecretKeySpec(fixtures.key, task.family);
        for (int sequence = 0; sequence < NONCES; sequence++) {
            byte[] nonce = fixtures.nonce.clone();
            nonce[nonce.length - 1] ^= (byte) sequence;
            nonces[sequence] = new GCMParameterSpec(128, nonce);
        }
        aad = fixtures.aad;
        text = fixtures.text;
        out = new byte[text.length + 16];
    }

    @Override
    void reset() throws Exception {
        // A new cipher, because providers reject the nonce of the last message.
        cipher = supply.cipher(transformation);
        next = 0;
    }

    @Override
    void run(long iterations) throws Exception {
        for (long done = 0; done < iterations; done++) {
            cipher.init(Cipher.ENCRYPT_MODE, key, nonces[next]);
            next = (next + 1) % NONCES;
            cipher.updateAAD(aad);
            cipher.doFinal(text, 0, text.length, out, 0);
        }
    }

    @Override
    byte[] output() {
        return out.clone();
    }

    @Override
    String note() {
        return NOTE;
    }
}

/** Opening of one message, repeatedly. */
final class OpenJob extends Job {
    private final Cipher cipher;
    private final SecretKeySpec key;
    private final GCMParameterSpec nonce;
    private final byte[] aad;
    private final byte[] sealed;
    private final byte[] out;

    OpenJob(Supply supply, Task task, Fixtures fixtures) throws Exception {
        cipher = supply.cipher(task.transformation("NoPadding"));
        key = new SecretKeySpec(fixtures.key, task.family);
        nonce = new GCMParameterSpec(128, fixtures.nonce);
        aad = fixtures.aad;
        Cipher sealing = supply.cipher(task.transformation("NoPadding"));
        sealing.init(Cipher.ENCRYPT_MODE, key, nonce);
        sealing.updateAAD(aad);
        sealed = sealing.doFinal(fixtures.text);
        out = new byte[fixtures.text.length + 16];
    }

    @Override
    void reset() {
    }

    @Override
    void run(long iterations) throws Exception {
        for (long done = 0; done < iterations; done++) {
            cipher.init(Cipher.DECRYPT_MODE, key, nonce);
            cipher.updateAAD(aad);
            cipher.doFinal(sealed, 0, sealed.length, out, 0);
        }
    }

    @Override
    byte[] output() {
        byte[] output = Arrays.copyOf(sealed, 2 * sealed.length - 16);
        System.arraycopy(out, 0, output, sealed.length, sealed.length - 16);
        return output;
    }

    @Override
    String note() {
        return SealJob.NOTE;
    }
}
