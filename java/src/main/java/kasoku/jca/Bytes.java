package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A buffer for bytes of an unfinished message. Its array is reused for the next message unless it is large. */
final class Bytes {
    private static final int MAX_KEPT = 64 << 10;
    private static final byte[] NONE = new byte[0];

    private final boolean isSecret;
    private byte[] array = NONE;
    private int size;

    /** Creates an empty buffer, which wipes its bytes after use if {@code isSecret}. */
    Bytes(boolean isSecret) {
        this.isSecret = isSecret;
    }

    byte[] array() {
        return array;
    }

    int size() {
        return size;
    }

    MemorySegment segment() {
        return MemorySegment.ofArray(array).asSlice(0, size);
    }

    void add(byte[] bytes, int at, int length) {
        makeRoom(length);
        System.arraycopy(bytes, at, array, size, length);
        size += length;
    }

    void add(MemorySegment bytes) {
        int length = Math.toIntExact(bytes.byteSize());
        makeRoom(length);
        MemorySegment.copy(bytes, 0, MemorySegment.ofArray(array), size, length);
        size += length;
    }

    void clear() {
        wipe();
        size = 0;
        if (array.length > MAX_KEPT) {
            array = NONE;
        }
    }

    private void makeRoom(int length) {
        int needed = Math.addExact(size, length);
        if (needed > array.length) {
            int newLength = (int) Math.max(needed, Math.min(2L * array.length, Integer.MAX_VALUE - 8));
            byte[] larger = Arrays.copyOf(array, newLength);
            wipe();
            array = larger;
        }
    }

    private void wipe() {
        if (isSecret) {
            Arrays.fill(array, 0, size, (byte) 0);
        }
    }
}
