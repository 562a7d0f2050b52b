// An HTTPS server of the JDK (module jdk.httpserver) with AES-GCM of one security provider, which the laboratory's
// clients put load on. Like the worker (Worker.java, with which it is compiled), it answers each line of JSON on
// standard input with one line, and ends with standard input.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

public final class Server {
    private static final String MODULE = "jdk.httpserver";

    private final String library;
    private Supply supply;

    private Server(String library) {
        this.library = library;
    }

    public static void main(String[] arguments) throws IOException {
        Server server = new Server(arguments.length > 0 ? arguments[0] : "sunjce");
        // Keeps output of libraries out of the answers.
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        Lines lines = new Lines(System.in);
        for (String line = lines.next(); line != null; line = lines.next()) {
            Map<String, Object> answer;
            try {
                answer = server.answer(Json.object(line));
            } catch (Refusal refusal) {
                answer = refusal.answer();
            } catch (Exception | LinkageError | OutOfMemoryError failure) {
                answer = new Refusal("error", String.valueOf(failure)).answer();
            }
            output.write((Json.text(answer) + "\n").getBytes(StandardCharsets.UTF_8));
            output.flush();
        }
        // End the process explicitly, because the server's threads keep waiting for connections.
        Runtime.getRuntime().halt(0);
    }

    private Map<String, Object> answer(Map<String, Object> request) throws Exception {
        String operation = Json.string(request, "operation", "");
        switch (operation) {
            case "serve": return serve(request);
            case "count": return count();
            default: throw new Refusal("error", "a server knows no operation " + operation);
        }
    }

    private Map<String, Object> serve(Map<String, Object> request) throws Exception {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            String java = System.getProperty("java.runtime.version", "unknown");
            throw Refusal.unavailable("JDK " + java + " has no module " + MODULE, null);
        }
        supply = Supply.open(library);
        if (!library.equals("sunjce")) {
            Security.insertProviderAt(supply.provider(), 1);
        }
        Map<String, Object> answer = supply.description();
        answer.put("cipher", cipherOfTls());
        answer.put("port", Listener.start(request));
        return answer;
    }

    /** Returns the number of bytes that the provider's ciphers processed, if it counts them. */
    private Map<String, Object> count() throws Exception {
        Map<String, Object> answer = new LinkedHashMap<>();
        if (library.equals("kasoku-jca")) {
            answer.put("bytes", Class.forName("kasoku.jca.KasokuProvider").getMethod("bytesDone").invoke(null));
        }
        return answer;
    }

    /** Checks that programs which name no provider, like TLS, get AES-GCM of the measured one. */
    private String cipherOfTls() throws GeneralSecurityException, Refusal {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"),
                new GCMParameterSpec(128, new byte[12]));
        String name = cipher.getProvider().getName();
        if (!name.equals(supply.provider().getName())) {
            throw new Refusal("error", "TLS would have its ciphers from " + name);
        }
        return name;
    }

    /** The code that needs the module, in a class that is not loaded if the module is missing. */
    private static final class Listener {
        private static final String PATH = "/";
        private static final char[] PASSWORD = new char[0];
        /** Number of bytes written at a time, as by {@code InputStream.transferTo}. */
        private static final int PIECE = 16_384;

        private Listener() {
        }

        /** Serves the first NUMBER bytes of a file from memory as {@code /NUMBER}. Returns the port. */
        static int start(Map<String, Object> request) throws Exception {
            byte[] file = Files.readAllBytes(Paths.get(required(request, "file")));
            SSLContext context = context(required(request, "key"), required(request, "certificate"));
            SSLParameters parameters = context.getDefaultSSLParameters();
            parameters.setProtocols(new String[] {required(request, "protocol")});
            parameters.setCipherSuites(new String[] {required(request, "suite")});
            // With Nagle's algorithm, a short last piece waits for an acknowledgement.
            System.setProperty("sun.net.httpserver.nodelay", "true");
            HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context) {
                @Override
                public void configure(HttpsParameters of) {
                    of.setSSLParameters(parameters);
                }
            });
            int threads = (int) Math.max(1, Math.min(Json.whole(request, "threads", 1), Request.MAX_THREADS));
            server.setExecutor(Executors.newFixedThreadPool(threads));
            server.createContext(PATH, exchange -> send(exchange, file));
            server.start();
            return server.getAddress().getPort();
        }

        private static void send(HttpExchange exchange, byte[] file) throws IOException {
            try {
                int bytes = bytes(exchange.getRequestURI().getPath());
                if (bytes < 1 || bytes > file.length) {
                    exchange.sendResponseHeaders(404, -1);
                    return;
                }
                exchange.sendResponseHeaders(200, bytes);
                try (OutputStream body = exchange.getResponseBody()) {
                    for (int at = 0; at < bytes; at += PIECE) {
                        body.write(file, at, Math.min(PIECE, bytes - at));
                    }
                }
            } finally {
                exchange.close();
            }
        }

        private static int bytes(String path) {
            try {
                return Integer.parseInt(path.substring(PATH.length()));
            } catch (NumberFormatException | StringIndexOutOfBoundsException none) {
                return 0;
            }
        }

        /** Returns the JDK's own TLS, even if other providers have one. */
        private static SSLContext context(String key, String certificate) throws IOException, GeneralSecurityException {
            PrivateKey own = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pem(key)));
            Certificate shown = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem(certificate)));
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, PASSWORD);
            keys.setKeyEntry("server", own, PASSWORD, new Certificate[] {shown});
            KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
            managers.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS", "SunJSSE");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        }

        private static byte[] pem(String file) throws IOException {
            String text = new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.US_ASCII);
            return Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
        }

        private static String required(Map<String, Object> request, String name) throws Refusal {
            String value = Json.string(request, name, null);
            if (value == null) {
                throw new Refusal("error", "the request names no " + name);
            }
            return value;
        }
    }
}
