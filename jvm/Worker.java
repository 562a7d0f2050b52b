// The laboratory's worker for Java: loads one security provider and answers each request, a line of JSON on standard
// input, with a line on standard output (lab/measure/src/protocol.rs). It needs only a JDK:
//
//     javac -d /tmp/worker jvm/*.java
//     echo '{"operation":"seal","algorithm":"aes-128-gcm","bytes":16384,"iterations":10000}' |
//         java -cp /tmp/worker Worker sunjce
//
// The code must work with Java 11. The laboratory compiles these files together and starts `Worker`. If it cannot
// compile them first, it joins them into one source file (lab/libraries/src/jvm/classes.rs).

import com.sun.management.ThreadMXBean;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

public final class Worker {
    static final int MAX_PARTS = 1000;
    /** The number of timed operations divided by this is the number of untimed ones before them. */
    static final int PART_TO_WARM_UP = 16;
    /** Number of operations over which allocated bytes are averaged. */
    static final long OPERATIONS_TO_COUNT = 50;
    /** Approximate maximum number of bytes of text in cached jobs; beyond it, all are discarded. */
    static final long KEPT_TEXT = 64L << 20;

    private final Supply supply;
    private final long warmUpMs;
    private final Map<String, Job> ready = new HashMap<>();
    /** Names of ciphers and workloads that are warmed up. */
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
        // Keeps output of libraries out of the answers.
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        Worker worker = null;
        Map<String, Object> unavailable = null;
        try {
            worker = new Worker(Supply.open(library), warmUpMs);
        } catch (Refusal missing) {
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

    /** Deletes the temporary source file that the worker was started from, which is no longer needed. */
    private static void removeTemporary() {
        String folder = System.getProperty("kasoku.temporary");
        if (folder != null) {
            try {
                Files.deleteIfExists(Paths.get(folder, "Worker.java"));
                Files.deleteIfExists(Paths.get(folder));
            } catch (IOException left) {
                // The laboratory removes the rest when it creates the next folder.
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
        return request.threads > 1 ? timeThreads(request, task) : timeOne(request, task);
    }

    private Map<String, Object> timeOne(Request request, Task task) throws Exception {
        boolean isGiven = request.fixtures != null;
        Job job = isGiven ? task.job(supply, Fixtures.given(request)) : ready(task);
        Map<String, Object> answer = new LinkedHashMap<>();
        if (job.note() != null) {
            answer.put("note", job.note());
        }
        if (request.iterations == 0) {
            return answer;
        }
        if (!isGiven) {
            warmUp(task, job);
        }
        long parts = Math.min(Math.max(1, Math.min(request.parts, MAX_PARTS)), request.iterations);
        long each = request.iterations / parts;
        begin(task, job, request.iterations);
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

    /** Resets a job, with warm caches as in the middle of a run. */
    private static void begin(Task task, Job job, long iterations) throws Exception {
        job.reset();
        if (!task.isSuite()) {
            job.run(Math.max(1, iterations / PART_TO_WARM_UP));
            job.reset();
        }
    }

    /** Returns the number of bytes that a compiled operation allocates on the heap. */
    private static long allocated(Job job) throws Exception {
        job.reset();
        job.run(1);
        Clock.allocated(); // the first calls of this method allocate memory themselves
        long start = Clock.allocated();
        job.run(OPERATIONS_TO_COUNT);
        return (Clock.allocated() - start) / OPERATIONS_TO_COUNT;
    }

    /** Runs the workload in several threads. The wall time is from the first start to the last end. */
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
            parts.add(new FutureTask<>(() -> {
                if (!areAllStarted.get()) {
                    return null;
                }
                Job job = null;
                Exception failure = null;
                try {
                    job = task.job(supply, fixtures);
                    begin(task, job, request.iterations);
                } catch (Exception exception) {
                    failure = exception;
                }
                // Threads that fail must reach the barrier, too, or the others wait forever.
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
            }));
        }
        int started = 0;
        try {
            for (FutureTask<Part> part : parts) {
                new Thread(part, "worker").start();
                started++;
            }
        } finally {
            // If a thread cannot be started, the others must not wait for it at the barrier.
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

    /** Times of one of several threads. */
    private static final class Part {
        long start;
        long end;
        long cpu;
        String check;
    }

    /**
     * Warms up until the compiler has finished, within the time limit given at the start. A virtual machine decides by
     * the number of calls at which level it compiles, and uses AES intrinsics only at the highest. So a cipher
     * processes many short messages first, and then each workload until it no longer gets faster.
     */
    private void warmUp(Task task, Job job) throws Exception {
        long end = System.nanoTime() + warmUpMs * 1_000_000;
        if (!task.isSuite() && warm.add(task.cipher())) {
            // Process long messages in between, because the first one invalidates code compiled for short ones only.
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

    /** Verifies one operation of the timed job, after it was timed and reset. */
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
}

/** The clocks. */
final class Clock {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** Returns the CPU time of this thread in nanoseconds. */
    static long cpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Returns the number of bytes that this thread has allocated. */
    static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Returns the compiler's time in milliseconds; constant if the virtual machine does not report it. */
    static long compiling() {
        return COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported()
                ? COMPILER.getTotalCompilationTime() : 0;
    }
}

/** Parameters and loops of the warm-up. */
final class WarmUp {
    /** HotSpot fully optimises methods after 5,000 calls or 40,000 loop iterations, and then their callees. */
    static final long MESSAGES = 10_000;
    /** Bytes of a short message for warm-up. */
    static final int BRIEF = 128;
    static final int LONG = 16384;
    private static final long SLICE_NS = 4_000_000;
    /** Number of consecutive slices without improvement that end the warm-up. */
    private static final int WITHOUT_GAIN = 6;
    /** A slice that takes more than this share of the fastest slice's time is no improvement. */
    private static final double GAIN = 0.97;

    static void messages(Job job, long messages, long end) throws Exception {
        job.reset();
        // Few operations per call, so that the method is compiled as a whole. A long-running loop would be compiled by
        // on-stack replacement, and later short calls would not use that code.
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
            // Use the fastest slice, because an interrupted one does not show how many operations fill a slice.
            iterations = Math.max(1, Math.min((long) (SLICE_NS / best), 4 * iterations));
        }
    }
}
