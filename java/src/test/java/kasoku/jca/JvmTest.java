package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests programs in child virtual machines, started as users start them. */
class JvmTest {
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final String LIBRARY = "kasoku/jca/native/linux-"
            + System.getProperty("os.arch").replace("amd64", "x86_64") + "/libkasoku.so";
    private static final Path JDK_17 = Path.of("/usr/lib/jvm/java-17-openjdk-amd64");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"})
    void stressProgramPassesWithEveryGarbageCollector(String collector) throws Exception {
        assertEquals("done", ChildJvm.onClassPath(NATIVE_ACCESS, "-Xmx64m", collector, "-Xcheck:jni")
                .run(StressProgram.class, "2500").calm());
    }

    /** Backends differ in the maximum size of a native call. */
    @ParameterizedTest
    @ValueSource(strings = {"portable", "aesni", "vaes256", "vaes512"})
    void stressProgramPassesWithEveryBackend(String backend) throws Exception {
        ChildJvm jvm = ChildJvm.onClassPath(NATIVE_ACCESS).withBackend(backend);
        String said = jvm.run(KasokuProvider.class).calm();
        assumeTrue(!said.contains("one not here"), said);
        assertTrue(said.contains(", " + backend + ", from "), said);
        assertEquals("done", jvm.run(StressProgram.class, "1000").calm());
    }

    @Test
    void providerWorksOnClassPathAndModulePath() throws Exception {
        String line = providersWith("Kasoku");
        assertEquals("Kasoku", ChildJvm.onClassPath(NATIVE_ACCESS, line).run(PlainProgram.class).calm());
        assertEquals("Kasoku", ChildJvm.onModulePath(line).run(PlainProgram.class).calm());
        String byClass = providersWith(KasokuProvider.class.getName());
        assertEquals("Kasoku", ChildJvm.onClassPath(NATIVE_ACCESS, byClass).run(PlainProgram.class).calm());
    }

    @Test
    void programsUseNextProviderIfTheLibraryCannotRun() throws Exception {
        String line = providersWith("Kasoku");
        for (String[] broken : new String[][] {
            {NATIVE_ACCESS, "-Dkasoku.library=/nowhere/libkasoku.so"},
            {NATIVE_ACCESS, "-Dkasoku.library=" + anotherLibrary()},
            {NATIVE_ACCESS, "-Djava.io.tmpdir=/proc"},
            // Before Java 24 there is no such flag, and native access is always allowed.
            Runtime.version().feature() < 24
                ? new String[] {NATIVE_ACCESS, "-Dkasoku.library=/nowhere"}
                : new String[] {"--illegal-native-access=deny"},
        }) {
            String[] flags = Arrays.copyOf(broken, broken.length + 1);
            flags[broken.length] = line;
            assertEquals("SunJCE", ChildJvm.onClassPath(flags).run(PlainProgram.class).calm());
            String said = ChildJvm.onClassPath(broken).run(KasokuProvider.class).calm();
            assertTrue(said.startsWith("Unavailable: ") && said.length() > 30, said);
        }
    }

    @Test
    void propertyKasokuLibraryOverridesTheJar() throws Exception {
        Path file = Files.createDirectory(folder.resolve("libraries")).resolve("libkasoku.so");
        Files.copy(ChildJvm.CLASSES.resolve(LIBRARY), file);
        String said = ChildJvm.onClassPath(NATIVE_ACCESS, "-Dkasoku.library=" + file).run(KasokuProvider.class).calm();
        assertTrue(said.endsWith(", from " + file), said);
    }

    /** Tests a jar with a changed library, and a jar for other platforms. */
    @Test
    void changedLibraryIsRejectedAndMissingOneIsSearchedInLibraryPath() throws Exception {
        Path classes = folder.resolve("classes");
        try (Stream<Path> files = Files.walk(ChildJvm.CLASSES)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, classes.resolve(ChildJvm.CLASSES.relativize(file)));
            }
        }
        List<String> run = List.of("--class-path", classes.toString(), KasokuProvider.class.getName());
        Path library = classes.resolve(LIBRARY);
        byte[] bytes = Files.readAllBytes(library);
        bytes[bytes.length / 2] ^= 1;
        Files.write(library, bytes);
        String said = ChildJvm.onClassPath(NATIVE_ACCESS).start(run).calm();
        assertTrue(said.startsWith("Unavailable: ") && said.contains("has the SHA-256"), said);

        Files.delete(library);
        said = ChildJvm.onClassPath(NATIVE_ACCESS).start(run).calm();
        assertTrue(said.startsWith("Unavailable: there is no libkasoku.so for "), said);
        String searched = "-Djava.library.path=/nowhere:" + ChildJvm.CLASSES.resolve(LIBRARY).getParent();
        said = ChildJvm.onClassPath(NATIVE_ACCESS, searched).start(run).calm();
        assertTrue(said.endsWith(", from " + ChildJvm.CLASSES.resolve(LIBRARY).toAbsolutePath()), said);
    }

    /** Runs the program from its source, since the tests are compiled for newer JDKs. */
    @Test
    void oldJdkUsesNextProviderAndReportsReason() throws Exception {
        assumeTrue(Files.isDirectory(JDK_17), "no JDK 17 is here");
        Path source = Fetched.root().resolve("java/src/test/java/kasoku/jca/PlainProgram.java");
        ChildJvm old = new ChildJvm(JDK_17, List.of(providersWith("Kasoku")), false, Map.of());
        List<String> run = List.of("--class-path", ChildJvm.CLASSES.toString(), source.toString());
        assertEquals("SunJCE", old.start(run).calm());
        assertEquals("Unavailable: Java 22 or later is needed, and this is Java 17",
                old.run(KasokuProvider.class).calm());
    }

    @Test
    void doFinalIntoCallersArrayAllocatesNothing() throws Exception {
        String sizes = ChildJvm.onClassPath(NATIVE_ACCESS, "-Xbatch", "-Xmx2g", "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC", "-XX:-UseTLAB").run(AllocationProgram.class, "0", "16", "1440", "16384").calm();
        assertEquals("0: 0 0 0\n16: 0 0 0\n1440: 0 0 0\n16384: 0 0 0", sizes);
    }

    @Test
    void millionKeysDoNotGrowTheProcess() throws Exception {
        long kib = Long.parseLong(ChildJvm.onClassPath(NATIVE_ACCESS, "-Xmx256m", "-Xms256m", "-XX:+AlwaysPreTouch")
                .run(KeysProgram.class).calm());
        assertTrue(kib < 64 << 10, "grown by " + kib + " KiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"init", "seal", "open", "again"})
    void unfinishedMessagesHoldNoMoreNativeMemoryThanSunJceHoldsHeap(String end) throws Exception {
        long heapKib = 64 << 10;
        ChildJvm jvm = ChildJvm.onClassPath(NATIVE_ACCESS, "-Xmx" + heapKib + "k");
        long sunKib = Long.parseLong(jvm.run(UnfinishedProgram.class, "SunJCE", end).calm());
        long kasokuKib = Long.parseLong(jvm.run(UnfinishedProgram.class, "Kasoku", end).calm());
        // SunJCE fills the heap. Kasoku's native memory may be as large, and malloc may waste as much again.
        assertTrue(kasokuKib < sunKib + 2 * heapKib, kasokuKib + " KiB, and SunJCE " + sunKib + " KiB");
    }

    /** Returns a loadable shared library other than libkasoku. */
    private static String anotherLibrary() {
        return Path.of(System.getProperty("java.home"), "lib", "libzip.so").toString();
    }

    /** Writes a line for {@code java.security} that puts the provider before those of the JDK. */
    private String providersWith(String first) throws Exception {
        StringBuilder lines = new StringBuilder("security.provider.1=" + first + "\n");
        List<String> others = List.of("SUN", "SunRsaSign", "SunEC", "SunJSSE", "SunJCE");
        for (int number = 0; number < others.size(); number++) {
            lines.append("security.provider.").append(number + 2).append('=').append(others.get(number)).append('\n');
        }
        Path file = Files.writeString(folder.resolve(first), lines);
        return "-Djava.security.properties=" + file;
    }
}
