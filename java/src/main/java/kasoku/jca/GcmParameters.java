package kasoku.jca;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.AlgorithmParametersSpi;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.spec.GCMParameterSpec;

/**
 * GCM parameters and their encoding by RFC 5084: {@code SEQUENCE { nonce OCTET STRING, tag length in bytes INTEGER
 * DEFAULT 12 }}.
 */
final class GcmParameters extends AlgorithmParametersSpi {
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int INTEGER = 0x02;
    private static final int DEFAULT_TAG_BYTES = 12;
    private static final int MAX_TAG_BYTES = 16;

    private byte[] nonce;
    private int tagBytes;

    @Override
    protected void engineInit(AlgorithmParameterSpec parameters) throws InvalidParameterSpecException {
        if (!(parameters instanceof GCMParameterSpec spec)) {
            throw new InvalidParameterSpecException("Inappropriate parameter specification");
        }
        if (!isTagBytes(spec.getTLen() / 8)) {
            throw new InvalidParameterSpecException("unsupported tag length: " + spec.getTLen() + " bits");
        }
        nonce = spec.getIV();
        tagBytes = spec.getTLen() / 8;
    }

    @Override
    protected void engineInit(byte[] encoded) throws IOException {
        Reader outside = new Reader(encoded);
        Reader inside = new Reader(outside.next(SEQUENCE));
        byte[] newNonce = inside.next(OCTET_STRING);
        int newTagBytes = DEFAULT_TAG_BYTES;
        if (inside.hasMore()) {
            byte[] number = inside.next(INTEGER);
            newTagBytes = number.length == 1 ? number[0] : 0;
        }
        if (!isTagBytes(newTagBytes)) {
            throw new IOException("GCM parameters: unsupported tag length");
        }
        if (inside.hasMore() || outside.hasMore()) {
            throw new IOException("GCM parameters: extra data");
        }
        nonce = newNonce;
        tagBytes = newTagBytes;
    }

    @Override
    protected void engineInit(byte[] encoded, String format) throws IOException {
        engineInit(encoded);
    }

    @Override
    protected <T extends AlgorithmParameterSpec> T engineGetParameterSpec(Class<T> asked)
            throws InvalidParameterSpecException {
        if (!asked.isAssignableFrom(GCMParameterSpec.class)) {
            throw new InvalidParameterSpecException("Inappropriate parameter specification");
        }
        return asked.cast(new GCMParameterSpec(tagBytes * 8, nonce));
    }

    @Override
    protected byte[] engineGetEncoded() {
        ByteArrayOutputStream inside = new ByteArrayOutputStream();
        write(inside, OCTET_STRING, nonce);
        if (tagBytes != DEFAULT_TAG_BYTES) {
            write(inside, INTEGER, new byte[] {(byte) tagBytes});
        }
        ByteArrayOutputStream outside = new ByteArrayOutputStream();
        write(outside, SEQUENCE, inside.toByteArray());
        return outside.toByteArray();
    }

    @Override
    protected byte[] engineGetEncoded(String format) {
        return engineGetEncoded();
    }

    @Override
    protected String engineToString() {
        return "iv: " + HexFormat.of().formatHex(nonce) + ", tLen(bits): " + tagBytes * 8;
    }

    private static boolean isTagBytes(int bytes) {
        return bytes >= DEFAULT_TAG_BYTES && bytes <= MAX_TAG_BYTES;
    }

    private static void write(ByteArrayOutputStream out, int type, byte[] content) {
        out.write(type);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            int bytes = 4 - Integer.numberOfLeadingZeros(content.length) / 8;
            out.write(0x80 | bytes);
            for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
                out.write(content.length >>> shift);
            }
        }
        out.writeBytes(content);
    }

    /** Reads DER element by element. */
    private static final class Reader {
        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasMore() {
            return at < bytes.length;
        }

        byte[] next(int type) throws IOException {
            if (octet() != type) {
                throw new IOException("GCM parameters: not the type that was expected");
            }
            int length = length();
            if (length > bytes.length - at) {
                throw new IOException("GCM parameters: too short");
            }
            at += length;
            return Arrays.copyOfRange(bytes, at - length, at);
        }

        private int length() throws IOException {
            int first = octet();
            if (first < 0x80) {
                return first;
            }
            int octets = first & 0x7f;
            long length = 0;
            for (int octet = 0; octet < octets; octet++) {
                length = length << 8 | octet();
                if (length > Integer.MAX_VALUE) {
                    break;
                }
            }
            // DER allows only the shortest form of a length.
            if (length < 0x80 || length > Integer.MAX_VALUE || octets > 1 && length >>> 8 * (octets - 1) == 0) {
                throw new IOException("GCM parameters: a length that is none");
            }
            return (int) length;
        }

        private int octet() throws IOException {
            if (!hasMore()) {
                throw new IOException("GCM parameters: too short");
            }
            return bytes[at++] & 0xff;
        }
    }
}
