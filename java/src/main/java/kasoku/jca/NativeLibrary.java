package kasoku.jca;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds libkasoku. If the property {@code kasoku.library} names a file, no other is tried. Otherwise the library in the
 * jar for this platform comes first, then the folders of {@code java.library.path}.
 */
final class NativeLibrary {
    private static final String PROPERTY = "kasoku.library";
    private static final String FILE = System.mapLibraryName("kasoku");
    private static final String FOLDER_PREFIX = "kasoku-";
    private static final boolean IS_WINDOWS = System.getProperty("os.name").startsWith("Windows");
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
     * the file afterwards, so that nobody can change it: a loaded library does not need it. Windows neither changes nor
     * deletes loaded libraries, so there the folder stays until a later start deletes it.
     */
    static <T> T extracted(byte[] library, Function<Path, T> open) throws IOException {
        // If the folder for temporary files is mounted without execution, `open` fails and says so.
        Path folder = Files.createTempDirectory(FOLDER_PREFIX);
        Path file = folder.resolve(FILE);
        if (IS_WINDOWS) {
            deleteLeftovers(folder.getParent());
        }
        try {
            Files.write(file, library, StandardOpenOption.CREATE_NEW);
            return open.apply(file);
        } finally {
            delete(folder);
        }
    }

    /** Deletes the folders that earlier programs left, except those of the last hour and of running programs. */
    static void deleteLeftovers(Path temporary) {
        FileTime oldest = FileTime.from(Instant.now().minus(1, ChronoUnit.HOURS));
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, FOLDER_PREFIX + "*")) {
            for (Path folder : folders) {
                if (Files.getLastModifiedTime(folder).compareTo(oldest) < 0) {
                    delete(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException changed) {
            // Another program deletes them at the same time.
        }
    }

    private static void delete(Path folder) throws IOException {
        try {
            Files.deleteIfExists(folder.resolve(FILE));
            Files.deleteIfExists(folder);
        } catch (FileSystemException inUse) {
            if (!IS_WINDOWS) {
                throw inUse;
            }
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

    /** Returns the name of the folder in the jar, such as {@code linux-musl-x86_64}. */
    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '-');
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        if (system.equals("linux") && runsOnMusl()) {
            system = "linux-musl";
        }
        return (IS_WINDOWS ? "windows" : system) + "-" + (processor.equals("amd64") ? "x86_64" : processor);
    }

    private static boolean runsOnMusl() {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
            return mappings.anyMatch(NativeLibrary::isMusl);
        } catch (IOException | UncheckedIOException unreadable) {
            return false;
        }
    }

    /**
     * Whether a line of {@code /proc/self/maps} is about the C library musl: {@code ld-musl-CPU.so.1}, or the file
     * {@code libc.so} to which some distributions link it. The file of glibc is {@code libc.so.6} or
     * {@code libc-VERSION.so}.
     */
    static boolean isMusl(String mapping) {
        String file = mapping.substring(mapping.lastIndexOf('/') + 1);
        return mapping.contains("/") && (file.startsWith("ld-musl-") || file.equals("libc.so"));
    }
}
