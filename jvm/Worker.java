// The Java side of the laboratory: holds one security provider and answers requests on standard input, one line of JSON
// each, with one line on standard output, as every worker does (lab/measure/src/protocol.rs). It needs nothing but a
// JDK:
//
//     echo '{"operation":"seal","algorithm":"aes-128-gcm","bytes":16384,"iterations":10000}' | java Worker.java sunjce
//
// Java 11 is enough, and no more is used. The laboratory compiles it once for each JDK and starts it as `Worker`.

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

public final class Worker {
    static final int MAX_LINE = 4 << 20;
    static final int MAX_BYTES = 64 << 20;
    static final int MAX_THREADS = 4096;
    static final int AAD_BYTES = 13;
    static final int MAX_PARTS = 1000;
    /** This part of the operations is done before the timed ones. */
    static final int PART_TO_WARM_UP = 16;
    /** What is allocated is counted over so many operations, and is then their mean. */
    static final long OPERATIONS_TO_COUNT = 50;
    /** Jobs kept ready hold at most about this many bytes of text; more, and all are made anew. */
    static final long KEPT_TEXT = 64L << 20;

    private final Supply supply;
    private final long warmUpMs;
    private final Map<String, Job> ready = new HashMap<>();
    /** What was warmed up: ciphers by their name, workloads by theirs. */
    private final Set<String> warm = new HashSet<>();
    private long keptText;

    private Worker(Supply supply, long warmUpMs) {
        this.supply = supply;
        this.warmUpMs = warmUpMs;
    }

    public static void main(String[] arguments) throws IOException {
        String library = arguments.length > 0 ? arguments[0] : "sunjce";
        long warmUpMs = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1000;
        removeTemporary();
        // Whatever a library prints must not stand between the answers.
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        Worker worker = null;
        Map<String, Object> unavailable = null;
        try {
            worker = new Worker(Supply.open(library), warmUpMs);
        } catch (Unavailable missing) {
            unavailable = missing.answer();
        }
        Lines lines = new Lines(System.in);
        for (String line = lines.next(); line != null; line = lines.next()) {
            Map<String, Object> answer;
            try {
                Request request = new Request(Json.object(line));
                answer = unavailable != null ? unavailable : worker.answer(request);
            } catch (Refusal refusal) {
                answer = refusal.answer();
            } catch (OutOfMemoryError exhausted) {
                String what = "the virtual machine has not enough memory: " + exhausted.getMessage();
                answer = new Refusal("error", what).answer();
            } catch (Exception | LinkageError failure) {
                answer = new Refusal("error", String.valueOf(failure)).answer();
            }
            output.write((Json.text(answer) + "\n").getBytes(StandardCharsets.UTF_8));
            output.flush();
        }
    }

    /** Started from its source in a folder made for it, it is compiled by now, and needs neither any more. */
    private static void removeTemporary() {
        String folder = System.getProperty("kasoku.temporary");
        if (folder != null) {
            try {
                Files.deleteIfExists(Paths.get(folder, "Worker.java"));
                Files.deleteIfExists(Paths.get(folder));
            } catch (IOException left) {
                // The laboratory removes what is left when it makes the next one.
            }
        }
    }

    private Map<String, Object> answer(Request request) throws Exception {
        if (request.operation.equals("describe")) {
            return supply.description();
        }
        request.check();
        if (request.file != null) {
            Task task = new Task(request);
            if (warm.add(task.cipher() + " of files")) {
                FileApplication.warmUp(supply, task, System.nanoTime() + warmUpMs * 1_000_000);
            }
            return FileApplication.answer(supply, request, task);
        }
        Task task = new Task(request);
        if (request.fixtures != null) {
            Job job = task.job(supply, Fixtures.given(request));
            job.reset();
            job.run(1);
            byte[] output = job.output();
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("check", digest(output));
            answer.put("output", hexadecimal(output));
            return answer;
        }
        return request.threads > 1 ? timeThreads(request, task) : timeOne(request, task);
    }

    private Map<String, Object> timeOne(Request request, Task task) throws Exception {
        Job job = ready(task);
        Map<String, Object> answer = new LinkedHashMap<>();
        if (job.note() != null) {
            answer.put("note", job.note());
        }
        if (request.iterations == 0) {
            return answer;
        }
        warmUp(task, job);
        long parts = Math.min(Math.max(1, Math.min(request.parts, MAX_PARTS)), request.iterations);
        long each = request.iterations / parts;
        job.reset();
        if (!task.isSuite()) {
            job.run(Math.max(1, request.iterations / PART_TO_WARM_UP));
            job.reset();
        }
        long fastest = Long.MAX_VALUE;
        long cpuOfFastest = 0;
        for (long part = 0; part < parts; part++) {
            long cpu = Clock.cpu();
            long start = System.nanoTime();
            job.run(each);
            long wall = System.nanoTime() - start;
            cpu = Clock.cpu() - cpu;
            if (wall < fastest) {
                fastest = wall;
                cpuOfFastest = cpu;
            }
        }
        answer.put("nanoseconds", fastest);
        answer.put("cpu_nanoseconds", cpuOfFastest);
        answer.put("iterations", each);
        answer.put("check", check(job, request.iterations));
        if (request.output) {
            answer.put("output", hexadecimal(job.output()));
        }
        if (request.observeMs > 0) {
            answer.put("code_path", supply.codePath(task));
            if (!task.isSuite()) {
                answer.put("allocated_bytes", allocated(job));
            }
        }
        return answer;
    }

    /** Bytes of memory that an operation takes for the garbage collector to find, once everything is compiled. */
    private static long allocated(Job job) throws Exception {
        job.reset();
        job.run(1);
        Clock.allocated(); // its first calls allocate themselves
        long start = Clock.allocated();
        job.run(OPERATIONS_TO_COUNT);
        return (Clock.allocated() - start) / OPERATIONS_TO_COUNT;
    }

    /** The workload in several threads at once; the wall time is from the first start to the last end. */
    private Map<String, Object> timeThreads(Request request, Task task) throws Exception {
        if (request.iterations == 0) {
            return timeOne(request, task);
        }
        warmUp(task, ready(task));
        Fixtures fixtures = Fixtures.of(task);
        CyclicBarrier barrier = new CyclicBarrier(request.threads);
        AtomicInteger awake = new AtomicInteger();
        CompletableFuture<Boolean> areAllStarted = new CompletableFuture<>();
        List<FutureTask<Part>> parts = new ArrayList<>();
        for (int thread = 0; thread < request.threads; thread++) {
            FutureTask<Part> part = new FutureTask<>(new Callable<Part>() {
                @Override
                public Part call() throws Exception {
                    if (!areAllStarted.get()) {
                        return null;
                    }
                    Job job = null;
                    Exception failure = null;
                    try {
                        job = task.job(supply, fixtures);
                        job.reset();
                        if (!task.isSuite()) {
                            job.run(Math.max(1, request.iterations / PART_TO_WARM_UP));
                            job.reset();
                        }
                    } catch (Exception exception) {
                        failure = exception;
                    }
                    // Every thread comes to the barrier, whether it can work or not; the others would wait for ever.
                    barrier.await();
                    awake.incrementAndGet();
                    while (awake.get() < request.threads) {
                        Thread.onSpinWait();
                    }
                    if (failure != null) {
                        throw failure;
                    }
                    Part part = new Part();
                    long cpu = Clock.cpu();
                    part.start = System.nanoTime();
                    job.run(request.iterations);
                    part.end = System.nanoTime();
                    part.cpu = Clock.cpu() - cpu;
                    part.check = check(job, request.iterations);
                    return part;
                }
            });
            parts.add(part);
        }
        int started = 0;
        try {
            for (FutureTask<Part> part : parts) {
                new Thread(part, "worker").start();
                started++;
            }
        } finally {
            // If the system refuses one of them, the others must not wait for it at the barrier.
            areAllStarted.complete(started == request.threads);
        }
        long base = System.nanoTime();
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long cpu = 0;
        String check = null;
        for (FutureTask<Part> future : parts) {
            Part part;
            try {
                part = future.get();
            } catch (ExecutionException exception) {
                Throwable cause = exception.getCause();
                throw cause instanceof Exception ? (Exception) cause : new IOException(String.valueOf(cause));
            }
            first = Math.min(first, part.start - base);
            last = Math.max(last, part.end - base);
            cpu += part.cpu;
            if (check != null && !check.equals(part.check)) {
                throw new Refusal("error", "the threads' outputs differ");
            }
            check = part.check;
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("nanoseconds", last - first);
        answer.put("cpu_nanoseconds", cpu);
        answer.put("iterations", request.iterations * request.threads);
        answer.put("check", check);
        String note = ready(task).note();
        if (note != null) {
            answer.put("note", note);
        }
        if (request.observeMs > 0) {
            answer.put("code_path", supply.codePath(task));
        }
        return answer;
    }

    /** What one thread of several measured. */
    private static final class Part {
        long start;
        long end;
        long cpu;
        String check;
    }

    /**
     * Lets the compiler finish, for at most the time that was given when this was started. A virtual machine decides by
     * the number of calls what it compiles how well, and its routines for AES come in with the last step: so a cipher
     * is warmed up with many short messages first, and then each workload until it no longer gets faster.
     */
    private void warmUp(Task task, Job job) throws Exception {
        long end = System.nanoTime() + warmUpMs * 1_000_000;
        if (!task.isSuite() && warm.add(task.cipher())) {
            // Long ones between, since what was compiled for short ones alone is thrown away by the first long one.
            for (int bytes : new int[] {WarmUp.BRIEF, WarmUp.LONG, WarmUp.BRIEF}) {
                Task other = new Task(task, bytes);
                WarmUp.messages(other.job(supply, Fixtures.of(other)), bytes == WarmUp.LONG ? 8 : WarmUp.MESSAGES, end);
            }
        }
        if (warm.add(task.name() + " " + warmUpMs)) {
            job.warmUp(end);
            WarmUp.untilSteady(job, end);
        }
    }

    private Job ready(Task task) throws Exception {
        Job job = ready.get(task.name());
        if (job == null) {
            if (keptText + task.bytes > KEPT_TEXT) {
                ready.clear();
                keptText = 0;
            }
            job = task.job(supply, Fixtures.of(task));
            ready.put(task.name(), job);
            keptText += task.bytes;
        }
        return job;
    }

    /** The check of one operation from a fresh state, done by the very job that was timed, after it was timed. */
    static String check(Job job, long iterations) throws Exception {
        if (iterations != 1 && !job.leavesItsOutput()) {
            job.reset();
            job.run(1);
        }
        return digest(job.output());
    }

    static String digest(byte[] output) throws GeneralSecurityException {
        return hexadecimal(Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(output), 16));
    }

    static String hexadecimal(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte one : bytes) {
            text.append(Character.forDigit(one >> 4 & 15, 16)).append(Character.forDigit(one & 15, 16));
        }
        return text.toString();
    }

    /** Requests as they come in: UTF-8, one a line, none longer than a line may be. */
    static final class Lines {
        private final InputStream input;

        Lines(InputStream input) {
            this.input = new BufferedInputStream(input, 1 << 16);
        }

        String next() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream(256);
            for (int one = input.read(); one != '\n'; one = input.read()) {
                if (one < 0) {
                    if (line.size() == 0) {
                        return null;
                    }
                    break;
                }
                if (line.size() == MAX_LINE) {
                    throw new IOException("a request is longer than a line may be");
                }
                line.write(one);
            }
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
            } catch (CharacterCodingException malformed) {
                return ""; // refused as what it is: no JSON
            }
        }
    }

    /** The clocks. */
    static final class Clock {
        private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

        /** CPU time of this thread in nanoseconds. */
        static long cpu() {
            return THREADS.getCurrentThreadCpuTime();
        }

        /** Bytes that this thread has allocated so far. */
        static long allocated() {
            return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        }

        /** Time the compiler spent so far, in milliseconds; it does not rise where nobody tells. */
        static long compiling() {
            return COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported()
                    ? COMPILER.getTotalCompilationTime() : 0;
        }
    }

    /** What is done before anything is timed. */
    static final class WarmUp {
        /** HotSpot compiles at its best what was called 5,000 times or looped 40,000 times, and then what it calls. */
        static final long MESSAGES = 10_000;
        /** Bytes of such a message. */
        static final int BRIEF = 128;
        static final int LONG = 16384;
        private static final long SLICE_NS = 4_000_000;
        /** So many slices in turn must bring nothing… */
        private static final int WITHOUT_GAIN = 6;
        /** … beyond this. */
        private static final double GAIN = 0.97;

        static void messages(Job job, long messages, long end) throws Exception {
            job.reset();
            // A few at a time: called often, the loop itself is compiled as a whole, and not only from its middle on,
            // which a later short call would not get to.
            for (long done = 0; done < messages && System.nanoTime() < end; done += 8) {
                job.run(8);
            }
        }

        static void untilSteady(Job job, long end) throws Exception {
            long iterations = 1;
            double best = Double.MAX_VALUE;
            int withoutGain = 0;
            long compiling = Clock.compiling();
            while (withoutGain < WITHOUT_GAIN && System.nanoTime() < end) {
                job.reset();
                long start = System.nanoTime();
                job.warmUpSlice(iterations);
                long wall = Math.max(1, System.nanoTime() - start);
                double each = (double) wall / iterations;
                long compilingNow = Clock.compiling();
                boolean isSteady = each > best * GAIN && compilingNow == compiling && wall >= SLICE_NS / 2;
                withoutGain = isSteady ? withoutGain + 1 : 0;
                best = Math.min(best, each);
                compiling = compilingNow;
                // By the best: one that was interrupted says nothing of how many fill a slice.
                iterations = Math.max(1, Math.min((long) (SLICE_NS / best), 4 * iterations));
            }
        }
    }

    /** A request that is not done, and why. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;
        private final String kind;

        Refusal(String kind, String why) {
            super(why, null, false, false);
            this.kind = kind;
        }

        Map<String, Object> answer() {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put(kind, getMessage());
            return answer;
        }
    }

    /** A provider that cannot be had here, why, and what would install it. */
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1;
        private final String install;

        Unavailable(String why, String install) {
            super(why, null, false, false);
            this.install = install;
        }

        Map<String, Object> answer() {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("unavailable", getMessage());
            if (install != null) {
                answer.put("install", install);
            }
            return answer;
        }
    }

    /** What is asked. Unknown fields are passed over, as the laboratory's other workers do. */
    static final class Request {
        final String operation;
        final String algorithm;
        final long bytes;
        final long aad;
        final String nonces;
        final long keys;
        final boolean isOfPackets;
        final long iterations;
        final long parts;
        final int threads;
        final Map<String, Object> fixtures;
        final boolean output;
        final long observeMs;
        final Map<String, Object> file;

        Request(Map<String, Object> fields) throws Refusal {
            operation = Json.string(fields, "operation", null);
            if (operation == null) {
                throw new Refusal("error", "not a request: it names no operation");
            }
            algorithm = Json.string(fields, "algorithm", null);
            bytes = Json.whole(fields, "bytes", 0);
            aad = Json.whole(fields, "aad", AAD_BYTES);
            nonces = Json.string(fields, "nonces", "ahead");
            keys = Json.whole(fields, "keys", 1);
            isOfPackets = fields.containsKey("packets");
            iterations = Json.whole(fields, "iterations", 0);
            parts = Json.whole(fields, "parts", 1);
            threads = (int) Math.min(Json.whole(fields, "threads", 1), MAX_THREADS + 1);
            fixtures = Json.map(fields, "fixtures");
            output = Boolean.TRUE.equals(fields.get("output"));
            observeMs = Json.whole(fields, "observe_ms", 0);
            file = Json.map(fields, "file");
        }

        void check() throws Refusal {
            if (algorithm == null) {
                throw new Refusal("error", "the request names no algorithm");
            }
            if (bytes > MAX_BYTES || aad > MAX_BYTES) {
                throw new Refusal("error",
                        "a workload has at most " + MAX_BYTES + " bytes, not " + Math.max(bytes, aad));
            }
            if (threads < 1 || threads > MAX_THREADS) {
                throw new Refusal("error", "cannot start " + threads + " threads");
            }
            if (isOfPackets) {
                throw new Refusal("unsupported", "it is not measured with packets");
            }
            if (keys != 1 || !nonces.equals("ahead")) {
                throw new Refusal("unsupported", "it is measured under one key, with nonces made ahead: "
                        + "its API takes them as objects");
            }
        }
    }

    /** A cipher of the laboratory, by the name Java has for it. */
    enum Mode {
        GCM, CBC, CTR
    }

    /** What is to be done, with what, on how much. */
    static final class Task {
        final String operation;
        final String algorithm;
        final int bytes;
        final int aad;
        final Mode mode;
        final String family;
        final int keyBytes;
        final int block;

        Task(Request request) throws Refusal {
            operation = request.operation;
            algorithm = request.algorithm;
            bytes = (int) request.bytes;
            aad = (int) request.aad;
            switch (algorithm) {
                case "aes-128-gcm": mode = Mode.GCM; family = "AES"; keyBytes = 16; block = 1; break;
                case "aes-256-gcm": mode = Mode.GCM; family = "AES"; keyBytes = 32; block = 1; break;
                case "aes-128-cbc": mode = Mode.CBC; family = "AES"; keyBytes = 16; block = 16; break;
                case "aes-256-cbc": mode = Mode.CBC; family = "AES"; keyBytes = 32; block = 16; break;
                case "aes-128-ctr": mode = Mode.CTR; family = "AES"; keyBytes = 16; block = 1; break;
                case "aes-256-ctr": mode = Mode.CTR; family = "AES"; keyBytes = 32; block = 1; break;
                case "des-ede3-cbc": mode = Mode.CBC; family = "DESede"; keyBytes = 24; block = 8; break;
                case "crypto.aes":
                case "crypto.aes.aes":
                case "crypto.aes.des-ede3": mode = null; family = null; keyBytes = 40; block = 1; break;
                default: throw new Refusal("unsupported", "the JVM is not measured with " + algorithm);
            }
            String[] operations = isSuite() ? new String[] {"roundtrip"}
                    : request.file != null ? new String[] {"encrypt", "decrypt"}
                    : mode == Mode.GCM ? new String[] {"seal", "open"} : new String[] {"encrypt", "decrypt"};
            if (!Arrays.asList(operations).contains(operation)) {
                throw new Refusal("error", algorithm + " has no operation " + operation);
            }
        }

        /** The same on so many bytes. */
        Task(Task other, int bytes) {
            operation = other.operation;
            algorithm = other.algorithm;
            this.bytes = bytes;
            aad = other.aad;
            mode = other.mode;
            family = other.family;
            keyBytes = other.keyBytes;
            block = other.block;
        }

        boolean isSuite() {
            return mode == null;
        }

        boolean encrypts() {
            return operation.equals("encrypt") || operation.equals("seal");
        }

        int ivBytes() {
            return isSuite() ? 24 : mode == Mode.GCM ? 12 : family.equals("AES") ? 16 : 8;
        }

        String transformation(String padding) {
            return family + "/" + mode + "/" + padding;
        }

        AlgorithmParameterSpec parameters(Fixtures fixtures) {
            return mode == Mode.GCM ? new GCMParameterSpec(128, fixtures.nonce) : new IvParameterSpec(fixtures.nonce);
        }

        String cipher() {
            return operation + " " + algorithm;
        }

        String name() {
            return operation + " " + algorithm + " " + bytes + " " + aad;
        }

        Job job(Supply supply, Fixtures fixtures) throws Exception {
            if (isSuite()) {
                return new SuiteJob(supply, algorithm, fixtures);
            }
            if (fixtures.key.length != keyBytes) {
                throw new Refusal("unsupported", "its key has " + keyBytes + " bytes");
            }
            supply.cipher(transformation("NoPadding"));
            return mode != Mode.GCM ? new CipherJob(supply, this, fixtures)
                    : encrypts() ? new SealJob(supply, this, fixtures) : new OpenJob(supply, this, fixtures);
        }
    }

    /** What a task works on: the same bytes as in every other worker (lab/libraries/src/fixtures.rs). */
    static final class Fixtures {
        final byte[] key;
        final byte[] nonce;
        final byte[] aad;
        final byte[] text;

        private Fixtures(byte[] key, byte[] nonce, byte[] aad, byte[] text) {
            this.key = key;
            this.nonce = nonce;
            this.aad = aad;
            this.text = text;
        }

        static Fixtures of(Task task) {
            int text = task.isSuite() ? SuiteJob.LARGE : task.bytes;
            int whole = (text + task.block - 1) / task.block * task.block;
            byte[] padded = Arrays.copyOf(pattern(task.algorithm, "text", text), whole);
            Arrays.fill(padded, text, whole, (byte) (whole - text));
            return new Fixtures(
                    pattern(task.algorithm, "key", task.keyBytes),
                    pattern(task.algorithm, "nonce", task.ivBytes()),
                    task.mode == Mode.GCM ? pattern(task.algorithm, "aad", task.aad) : new byte[0],
                    padded);
        }

        static Fixtures given(Request request) throws Refusal {
            Map<String, Object> fields = request.fixtures;
            return new Fixtures(
                    bytes(fields, "key"), bytes(fields, "nonce"), bytes(fields, "aad"), bytes(fields, "text"));
        }

        private static byte[] bytes(Map<String, Object> fields, String name) throws Refusal {
            String text = Json.string(fields, name, "");
            byte[] bytes = new byte[text.length() / 2];
            for (int index = 0; index < bytes.length; index++) {
                int high = Character.digit(text.charAt(2 * index), 16);
                int low = Character.digit(text.charAt(2 * index + 1), 16);
                if (high < 0 || low < 0 || text.length() % 2 != 0) {
                    throw new Refusal("error", "not hexadecimal: " + name);
                }
                bytes[index] = (byte) (high << 4 | low);
            }
            return bytes;
        }

        /** Bytes that look random, the same everywhere: SplitMix64 seeded with the algorithm and the part's name. */
        static byte[] pattern(String algorithm, String part, int length) {
            long state = 0xcbf29ce484222325L;
            for (byte one : (algorithm + part).getBytes(StandardCharsets.US_ASCII)) {
                state = (state ^ one) * 0x0000_0100_0000_01b3L;
            }
            byte[] bytes = new byte[length];
            for (int offset = 0; offset < length; offset += 8) {
                state += 0x9e3779b97f4a7c15L;
                long z = state;
                z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
                z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
                z ^= z >>> 31;
                for (int index = offset; index < Math.min(offset + 8, length); index++) {
                    bytes[index] = (byte) z;
                    z >>>= 8;
                }
            }
            return bytes;
        }
    }

    /** One workload made ready. */
    abstract static class Job {
        /** Goes back to the first nonce, the original IV and text. Not timed. */
        abstract void reset() throws Exception;

        /** Does the operation so often. This is the timed region. */
        abstract void run(long iterations) throws Exception;

        /** What the last operation gave. Not timed. */
        abstract byte[] output() throws Exception;

        /** Whether every operation gives the same output, and the last one's is still there. */
        boolean leavesItsOutput() {
            return false;
        }

        /** What is done once before slices are warmed up. */
        void warmUp(long end) throws Exception {
        }

        void warmUpSlice(long iterations) throws Exception {
            run(iterations);
        }

        String note() {
            return null;
        }
    }

    /** A cipher without authentication, whose chain or counter goes on from one call to the next. */
    static final class CipherJob extends Job {
        private final Cipher cipher;
        private final int direction;
        private final SecretKeySpec key;
        private final IvParameterSpec iv;
        private final byte[] text;
        private final byte[] out;
        private int used;

        CipherJob(Supply supply, Task task, Fixtures fixtures) throws Exception {
            cipher = supply.cipher(task.transformation("NoPadding"));
            direction = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
            key = new SecretKeySpec(fixtures.key, task.family);
            iv = new IvParameterSpec(fixtures.nonce);
            text = fixtures.text;
            out = new byte[text.length + 64];
        }

        @Override
        void reset() throws Exception {
            cipher.init(direction, key, iv);
        }

        @Override
        void run(long iterations) throws Exception {
            for (long done = 0; done < iterations; done++) {
                used = cipher.update(text, 0, text.length, out, 0);
            }
        }

        @Override
        byte[] output() {
            return Arrays.copyOf(out, used);
        }
    }

    /** Whole messages sealed, each under a nonce of its own. */
    static final class SealJob extends Job {
        private static final int NONCES = 256;
        static final String NOTE = "a Cipher is set to key and nonce for each message: its API has no other way";
        private final Supply supply;
        private final String transformation;
        private final SecretKeySpec key;
        private final GCMParameterSpec[] nonces = new GCMParameterSpec[NONCES];
        private final byte[] aad;
        private final byte[] text;
        private final byte[] out;
        private Cipher cipher;
        private int next;

        SealJob(Supply supply, Task task, Fixtures fixtures) {
            this.supply = supply;
            transformation = task.transformation("NoPadding");
            key = new SecretKeySpec(fixtures.key, task.family);
            for (int sequence = 0; sequence < NONCES; sequence++) {
                byte[] nonce = fixtures.nonce.clone();
                nonce[nonce.length - 1] ^= (byte) sequence;
                nonces[sequence] = new GCMParameterSpec(128, nonce);
            }
            aad = fixtures.aad;
            text = fixtures.text;
            out = new byte[text.length + 16];
        }

        @Override
        void reset() throws Exception {
            // A new one: a provider refuses the nonce of the message before.
            cipher = supply.cipher(transformation);
            next = 0;
        }

        @Override
        void run(long iterations) throws Exception {
            for (long done = 0; done < iterations; done++) {
                cipher.init(Cipher.ENCRYPT_MODE, key, nonces[next]);
                next = (next + 1) % NONCES;
                cipher.updateAAD(aad);
                cipher.doFinal(text, 0, text.length, out, 0);
            }
        }

        @Override
        byte[] output() {
            return out.clone();
        }

        @Override
        String note() {
            return NOTE;
        }
    }

    /** The same message opened again and again. */
    static final class OpenJob extends Job {
        private final Cipher cipher;
        private final SecretKeySpec key;
        private final GCMParameterSpec nonce;
        private final byte[] aad;
        private final byte[] sealed;
        private final byte[] out;

        OpenJob(Supply supply, Task task, Fixtures fixtures) throws Exception {
            cipher = supply.cipher(task.transformation("NoPadding"));
            key = new SecretKeySpec(fixtures.key, task.family);
            nonce = new GCMParameterSpec(128, fixtures.nonce);
            aad = fixtures.aad;
            Cipher sealing = supply.cipher(task.transformation("NoPadding"));
            sealing.init(Cipher.ENCRYPT_MODE, key, nonce);
            sealing.updateAAD(aad);
            sealed = sealing.doFinal(fixtures.text);
            out = new byte[fixtures.text.length + 16];
        }

        @Override
        void reset() {
        }

        @Override
        void run(long iterations) throws Exception {
            for (long done = 0; done < iterations; done++) {
                cipher.init(Cipher.DECRYPT_MODE, key, nonce);
                cipher.updateAAD(aad);
                cipher.doFinal(sealed, 0, sealed.length, out, 0);
            }
        }

        @Override
        byte[] output() {
            byte[] output = Arrays.copyOf(sealed, 2 * sealed.length - 16);
            System.arraycopy(out, 0, output, sealed.length, sealed.length - 16);
            return output;
        }

        @Override
        String note() {
            return SealJob.NOTE;
        }
    }

    /**
     * The workload that SPECjvm2008 calls crypto.aes, written anew from its description. One operation is, for AES-128
     * and 3DES, with and without padding, for a short text and a long one: a cipher set up for each direction, the text
     * encrypted twelve times, each time what came out of the time before, then decrypted as often, and compared.
     */
    static final class SuiteJob extends Job {
        static final int SMALL = 1_696;
        static final int LARGE = 729_600;
        static final int ROUNDS = 12;
        /** How often AES goes over the long text before it is timed. */
        static final int LARGE_TO_WARM_UP = 2;
        /** Bytes of the text that is only warmed up with. */
        static final int BRIEF = 96;
        private static final String[] PADDINGS = {"NoPadding", "PKCS5Padding"};
        private final Supply supply;
        private final boolean isScore;
        private final boolean hasAes;
        private final boolean hasDes;
        private final SecretKeySpec aesKey;
        private final SecretKeySpec desKey;
        private final IvParameterSpec aesIv;
        private final IvParameterSpec desIv;
        private final byte[] small;
        private final byte[] large;
        private final ByteArrayOutputStream encrypted = new ByteArrayOutputStream();
        private final List<byte[]> lastOutputs = new ArrayList<>();

        SuiteJob(Supply supply, String algorithm, Fixtures fixtures) throws Exception {
            this.supply = supply;
            isScore = algorithm.equals("crypto.aes");
            hasAes = !algorithm.endsWith("des-ede3");
            hasDes = !algorithm.endsWith(".aes.aes");
            aesKey = new SecretKeySpec(Arrays.copyOf(fixtures.key, 16), "AES");
            desKey = new SecretKeySpec(Arrays.copyOfRange(fixtures.key, 16, 40), "DESede");
            aesIv = new IvParameterSpec(Arrays.copyOf(fixtures.nonce, 16));
            desIv = new IvParameterSpec(Arrays.copyOfRange(fixtures.nonce, 16, 24));
            large = fixtures.text;
            small = Arrays.copyOf(large, SMALL);
            supply.cipher("DESede/CBC/PKCS5Padding");
        }

        @Override
        void reset() {
        }

        @Override
        void run(long iterations) throws Exception {
            for (long done = 0; done < iterations; done++) {
                lastOutputs.clear();
                for (byte[] text : new byte[][] {small, large}) {
                    roundTrips(text);
                }
            }
        }

        /** The short text does all that the long one does, in a four-hundredth of the time. */
        @Override
        void warmUpSlice(long iterations) throws Exception {
            for (long done = 0; done < iterations; done++) {
                lastOutputs.clear();
                roundTrips(small);
            }
        }

        /**
         * A very short text first, so that everything was called often enough to be compiled at its best. Then, where
         * there is time for it, as the benchmark itself does: the whole operation, over and over.
         */
        @Override
        void warmUp(long end) throws Exception {
            long start = System.nanoTime();
            // The long text between, since what was compiled for the short one alone is thrown away by the first long
            // one; and after, since AES is so fast that memory it is given for the first time would be half of its
            // time.
            byte[] brief = Arrays.copyOf(small, BRIEF);
            for (int turn = 0; turn < 2; turn++) {
                for (long done = 0; done < WarmUp.MESSAGES && System.nanoTime() < end; done += ROUNDS) {
                    lastOutputs.clear();
                    roundTrips(brief);
                }
                aesRoundTrips(LARGE_TO_WARM_UP);
            }
            while (isScore && end - start > TimeUnit.SECONDS.toNanos(10) && System.nanoTime() < end) {
                run(1);
            }
        }

        private void aesRoundTrips(int times) throws Exception {
            for (int done = 0; hasAes && done < times; done++) {
                lastOutputs.clear();
                for (String padding : PADDINGS) {
                    roundTrip("AES/CBC/" + padding, aesKey, aesIv, large);
                }
            }
        }

        private void roundTrips(byte[] text) throws Exception {
            for (String padding : PADDINGS) {
                if (hasAes) {
                    roundTrip("AES/CBC/" + padding, aesKey, aesIv, text);
                }
                if (hasDes) {
                    roundTrip("DESede/CBC/" + padding, desKey, desIv, text);
                }
            }
        }

        private void roundTrip(String transformation, SecretKeySpec key, IvParameterSpec iv, byte[] text)
                throws Exception {
            Cipher cipher = supply.cipher(transformation);
            cipher.init(Cipher.ENCRYPT_MODE, key, iv);
            byte[] result = text;
            for (int round = 0; round < ROUNDS; round++) {
                result = joined(cipher.update(result), cipher.doFinal());
            }
            lastOutputs.add(result);
            Cipher back = supply.cipher(transformation);
            back.init(Cipher.DECRYPT_MODE, key, cipher.getParameters());
            for (int round = 0; round < ROUNDS; round++) {
                result = joined(back.update(result), back.doFinal());
            }
            if (!Arrays.equals(result, text)) {
                throw new Refusal("error", transformation + " did not give the text back");
            }
        }

        private static byte[] joined(byte[] first, byte[] last) {
            if (last == null || last.length == 0) {
                return first;
            }
            int start = first == null ? 0 : first.length;
            byte[] both = start == 0 ? new byte[last.length] : Arrays.copyOf(first, start + last.length);
            System.arraycopy(last, 0, both, start, last.length);
            return both;
        }

        @Override
        byte[] output() throws Exception {
            encrypted.reset();
            for (byte[] one : lastOutputs) {
                encrypted.write(one);
            }
            return encrypted.toByteArray();
        }

        @Override
        boolean leavesItsOutput() {
            return true;
        }
    }

    /** A file encrypted or decrypted into another, in pieces, as an application does it. */
    static final class FileApplication {
        private static final int MAX_BUFFER = 64 << 20;

        static Map<String, Object> answer(Supply supply, Request request, Task task) throws Exception {
            String input = Json.string(request.file, "input", null);
            String output = Json.string(request.file, "output", null);
            long buffer = Json.whole(request.file, "buffer", 8192);
            if (input == null || output == null || buffer < 1 || buffer > MAX_BUFFER) {
                throw new Refusal("error",
                        "file needs an input, an output, and a buffer of 1 to " + MAX_BUFFER + " bytes");
            }
            if (task.isSuite() || task.mode == Mode.CTR) {
                throw new Refusal("unsupported", "files are measured in CBC and GCM");
            }
            // Without a text: that is in the file, and so much garbage would be collected in what is timed.
            Fixtures fixtures = Fixtures.of(new Task(task, 0));
            SecretKeySpec key = new SecretKeySpec(fixtures.key, task.family);
            AlgorithmParameterSpec parameters = task.parameters(fixtures);
            String transformation = task.transformation(task.mode == Mode.GCM ? "NoPadding" : "PKCS5Padding");
            int direction = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
            byte[] piece = new byte[(int) buffer];
            Map<String, Object> answer = new LinkedHashMap<>();
            long cpu = 0;
            long wall = 0;
            for (long done = 0; done < request.iterations; done++) {
                long cpuStart = Clock.cpu();
                long start = System.nanoTime();
                Cipher cipher = supply.cipher(transformation);
                cipher.init(direction, key, parameters);
                copy(cipher, input, output, piece);
                wall += System.nanoTime() - start;
                cpu += Clock.cpu() - cpuStart;
            }
            answer.put("nanoseconds", wall);
            answer.put("cpu_nanoseconds", cpu);
            answer.put("iterations", request.iterations);
            if (request.output) {
                answer.put("check", digestOfFile(output));
            }
            if (request.observeMs > 0) {
                answer.put("code_path", supply.codePath(task));
            }
            return answer;
        }

        /** Pieces in memory, as often as the compiler wants to see them before it does its best. */
        static void warmUp(Supply supply, Task task, long end) throws Exception {
            if (task.isSuite() || task.mode == Mode.CTR) {
                return;
            }
            Cipher cipher = supply.cipher(task.transformation("NoPadding"));
            Fixtures fixtures = Fixtures.of(new Task(task, 0));
            SecretKeySpec key = new SecretKeySpec(fixtures.key, task.family);
            byte[] piece = new byte[512];
            for (long done = 0; done < WarmUp.MESSAGES && System.nanoTime() < end; done++) {
                if (done % 256 == 0) {
                    // A new one: a provider refuses the nonce of the message before.
                    cipher = supply.cipher(task.transformation("NoPadding"));
                    int mode = task.encrypts() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
                    cipher.init(mode, key, task.parameters(fixtures));
                }
                cipher.update(piece);
                if (done % 256 == 255) {
                    try {
                        cipher.doFinal();
                    } catch (AEADBadTagException expected) {
                        // There is no tag at the end.
                    }
                }
            }
        }

        private static void copy(Cipher cipher, String input, String output, byte[] piece) throws Exception {
            try (InputStream from = new FileInputStream(input); OutputStream to = new FileOutputStream(output)) {
                for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                    byte[] out = cipher.update(piece, 0, read);
                    if (out != null) {
                        to.write(out);
                    }
                }
                byte[] last = cipher.doFinal();
                if (last != null) {
                    to.write(last);
                }
            }
        }

        private static String digestOfFile(String name) throws Exception {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[1 << 16];
            try (InputStream from = new FileInputStream(name)) {
                for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                    digest.update(piece, 0, read);
                }
            }
            return hexadecimal(Arrays.copyOf(digest.digest(), 16));
        }
    }

    /** Where ciphers come from: one provider. */
    static final class Supply {
        private static final String[] FLAGS = {
            "UseAES", "UseAESIntrinsics", "UseAESCTRIntrinsics", "UseGHASHIntrinsics", "UseCLMUL", "UseSHA", "UseAVX",
        };
        private final Provider provider;
        private final String version;
        private final String loadedFrom;
        /** Its code path, where the virtual machine's flags do not say it. */
        private final String codePath;

        private Supply(Provider provider, String version, String loadedFrom, String codePath) {
            this.provider = provider;
            this.version = version;
            this.loadedFrom = loadedFrom;
            this.codePath = codePath;
        }

        static Supply open(String library) throws Unavailable {
            String runtime = System.getProperty("java.runtime.version", System.getProperty("java.version", "unknown"));
            switch (library) {
                case "sunjce": {
                    Provider provider = Security.getProvider("SunJCE");
                    if (provider == null) {
                        throw new Unavailable("this virtual machine has no provider SunJCE", null);
                    }
                    return new Supply(provider, runtime, System.getProperty("java.home"), null);
                }
                case "nss":
                    return nss(runtime);
                case "kasoku-jca":
                    return ofJar("kasoku.jca.KasokuProvider", runtime);
                case "accp":
                    return ofJar("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider", runtime);
                case "conscrypt":
                    return ofJar("org.conscrypt.OpenSSLProvider", runtime);
                case "bouncy-castle":
                    return ofJar("org.bouncycastle.jce.provider.BouncyCastleProvider", runtime);
                default:
                    throw new Unavailable("no provider is known for the library " + library, null);
            }
        }

        private static Supply nss(String runtime) throws Unavailable {
            Path folder = nssFolder();
            Provider base = Security.getProvider("SunPKCS11");
            if (base == null) {
                throw new Unavailable("this virtual machine has no provider SunPKCS11", null);
            }
            try {
                // "--" says that this is the configuration itself, and no file's name.
                Provider provider = base.configure("--name = NSS\nnssLibraryDirectory = \"" + folder
                        + "\"\nnssDbMode = noDb\nattributes = compatibility\n");
                String version = nssVersion(folder.resolve("libsoftokn3.so"));
                return new Supply(provider, version + " (JDK " + runtime + ")", folder.toString(), "unknown");
            } catch (RuntimeException failure) {
                Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                throw new Unavailable("NSS in " + folder + " cannot be used: " + cause, null);
            }
        }

        /** A provider in a jar of the class path. Its version is in the jar's name: not each says it itself. */
        private static Supply ofJar(String type, String runtime) throws Unavailable {
            Provider provider;
            Path jar;
            try {
                Class<?> found = Class.forName(type);
                provider = (Provider) found.getDeclaredConstructor().newInstance();
                jar = Paths.get(found.getProtectionDomain().getCodeSource().getLocation().toURI());
            } catch (ReflectiveOperationException | URISyntaxException | RuntimeException | LinkageError failure) {
                Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                throw new Unavailable(type + " cannot be used: " + cause, null);
            }
            try {
                Cipher.getInstance("AES/GCM/NoPadding", provider);
            } catch (GeneralSecurityException | LinkageError failure) {
                throw new Unavailable(provider.getName() + " has no AES-GCM here: " + provider.getInfo(), null);
            }
            Matcher version = Pattern.compile("-([0-9]+(\\.[0-9]+)+)").matcher(String.valueOf(jar.getFileName()));
            String stated = version.find() ? version.group(1) : provider.getVersionStr();
            return new Supply(provider, stated + " (JDK " + runtime + ")", jar.toString(), codePath(provider));
        }

        /** What a provider in a jar says of its code itself, or is known to be. */
        private static String codePath(Provider provider) {
            switch (provider.getName()) {
                case "Kasoku":
                    // "AES-GCM by libkasoku 0.1.0, vaes512, from the jar (linux-x86_64)"
                    String[] parts = provider.getInfo().split(", ");
                    return parts.length == 3 ? parts[1] : "unknown";
                case "BC":
                    // HotSpot has routines for the classes of SunJCE only.
                    return "compiled-java";
                default:
                    return "unknown";
            }
        }

        private static Path nssFolder() throws Unavailable {
            List<String> folders = new ArrayList<>();
            String own = System.getenv("LD_LIBRARY_PATH");
            if (own != null) {
                folders.addAll(Arrays.asList(own.split(":")));
            }
            String here = System.getProperty("os.arch", "");
            String arch = here.equals("amd64") ? "x86_64" : here;
            for (String root : new String[] {"/usr/lib/", "/lib/"}) {
                folders.add(root + arch + "-linux-gnu");
                folders.add(root + arch + "-linux-gnu/nss");
            }
            folders.addAll(Arrays.asList("/usr/lib64", "/usr/lib", "/usr/local/lib", "/opt/homebrew/lib"));
            for (String name : folders) {
                if (!name.isEmpty() && !name.contains("\"") && Files.isReadable(Paths.get(name, "libsoftokn3.so"))
                        && Files.isReadable(Paths.get(name, "libnss3.so"))) {
                    return Paths.get(name).toAbsolutePath();
                }
            }
            throw new Unavailable("there is no libsoftokn3.so beside a libnss3.so here", "apt install libnss3");
        }

        /** The version that NSS writes into its library for such as us. */
        private static String nssVersion(Path library) {
            try {
                String mark = "Version: NSS ";
                String all = new String(Files.readAllBytes(library), StandardCharsets.ISO_8859_1);
                int start = all.indexOf(mark);
                if (start >= 0) {
                    start += mark.length();
                    int end = start;
                    while (end < all.length() && end < start + 20 && "0123456789.".indexOf(all.charAt(end)) >= 0) {
                        end++;
                    }
                    if (end > start) {
                        return all.substring(start, end);
                    }
                }
            } catch (IOException | OutOfMemoryError unreadable) {
                // It was opened a moment ago; its version is then just not known.
            }
            return "unknown version";
        }

        Provider provider() {
            return provider;
        }

        Cipher cipher(String transformation) throws Refusal {
            try {
                return Cipher.getInstance(transformation, provider);
            } catch (GeneralSecurityException missing) {
                throw new Refusal("unsupported", provider.getName() + " has no " + transformation);
            }
        }

        Map<String, Object> description() {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("version", version);
            StringBuilder features = new StringBuilder();
            for (String flag : FLAGS) {
                // What others do is not HotSpot's to say.
                String value = codePath == null ? flag(flag) : null;
                if (value != null) {
                    features.append(features.length() > 0 ? " " : "").append(flag).append('=').append(value);
                }
            }
            if (features.length() > 0) {
                answer.put("cpu_features", features.toString());
            }
            if (loadedFrom != null) {
                answer.put("loaded_from", loadedFrom);
            }
            return answer;
        }

        /**
         * What the virtual machine's flags say that runs: which of the routines it keeps for this cipher are on, or
         * that it is the compiled Java code. What a native library does is not seen from here.
         */
        String codePath(Task task) {
            if (codePath != null) {
                return codePath;
            }
            if (flag("UseAESIntrinsics") == null) {
                return "unknown";
            }
            List<String> parts = new ArrayList<>();
            boolean isAes = task.isSuite() ? !task.algorithm.endsWith("des-ede3") : task.family.equals("AES");
            if (isAes && isOn("UseAESIntrinsics")) {
                parts.add("aes-intrinsics");
            }
            if (isAes && (task.mode == Mode.CTR || task.mode == Mode.GCM) && isOn("UseAESCTRIntrinsics")) {
                parts.add("aes-ctr-intrinsics");
            }
            if (task.mode == Mode.GCM && isOn("UseGHASHIntrinsics")) {
                parts.add("ghash-intrinsics");
            }
            return parts.isEmpty() ? "compiled-java" : String.join("+", parts);
        }

        private static boolean isOn(String flag) {
            return "true".equals(flag(flag));
        }

        /** A flag's value as it is in force; null if this virtual machine has no such flag. */
        private static String flag(String name) {
            try {
                HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
                return bean == null ? null : bean.getVMOption(name).getValue();
            } catch (IllegalArgumentException | LinkageError unknown) {
                return null;
            }
        }
    }

    /** As much of JSON as requests and answers need. */
    static final class Json {
        private static final int DEEPEST = 16;
        private final String text;
        private int position;

        private Json(String text) {
            this.text = text;
        }

        static Map<String, Object> object(String text) throws Refusal {
            Json json = new Json(text);
            Object value = json.value(0);
            json.space();
            if (json.position < text.length() || !(value instanceof Map)) {
                throw json.nonsense();
            }
            return asMap(value);
        }

        static String string(Map<String, Object> fields, String name, String otherwise) throws Refusal {
            Object value = fields.get(name);
            if (value != null && !(value instanceof String)) {
                throw new Refusal("error", "not a request: " + name + " is no string");
            }
            return value == null ? otherwise : (String) value;
        }

        static long whole(Map<String, Object> fields, String name, long otherwise) throws Refusal {
            Object value = fields.get(name);
            if (value == null) {
                return otherwise;
            }
            if (value instanceof Double && (Double) value >= 0 && (Double) value == Math.rint((Double) value)) {
                return ((Double) value).longValue();
            }
            throw new Refusal("error", "not a request: " + name + " is no whole number");
        }

        static Map<String, Object> map(Map<String, Object> fields, String name) throws Refusal {
            Object value = fields.get(name);
            if (value != null && !(value instanceof Map)) {
                throw new Refusal("error", "not a request: " + name + " is no object");
            }
            return value == null ? null : asMap(value);
        }

        @SuppressWarnings("unchecked") // only maps made here, whose keys are strings
        private static Map<String, Object> asMap(Object value) {
            return (Map<String, Object>) value;
        }

        private Object value(int depth) throws Refusal {
            space();
            if (depth > DEEPEST || position >= text.length()) {
                throw nonsense();
            }
            char first = text.charAt(position);
            switch (first) {
                case '{': return members(depth);
                case '[': return elements(depth);
                case '"': return quoted();
                case 't': return word("true", Boolean.TRUE);
                case 'f': return word("false", Boolean.FALSE);
                case 'n': return word("null", null);
                default: return number();
            }
        }

        private Map<String, Object> members(int depth) throws Refusal {
            Map<String, Object> members = new LinkedHashMap<>();
            position++;
            if (takes('}')) {
                return members;
            }
            do {
                space();
                String name = quoted();
                expect(':');
                if (members.put(name, value(depth + 1)) != null) {
                    throw nonsense();
                }
            } while (takes(','));
            expect('}');
            return members;
        }

        private List<Object> elements(int depth) throws Refusal {
            List<Object> elements = new ArrayList<>();
            position++;
            if (takes(']')) {
                return elements;
            }
            do {
                elements.add(value(depth + 1));
            } while (takes(','));
            expect(']');
            return elements;
        }

        private String quoted() throws Refusal {
            expect('"');
            StringBuilder string = new StringBuilder();
            while (position < text.length()) {
                char one = text.charAt(position++);
                if (one == '"') {
                    return string.toString();
                }
                if (one < ' ') {
                    break;
                }
                string.append(one == '\\' ? escaped() : one);
            }
            throw nonsense();
        }

        private char escaped() throws Refusal {
            char kind = position < text.length() ? text.charAt(position++) : 0;
            switch (kind) {
                case '"': case '\\': case '/': return kind;
                case 'b': return '\b';
                case 'f': return '\f';
                case 'n': return '\n';
                case 'r': return '\r';
                case 't': return '\t';
                case 'u':
                    int code = 0;
                    for (int digit = 0; digit < 4; digit++) {
                        int value = position < text.length() ? Character.digit(text.charAt(position++), 16) : -1;
                        if (value < 0) {
                            throw nonsense();
                        }
                        code = code << 4 | value;
                    }
                    return (char) code;
                default: throw nonsense();
            }
        }

        private Object word(String word, Object value) throws Refusal {
            if (!text.startsWith(word, position)) {
                throw nonsense();
            }
            position += word.length();
            return value;
        }

        private Double number() throws Refusal {
            int start = position;
            while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
                position++;
            }
            try {
                return Double.valueOf(text.substring(start, position));
            } catch (NumberFormatException wrong) {
                throw nonsense();
            }
        }

        private void expect(char one) throws Refusal {
            if (!takes(one)) {
                throw nonsense();
            }
        }

        private boolean takes(char one) {
            space();
            boolean is = position < text.length() && text.charAt(position) == one;
            position += is ? 1 : 0;
            return is;
        }

        private void space() {
            while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
                position++;
            }
        }

        private Refusal nonsense() {
            return new Refusal("error", "not a request: no JSON at character " + position);
        }

        static String text(Map<String, Object> fields) {
            StringBuilder text = new StringBuilder("{");
            for (Map.Entry<String, Object> field : fields.entrySet()) {
                text.append(text.length() > 1 ? "," : "");
                quote(text, field.getKey());
                text.append(':');
                if (field.getValue() instanceof Number) {
                    text.append(field.getValue());
                } else {
                    quote(text, String.valueOf(field.getValue()));
                }
            }
            return text.append('}').toString();
        }

        private static void quote(StringBuilder text, String string) {
            text.append('"');
            for (int index = 0; index < string.length(); index++) {
                char one = string.charAt(index);
                if (one == '"' || one == '\\') {
                    text.append('\\').append(one);
                } else if (one < ' ' || Character.isSurrogate(one)) {
                    text.append(String.format("\\u%04x", (int) one));
                } else {
                    text.append(one);
                }
            }
            text.append('"');
        }
    }
}
