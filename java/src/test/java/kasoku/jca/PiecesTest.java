package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests the maximum sizes of native calls of each backend. */
class PiecesTest {
    @Test
    void everyBackendHasItsOwnPieceSize() throws Exception {
        String source = Files.readString(Fetched.root().resolve("engine/src/cpu/backend.rs"));
        Set<String> names = Pattern.compile("Self::\\w+ => c\"([a-z0-9-]+)\"").matcher(source).results()
                .map(name -> name.group(1)).collect(Collectors.toSet());
        assertTrue(names.contains(Pieces.BACKEND), Pieces.BACKEND);
        assertEquals(names, Pieces.BYTES_BY_BACKEND.keySet());
    }
}
