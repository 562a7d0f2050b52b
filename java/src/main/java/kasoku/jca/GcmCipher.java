package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The ciphers {@code AES/GCM/NoPadding}, with the results and exceptions of SunJCE, and {@code AES/GCM-SIV/NoPadding}
 * (RFC 8452) of the JCA. The latter has the same exceptions, but allows repeated nonces and only whole tags.
 *
 * <p>A cipher is for one thread. If several threads use one, native memory must stay intact, so every call is
 * synchronized, which costs nanoseconds. The order of the calls is then undefined.
 */
final class GcmCipher extends CipherSpi {
    private static final int BLOCK = 16;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] NOTHING = new byte[0];
    private static final LongAdder INITIALIZED_CIPHERS = new LongAdder();

    private final Provider provider;
    private final NativeCipher cipher;
    private final CipherKey key;
    private final Message sealing;
    private final Message opening;
    /** {@link #sealing} or {@link #opening}, as the last initialization asked; {@code null} if that failed. */
    private Message message;
    /** Nonce of the last successful initialization, or {@code null} before the first one. */
    private byte[] nonce;
    private int tagBytes = TAG_BITS / 8;
    private byte[] lastSealedNonce = NOTHING;
    private byte[] lastSealedKey = NOTHING;
    private SecureRandom random;

    /**
     * Creates a cipher for AES-GCM-SIV if {@code isSiv}, and for AES-GCM otherwise. Its keys have {@code keyBytes}
     * bytes, or any length if that is 0.
     */
    GcmCipher(Provider provider, boolean isSiv, int keyBytes) {
        this.provider = provider;
        cipher = new NativeCipher(isSiv);
        sealing = isSiv ? new SivSealing(cipher) : new Sealing(cipher);
        opening = new Opening(cipher);
        key = new CipherKey(cipher, keyBytes);
    }

    /** Returns the number of ciphers that were initialized successfully at least once. */
    static long initializedCiphers() {
        return INITIALIZED_CIPHERS.sum();
    }

    @Override
    protected void engineSetMode(String mode) throws NoSuchAlgorithmException {
        String own = cipher.isSiv() ? "GCM-SIV" : "GCM";
        if (!mode.equalsIgnoreCase(own)) {
            throw new NoSuchAlgorithmException("Mode must be " + own);
        }
    }

    @Override
    protected void engineSetPadding(String padding) throws NoSuchPaddingException {
        if (!padding.equalsIgnoreCase("NoPadding")) {
            throw new NoSuchPaddingException("Padding must be NoPadding");
        }
    }

    @Override
    protected int engineGetBlockSize() {
        return BLOCK;
    }

    @Override
    protected int engineGetKeySize(Key asked) throws InvalidKeyException {
        return CipherKey.bits(asked);
    }

    @Override
    protected synchronized byte[] engineGetIV() {
        return nonce == null ? null : nonce.clone();
    }

    @Override
    protected synchronized AlgorithmParameters engineGetParameters() {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("GCM", provider);
            parameters.init(new GCMParameterSpec(tagBytes * 8, nonce == null ? randomNonce() : nonce));
            return parameters;
        } catch (NoSuchAlgorithmException | InvalidParameterSpecException impossible) {
            throw new ProviderException(impossible);
        }
    }

    @Override
    protected synchronized void engineInit(int mode, Key newKey, SecureRandom newRandom) throws InvalidKeyException {
        if (!seals(mode)) {
            forgetMessage();
            throw new InvalidKeyException("No GCMParameterSpec specified");
        }
        try {
            engineInit(mode, newKey, (AlgorithmParameterSpec) null, newRandom);
        } catch (InvalidAlgorithmParameterException repeated) {
            throw new ProviderException("twelve random bytes were the same twice", repeated);
        }
    }

    @Override
    protected synchronized void engineInit(int mode, Key newKey, AlgorithmParameters parameters, SecureRandom newRandom)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        try {
            GCMParameterSpec spec = parameters == null ? null : parameters.getParameterSpec(GCMParameterSpec.class);
            engineInit(mode, newKey, spec, newRandom);
        } catch (InvalidParameterSpecException other) {
            forgetMessage();
            throw new InvalidAlgorithmParameterException(other);
        }
    }

    @Override
    protected synchronized void engineInit(int mode, Key newKey, AlgorithmParameterSpec parameters,
            SecureRandom newRandom) throws InvalidKeyException, InvalidAlgorithmParameterException {
        forgetMessage();
        random = newRandom;
        int newTagBytes = TAG_BITS / 8;
        byte[] newNonce;
        if (parameters == null) {
            newNonce = randomNonce();
        } else if (parameters instanceof GCMParameterSpec spec) {
            newNonce = checkedNonce(spec);
            newTagBytes = checkedTagBytes(spec);
        } else {
            throw new InvalidAlgorithmParameterException("AlgorithmParameterSpec not of GCMParameterSpec");
        }
        key.set(newKey);
        if (seals(mode) && !cipher.isSiv()) {
            refuseRepetition(newNonce);
        }
        if (nonce == null) {
            INITIALIZED_CIPHERS.increment();
        }
        nonce = newNonce;
        tagBytes = newTagBytes;
        Message next = seals(mode) ? sealing : opening;
        next.start(newNonce, newTagBytes);
        message = next;
    }

    @Override
    protected synchronized int engineGetOutputSize(int length) {
        return message().outputSize(length, true);
    }

    @Override
    protected synchronized void engineUpdateAAD(byte[] aad, int at, int length) {
        message().addAad(aad, at, length);
    }

    @Override
    protected synchronized void engineUpdateAAD(ByteBuffer aad) {
        byte[] bytes = new byte[aad.remaining()];
        aad.duplicate().get(bytes);
        message().addAad(bytes, 0, bytes.length);
        aad.position(aad.limit());
    }

    @Override
    protected synchronized byte[] engineUpdate(byte[] in, int at, int length) {
        byte[] out = new byte[message().outputSize(length, false)];
        message.update(MemorySegment.ofArray(in).asSlice(at, length), MemorySegment.ofArray(out));
        return out;
    }

    @Override
    protected synchronized int engineUpdate(byte[] in, int at, int length, byte[] out, int outAt)
            throws ShortBufferException {
        int size = message().outputSize(length, false);
        if (outAt < 0 || outAt > out.length) {
            throw new ArrayIndexOutOfBoundsException("the output begins at " + outAt + " of " + out.length + " bytes");
        }
        checkRoom(size, out.length - outAt);
        return message.update(MemorySegment.ofArray(in).asSlice(at, length), MemorySegment.ofArray(out).asSlice(outAt));
    }

    @Override
    protected synchronized int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
        checkRoom(message().outputSize(in.remaining(), false), out.remaining());
        int written = message.update(MemorySegment.ofBuffer(in), MemorySegment.ofBuffer(out));
        in.position(in.limit());
        out.position(out.position() + written);
        return written;
    }

    @Override
    protected synchronized byte[] engineDoFinal(byte[] in, int at, int length) throws AEADBadTagException {
        message().checkLast(length);
        byte[] out = new byte[message.outputSize(length, true)];
        finish(in, at, length, out, 0);
        return out;
    }

    @Override
    protected synchronized int engineDoFinal(byte[] in, int at, int length, byte[] out, int outAt)
            throws ShortBufferException, AEADBadTagException {
        message().checkLast(length);
        checkRoom(message.outputSize(length, true), outAt < 0 ? -1 : out.length - outAt);
        return finish(in, at, length, out, outAt);
    }

    @Override
    protected synchronized int engineDoFinal(ByteBuffer in, ByteBuffer out)
            throws ShortBufferException, AEADBadTagException {
        int length = in.remaining();
        message().checkLast(length);
        checkRoom(message.outputSize(length, true), out.remaining());
        int written = in.hasArray() && out.hasArray()
                ? finish(in.array(), in.arrayOffset() + in.position(), length, out.array(),
                        out.arrayOffset() + out.position())
                : finish(MemorySegment.ofBuffer(in), MemorySegment.ofBuffer(out));
        in.position(in.limit());
        out.position(out.position() + written);
        return written;
    }

    @Override
    protected synchronized byte[] engineWrap(Key wrapped) throws InvalidKeyException {
        byte[] encoded = wrapped.getEncoded();
        if (encoded == null || encoded.length == 0) {
            throw new InvalidKeyException("Cannot get an encoding of the key to be wrapped");
        }
        try {
            return engineDoFinal(encoded, 0, encoded.length);
        } catch (AEADBadTagException impossible) {
            throw new ProviderException(impossible);
        } finally {
            Arrays.fill(encoded, (byte) 0);
        }
    }

    @Override
    protected synchronized Key engineUnwrap(byte[] wrapped, String algorithm, int type)
            throws InvalidKeyException, NoSuchAlgorithmException {
        byte[] encoded;
        try {
            encoded = engineDoFinal(wrapped, 0, wrapped.length);
        } catch (AEADBadTagException forged) {
            throw new InvalidKeyException("The wrapped key is not padded correctly", forged);
        }
        try {
            return UnwrappedKey.of(encoded, algorithm, type);
        } finally {
            Arrays.fill(encoded, (byte) 0);
        }
    }

    private Message message() {
        if (message == null) {
            throw new IllegalStateException("Operation not initialized.");
        }
        key.ensure();
        return message;
    }

    private int finish(byte[] in, int at, int length, byte[] out, int outAt) throws AEADBadTagException {
        try {
            return message.finish(in == null ? NOTHING : in, at, length, out, outAt);
        } finally {
            key.release(message == sealing && !cipher.isSiv());
        }
    }

    private int finish(MemorySegment in, MemorySegment out) throws AEADBadTagException {
        try {
            return message.finish(in, out);
        } finally {
            key.release(message == sealing && !cipher.isSiv());
        }
    }

    private void forgetMessage() {
        if (message != null) {
            message.clear();
            message = null;
        }
    }

    /**
     * Throws an exception if the last initialization for sealing had this key and nonce: two messages under one key and
     * nonce would reveal their plaintexts.
     */
    private void refuseRepetition(byte[] newNonce) throws InvalidAlgorithmParameterException {
        byte[] fingerprint = key.fingerprint();
        if (Arrays.equals(newNonce, lastSealedNonce) && MessageDigest.isEqual(fingerprint, lastSealedKey)) {
            throw new InvalidAlgorithmParameterException("Cannot reuse iv for GCM encryption");
        }
        lastSealedNonce = newNonce;
        lastSealedKey = fingerprint;
    }

    private byte[] randomNonce() {
        if (random == null) {
            random = new SecureRandom();
        }
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] checkedNonce(GCMParameterSpec spec) throws InvalidAlgorithmParameterException {
        byte[] bytes = spec.getIV();
        if (bytes == null) {
            throw new InvalidAlgorithmParameterException("IV is null");
        }
        if (bytes.length == 0) {
            throw new InvalidAlgorithmParameterException("IV is empty");
        }
        if (cipher.isSiv() && bytes.length != NONCE_BYTES) {
            throw new InvalidAlgorithmParameterException("AES-GCM-SIV needs an IV of " + NONCE_BYTES + " bytes");
        }
        return bytes;
    }

    private int checkedTagBytes(GCMParameterSpec spec) throws InvalidAlgorithmParameterException {
        if (cipher.isSiv() && spec.getTLen() != TAG_BITS) {
            throw new InvalidAlgorithmParameterException("AES-GCM-SIV has only tags of " + TAG_BITS + " bits");
        }
        return switch (spec.getTLen()) {
            case 128, 120, 112, 104, 96 -> spec.getTLen() / 8;
            default -> throw new InvalidAlgorithmParameterException(
                    "Unsupported TLen value.  Must be one of {128, 120, 112, 104, 96}");
        };
    }

    private static void checkRoom(int needed, int room) throws ShortBufferException {
        if (needed > room) {
            throw new ShortBufferException("Output buffer too small, must be at least " + needed + " bytes long");
        }
    }

    private static boolean seals(int mode) {
        return mode == Cipher.ENCRYPT_MODE || mode == Cipher.WRAP_MODE;
    }
}
