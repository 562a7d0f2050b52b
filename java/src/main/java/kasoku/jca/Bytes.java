package kasoku.jca;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A buffer for bytes of an unfinished message. Its array is reused for the next message unless it is large. */
final class Bytes {
    private static final int MAX_KEPT = 64 << 10;
    private static final byte[] NONE = new byte[0];

    private byte[] array = NONE;
    private int size;

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
        size = 0;
        if (array.length > MAX_KEPT) {
            array = NONE;
        }
    }

    private void makeRoom(int length) {
        int needed = Math.addExact(size, length);
        if (needed > array.length) {
            array = Arrays.copyOf(array, (int) Math.max(needed, Math.min(2L * array.length, Integer.MAX_VALUE - 8)));
        }
    }
}
