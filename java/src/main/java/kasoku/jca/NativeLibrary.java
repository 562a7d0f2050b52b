package kasoku.jca;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Function;

/**
 * Finds libkasoku. If the property {@code kasoku.library} names a file, no other is tried. Otherwise the library in the
 * jar for this platform comes first, then the folders of {@code java.library.path}.
 */
final class NativeLibrary {
    private static final String PROPERTY = "kasoku.library";
    private static final String FILE = System.mapLibraryName("kasoku");
    private static final String PLATFORM = platform();
    private static final Result RESULT = find();

    private NativeLibrary() {}

    /** The reason why there is no library, for the user. */
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1;

        Unavailable(String reason) {
            super(reason);
        }
    }

    private sealed interface Result {}

    private record Found(SymbolLookup symbols, String origin) implements Result {}

    private record Missing(String reason) implements Result {}

    static SymbolLookup symbols() throws Unavailable {
        return switch (RESULT) {
            case Found found -> found.symbols;
            case Missing missing -> throw new Unavailable(missing.reason);
        };
    }

    static String origin() {
        return RESULT instanceof Found found ? found.origin : "nowhere";
    }

    private static Result find() {
        try {
            String named = System.getProperty(PROPERTY);
            if (named != null) {
                return new Found(open(Path.of(named).toAbsolutePath()), named);
            }
            try (InputStream bundled = resource(FILE)) {
                if (bundled != null) {
                    byte[] library = bundled.readAllBytes();
                    check(library);
                    return new Found(extracted(library, NativeLibrary::open), "the jar (" + PLATFORM + ")");
                }
            }
            for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
                Path file = Path.of(folder).resolve(FILE).toAbsolutePath();
                if (!folder.isEmpty() && Files.isRegularFile(file)) {
                    return new Found(open(file), file.toString());
                }
            }
            return new Missing("there is no " + FILE + " for " + PLATFORM + " in the jar or in java.library.path; "
                    + "-D" + PROPERTY + "=FILE names one");
        } catch (IOException | IllegalArgumentException failure) {
            return new Missing(FILE + " cannot be loaded: " + failure);
        } catch (IllegalCallerException denied) {
            return new Missing("native access is denied: start java with --enable-native-access=kasoku.jca, "
                    + "or ALL-UNNAMED on the class path");
        }
    }

    /**
     * Extracts the library to a new folder that only its owner may enter, and calls {@code open} with the file. Deletes
     * the file afterwards, so that nobody can change it: a loaded library does not need it.
     */
    static <T> T extracted(byte[] library, Function<Path, T> open) throws IOException {
        // If the folder for temporary files is mounted without execution, `open` fails and says so.
        Path folder = Files.createTempDirectory("kasoku-");
        Path file = folder.resolve(FILE);
        try {
            Files.write(file, library, StandardOpenOption.CREATE_NEW);
            return open.apply(file);
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup open(Path file) {
        return SymbolLookup.libraryLookup(file, Arena.global());
    }

    private static void check(byte[] library) throws IOException {
        try (InputStream recorded = resource(FILE + ".sha256")) {
            String expected = recorded == null
                    ? "no checksum" : new String(recorded.readAllBytes(), StandardCharsets.US_ASCII).strip();
            String is = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(library));
            if (!is.equals(expected)) {
                throw new IOException("the " + FILE + " in the jar has the SHA-256 " + is + ", not " + expected);
            }
        } catch (NoSuchAlgorithmException missing) {
            throw new IOException("the " + FILE + " in the jar cannot be checked", missing);
        }
    }

    private static InputStream resource(String name) {
        return NativeLibrary.class.getResourceAsStream("native/" + PLATFORM + "/" + name);
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '-');
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return system + "-" + (processor.equals("amd64") ? "x86_64" : processor);
    }
}
