package kasoku.jca;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Test files that a script of the repository fetches. */
final class Fetched {
    private Fetched() {}

    static Path root() {
        return Path.of(System.getProperty("kasoku.root", ".."));
    }

    /** Returns a fetched file. If it is missing, skips the test, or fails in continuous integration. */
    static Path file(String path, String script) {
        Path file = root().resolve(path);
        if (!Files.exists(file)) {
            String missing = file + " is not here: " + script + " fetches it";
            if (!Objects.requireNonNullElse(System.getenv("CI"), "").isEmpty()) {
                fail(missing);
            }
            abort(missing);
        }
        return file;
    }
}
