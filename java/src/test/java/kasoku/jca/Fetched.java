package kasoku.jca;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Files of the repository that a script fetches. */
final class Fetched {
    private Fetched() {}

    static Path root() {
        return Path.of(System.getProperty("kasoku.root", ".."));
    }

    /** A fetched file; without it the test is skipped, and in continuous integration fails. */
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
