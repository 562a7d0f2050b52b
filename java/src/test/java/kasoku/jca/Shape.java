package kasoku.jca;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.function.IntFunction;
import javax.crypto.Cipher;

/** Sequences of calls that seal or open one message, with equal results. */
enum Shape {
    RETURNED {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return cipher.doFinal(in);
        }
    },
    INTO_ARRAY {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return moved(cipher, in, 7, new byte[5 + cipher.getOutputSize(in.length) + 3], 5);
        }
    },
    IN_PLACE {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return moved(cipher, in, 3, null, 3);
        }
    },
    MOVED_UP {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return moved(cipher, in, 2, null, 13);
        }
    },
    MOVED_DOWN {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return moved(cipher, in, 19, null, 1);
        }
    },
    /** Writes the text directly before the input in one array, and the tag over the input. */
    NEIGHBOURS {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return moved(cipher, in, in.length, null, 0);
        }
    },
    PIECES {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int at = 0;
            for (int length = 1; length < in.length - at; length = length * 2 + 5) {
                out.writeBytes(given(cipher.update(in, at, length)));
                at += length;
            }
            out.writeBytes(given(cipher.doFinal(in, at, in.length - at)));
            return out.toByteArray();
        }
    },
    PIECES_IN_PLACE {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            byte[] array = Arrays.copyOf(in, in.length + 16);
            int at = 0;
            int written = 0;
            for (int length = 3; length < in.length - at; length = length * 2 + 1) {
                written += cipher.update(array, at, length, array, written);
                at += length;
            }
            written += cipher.doFinal(array, at, in.length - at, array, written);
            return Arrays.copyOf(array, written);
        }
    },
    /** Passes all text in updates, and none in {@code doFinal}. */
    NOTHING_LAST {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            byte[] out = new byte[cipher.getOutputSize(in.length)];
            int written = in.length == 0 ? 0 : cipher.update(in, 0, in.length, out);
            written += cipher.doFinal(out, written);
            return Arrays.copyOf(out, written);
        }
    },
    HEAP_BUFFERS {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocate), ByteBuffer::allocate);
        }
    },
    DIRECT_BUFFERS {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocateDirect), ByteBuffer::allocateDirect);
        }
    },
    HEAP_TO_DIRECT {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocate), ByteBuffer::allocateDirect);
        }
    },
    DIRECT_TO_HEAP {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocateDirect), ByteBuffer::allocate);
        }
    },
    READ_ONLY_HEAP {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocate).asReadOnlyBuffer(), ByteBuffer::allocate);
        }
    },
    READ_ONLY_DIRECT {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return buffered(cipher, filled(in, ByteBuffer::allocateDirect).asReadOnlyBuffer(), ByteBuffer::allocate);
        }
    },
    HEAP_BUFFER_IN_PLACE {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return overlapping(cipher, in, ByteBuffer.allocate(in.length + 40), 6, 6, false);
        }
    },
    DIRECT_BUFFER_IN_PLACE {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return overlapping(cipher, in, ByteBuffer.allocateDirect(in.length + 40), 6, 6, false);
        }
    },
    DIRECT_BUFFER_MOVED {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return overlapping(cipher, in, ByteBuffer.allocateDirect(in.length + 40), 5, 17, false);
        }
    },
    READ_ONLY_VIEW_OF_THE_OUTPUT {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            return overlapping(cipher, in, ByteBuffer.allocate(in.length + 40), 9, 4, true);
        }
    },
    BUFFERS_IN_PIECES {
        @Override
        byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException {
            ByteBuffer from = filled(in, ByteBuffer::allocateDirect);
            ByteBuffer to = ByteBuffer.allocate(in.length + 16);
            int end = from.limit();
            for (int length = 4; length < end - from.position(); length = length * 2 + 3) {
                from.limit(from.position() + length);
                cipher.update(from, to);
                from.limit(end);
            }
            cipher.doFinal(from, to);
            return rest(to.flip());
        }
    };

    /** Processes one message, with its AAD in two parts. */
    byte[] message(Cipher cipher, byte[] aad, byte[] in) throws GeneralSecurityException {
        int half = aad.length / 2;
        cipher.updateAAD(aad, 0, half);
        cipher.updateAAD(ByteBuffer.wrap(aad, half, aad.length - half));
        return last(cipher, in);
    }

    abstract byte[] last(Cipher cipher, byte[] in) throws GeneralSecurityException;

    /** Processes a text from array to array, or to {@code inAt} of the same array if {@code out} is null. */
    private static byte[] moved(Cipher cipher, byte[] in, int inAt, byte[] out, int outAt)
            throws GeneralSecurityException {
        byte[] from = new byte[in.length + Math.max(inAt, outAt) + 40];
        byte[] to = out == null ? from : out;
        System.arraycopy(in, 0, from, inAt, in.length);
        int written = cipher.doFinal(from, inAt, in.length, to, outAt);
        return Arrays.copyOfRange(to, outAt, outAt + written);
    }

    private static byte[] buffered(Cipher cipher, ByteBuffer from, IntFunction<ByteBuffer> allocate)
            throws GeneralSecurityException {
        ByteBuffer to = allocate.apply(cipher.getOutputSize(from.remaining()) + 9).position(4).slice();
        cipher.doFinal(from, to);
        if (from.hasRemaining()) {
            throw new AssertionError("not all was read");
        }
        return rest(to.flip());
    }

    private static byte[] overlapping(Cipher cipher, byte[] in, ByteBuffer buffer, int inAt, int outAt,
            boolean isReadOnly) throws GeneralSecurityException {
        buffer.position(inAt).put(in).flip().position(inAt);
        ByteBuffer to = buffer.duplicate().clear().position(outAt);
        cipher.doFinal(isReadOnly ? buffer.asReadOnlyBuffer() : buffer, to);
        return rest(to.flip().position(outAt));
    }

    private static ByteBuffer filled(byte[] in, IntFunction<ByteBuffer> allocate) {
        return allocate.apply(in.length + 11).position(8).put(in).flip().position(8);
    }

    private static byte[] rest(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] given(byte[] out) {
        return out == null ? new byte[0] : out;
    }
}
