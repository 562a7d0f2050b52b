package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A child virtual machine with the provider on its class path or module path. */
record ChildJvm(Path home, List<String> flags, boolean isModular, Map<String, String> environment) {
    static final Path CLASSES = Fetched.root().resolve("java/target/classes");
    private static final Path TESTS = Fetched.root().resolve("java/target/test-classes");
    private static final long MINUTES = 5;

    /** Exit status and output of the child. */
    record End(int status, String out, String err) {
        /** Returns the output after checking that the child succeeded without warnings. */
        String calm() {
            assertEquals("", err);
            assertEquals(0, status, out);
            return out.strip();
        }
    }

    static ChildJvm onClassPath(String... flags) {
        return new ChildJvm(Path.of(System.getProperty("java.home")), List.of(flags), false, Map.of());
    }

    static ChildJvm onModulePath(String... flags) {
        return new ChildJvm(Path.of(System.getProperty("java.home")), List.of(flags), true, Map.of());
    }

    ChildJvm withBackend(String backend) {
        return new ChildJvm(home, flags, isModular, Map.of("KASOKU_BACKEND", backend));
    }

    End run(Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        if (isModular) {
            command.addAll(List.of("--enable-native-access=kasoku.jca", "--module-path", CLASSES.toString(),
                    "--patch-module", "kasoku.jca=" + TESTS, "--module", "kasoku.jca/" + program.getName()));
        } else {
            command.addAll(List.of("--class-path", CLASSES + ":" + TESTS, program.getName()));
        }
        command.addAll(List.of(arguments));
        return start(command);
    }

    /** Runs a program with these arguments after the flags. */
    End start(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/java").toString()));
        command.addAll(flags);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> err = threads.submit(() -> all(process.getErrorStream()));
            Future<String> out = threads.submit(() -> all(process.getInputStream()));
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(command + " does not end");
            }
            return new End(process.exitValue(), out.get(), err.get());
        }
    }

    private static String all(InputStream stream) throws IOException {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
