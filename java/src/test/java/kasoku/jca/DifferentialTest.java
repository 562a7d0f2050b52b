package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares results and exception classes of random call sequences, valid and invalid, between SunJCE and Kasoku. Only
 * Kasoku gets overlapping input and output, which spoil what SunJCE kept of earlier updates. Outputs of forgeries are
 * not compared: SunJCE leaves unverified plaintext when it decrypts in place.
 */
class DifferentialTest {
    private static final int SEQUENCES = 6000;
    private static final int[] KEYS = {16, 24, 32};
    private static final int[] TAGS = {128, 128, 128, 120, 112, 104, 96, 64};
    private static final int[] NONCES = {12, 12, 12, 1, 16, 60, 0};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomCallSequencesMatchSunJce(long seed) throws Exception {
        Random random = new Random(seed);
        Cipher sun = Aes.sun();
        Cipher kasoku = Aes.kasoku();
        int finished = 0;
        for (int sequence = 0; sequence < SEQUENCES; sequence++) {
            boolean seals = random.nextBoolean();
            SecretKey key = Aes.key(KEYS[random.nextInt(3)], random.nextInt(2));
            byte[] nonce = Aes.bytes(NONCES[random.nextInt(NONCES.length)], random.nextInt(4));
            GCMParameterSpec parameters = new GCMParameterSpec(TAGS[random.nextInt(TAGS.length)], nonce);
            String what = "seed " + seed + ", sequence " + sequence + ", " + parameters.getTLen() + " bits, ";
            int mode = seals ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
            Outcome begun = Outcome.of(() -> begin(sun, mode, key, parameters));
            assertEquals(begun, Outcome.of(() -> begin(kasoku, mode, key, parameters)), what + "init " + mode);
            if (begun.exception == null && new Sequence(random, sun, kasoku, what, seals, key, parameters).run()) {
                finished++;
            }
        }
        assertTrue(finished > SEQUENCES / 3, finished + " messages were finished");
    }

    private static byte[] begin(Cipher cipher, int mode, SecretKey key, GCMParameterSpec parameters)
            throws GeneralSecurityException {
        cipher.init(mode, key, parameters);
        return cipher.getIV();
    }

    private record Outcome(Class<?> exception, String out) {
        interface Call {
            byte[] run() throws Exception;
        }

        static Outcome of(Call call) {
            try {
                byte[] out = call.run();
                return new Outcome(null, out == null ? "null" : HexFormat.of().formatHex(out));
            } catch (Exception thrown) {
                return new Outcome(thrown.getClass(), "");
            }
        }
    }

    /** A message on both ciphers, until it ends or fails. */
    private static final class Sequence {
        private final Random random;
        private final Cipher sun;
        private final Cipher kasoku;
        private final String what;
        private final boolean seals;
        private final byte[] input;
        private final byte[] aad;
        private int taken;
        private int aadTaken;

        Sequence(Random random, Cipher sun, Cipher kasoku, String what, boolean seals, SecretKey key,
                GCMParameterSpec parameters) throws GeneralSecurityException {
            this.random = random;
            this.sun = sun;
            this.kasoku = kasoku;
            this.seals = seals;
            this.what = what + (seals ? "sealing " : "opening ");
            aad = Aes.bytes(random.nextInt(3) * random.nextInt(40), random.nextLong());
            byte[] text = Aes.bytes(random.nextInt(random.nextInt(8) == 0 ? 4000 : 120), random.nextLong());
            input = seals ? text : Aes.sealed(key, parameters, aad, text);
            if (!seals && random.nextInt(6) == 0) {
                input[random.nextInt(input.length)] ^= 0x40;
            }
        }

        boolean run() {
            while (true) {
                int choice = random.nextInt(20);
                boolean isAadLeft = aadTaken < aad.length;
                if (choice == 0) {
                    same("getOutputSize", cipher -> new byte[] {(byte) cipher.getOutputSize(choice)});
                } else if (choice == 1) {
                    same("getParameters", cipher -> cipher.getParameters().getEncoded());
                } else if (choice == 2) {
                    same("a wrong mode of wrapping", cipher -> cipher.wrap(Aes.key(16, 1)));
                } else if (isAadLeft && choice < 18 || choice == 3) {
                    if (!addAad(isAadLeft)) {
                        return false;
                    }
                } else if (choice < 12 && taken < input.length) {
                    if (!text(false, random.nextInt(input.length - taken) + 1)) {
                        return false;
                    }
                } else if (!text(true, input.length - taken)) {
                    return false;
                } else {
                    same("a second doFinal", cipher -> cipher.doFinal(new byte[3]));
                    return true;
                }
            }
        }

        /** Passes the next part of the AAD, or superfluous AAD, perhaps after text. */
        private boolean addAad(boolean isLeft) {
            int length = isLeft ? Math.min(aad.length - aadTaken, 1 + random.nextInt(30)) : 3;
            byte[] part = isLeft ? Arrays.copyOfRange(aad, aadTaken, aadTaken + length) : new byte[length];
            aadTaken += isLeft ? length : 0;
            int kind = random.nextInt(3);
            return same("updateAAD", cipher -> {
                switch (kind) {
                    case 0 -> cipher.updateAAD(part);
                    case 1 -> cipher.updateAAD(ByteBuffer.wrap(part).asReadOnlyBuffer());
                    default -> cipher.updateAAD(ByteBuffer.allocateDirect(length).put(part).flip());
                }
                return new byte[0];
            });
        }

        /** Calls update or doFinal, sometimes first with a too small output and then again. */
        private boolean text(boolean isLast, int length) {
            byte[] part = Arrays.copyOfRange(input, taken, taken + length);
            int room = room(isLast, length);
            int kind = random.nextInt(7);
            long place = random.nextLong();
            String call = (isLast ? "doFinal " : "update ") + length + ", kind " + kind;
            if (kind != 0 && room > 0 && random.nextInt(5) == 0) {
                int less = random.nextInt(room);
                Outcome tooShort = both(call + ", too short", part, kind, place, isLast, less);
                if (tooShort.exception != null && tooShort.exception != ShortBufferException.class) {
                    return false;
                }
                if (tooShort.exception == null) {
                    throw new AssertionError(what + call + " fitted into " + less);
                }
            }
            taken += length;
            return both(call, part, kind, place, isLast, room + random.nextInt(3)).exception == null;
        }

        private int room(boolean isLast, int length) {
            int kept = taken % 16 + length;
            return isLast ? sun.getOutputSize(length) : seals ? kept - kept % 16 : 0;
        }

        private Outcome both(String call, byte[] part, int kind, long place, boolean isLast, int room) {
            Outcome expected = Outcome.of(() -> Text.run(sun, part, kind, 0, isLast, room));
            Outcome is = Outcome.of(() -> Text.run(kasoku, part, kind, place, isLast, room));
            assertEquals(expected, is, what + call);
            return expected;
        }

        private boolean same(String call, Call made) {
            Outcome expected = Outcome.of(() -> made.on(sun));
            assertEquals(expected, Outcome.of(() -> made.on(kasoku)), what + call);
            return expected.exception == null;
        }

        private interface Call {
            byte[] on(Cipher cipher) throws Exception;
        }
    }

    /** Processes text in one of seven kinds of memory. {@code place} is the kind of overlap; 0 means none. */
    private static final class Text {
        static byte[] run(Cipher cipher, byte[] part, int kind, long place, boolean isLast, int room)
                throws GeneralSecurityException {
            return switch (kind) {
                case 0 -> isLast ? cipher.doFinal(part) : cipher.update(part);
                case 1, 2 -> arrays(cipher, part, place, isLast, room);
                default -> buffers(cipher, part, kind, place, isLast, room);
            };
        }

        private static byte[] arrays(Cipher cipher, byte[] part, long place, boolean isLast, int room)
                throws GeneralSecurityException {
            int inAt = (int) (place >>> 8 & 31);
            int outAt = (int) (place >>> 16 & 31);
            byte[] out = new byte[outAt + room];
            byte[] in = new byte[inAt + part.length];
            if ((place & 3) != 0 && in.length <= out.length) {
                in = out;
            }
            System.arraycopy(part, 0, in, inAt, part.length);
            int written = isLast
                    ? cipher.doFinal(in, inAt, part.length, out, outAt)
                    : cipher.update(in, inAt, part.length, out, outAt);
            return Arrays.copyOfRange(out, outAt, outAt + written);
        }

        private static byte[] buffers(Cipher cipher, byte[] part, int kind, long place, boolean isLast, int room)
                throws GeneralSecurityException {
            int inAt = (int) (place >>> 8 & 31);
            int outAt = (int) (place >>> 16 & 31);
            ByteBuffer out = kind % 2 == 0 ? ByteBuffer.allocate(outAt + room)
                    : ByteBuffer.allocateDirect(outAt + room);
            ByteBuffer in = kind < 5 ? ByteBuffer.allocate(inAt + part.length)
                    : ByteBuffer.allocateDirect(inAt + part.length);
            if ((place & 3) != 0 && in.capacity() <= out.capacity()) {
                in = out.duplicate();
            }
            in.position(inAt).put(part).flip().position(inAt);
            out.position(outAt);
            ByteBuffer source = (place & 4) != 0 ? in.asReadOnlyBuffer() : in;
            int written = isLast ? cipher.doFinal(source, out) : cipher.update(source, out);
            byte[] bytes = new byte[written + 2];
            bytes[written] = (byte) source.remaining();
            bytes[written + 1] = (byte) (out.position() - outAt);
            out.get(outAt, bytes, 0, written);
            return bytes;
        }
    }
}
