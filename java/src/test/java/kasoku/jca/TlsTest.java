package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the JDK's TLS with ciphers of the installed provider. */
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    @BeforeEach
    void install() {
        assertTrue(KasokuProvider.install());
    }

    @AfterEach
    void remove() {
        Security.removeProvider("Kasoku");
    }

    @Timeout(60)
    @ParameterizedTest
    @CsvSource({
        "TLSv1.3, TLS_AES_128_GCM_SHA256", "TLSv1.3, TLS_AES_256_GCM_SHA384",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
    })
    void recordsAreSealedAndOpenedByTheProvider(String version, String suite) throws Exception {
        SSLContext context = context();
        byte[] text = Aes.bytes(1_200_003, 1);
        long made = KasokuProvider.ciphersMade();
        long done = KasokuProvider.bytesDone();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                SSLServerSocket listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0)) {
            Future<byte[]> echoed = threads.submit(() -> echo(listener, text.length));
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                    .createSocket("localhost", listener.getLocalPort())) {
                socket.setEnabledProtocols(new String[] {version});
                socket.setEnabledCipherSuites(new String[] {suite});
                socket.startHandshake();
                assertEquals(suite, socket.getSession().getCipherSuite());
                Future<?> written = threads.submit(() -> {
                    socket.getOutputStream().write(text);
                    return null;
                });
                assertArrayEquals(text, socket.getInputStream().readNBytes(text.length));
                written.get();
            }
            assertArrayEquals(text, echoed.get());
        }
        long ciphers = KasokuProvider.ciphersMade() - made;
        assertTrue(ciphers >= 4, "two ends in two directions, but " + ciphers + " ciphers");
        // Each cipher processed 1.2 MB and reported the first MiB.
        long bytes = KasokuProvider.bytesDone() - done;
        assertTrue(bytes >= 4L << 20, "two ends in two directions, but " + bytes + " bytes");
    }

    private static byte[] echo(SSLServerSocket listener, int bytes) throws IOException {
        try (SSLSocket socket = (SSLSocket) listener.accept()) {
            byte[] text = socket.getInputStream().readNBytes(bytes);
            socket.getOutputStream().write(text);
            return text;
        }
    }

    /** Creates a context for client and server, with a self-signed certificate. */
    private SSLContext context() throws Exception {
        Path store = folder.resolve("keys");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "end", "-keyalg", "EC", "-dname", "CN=localhost", "-validity", "2",
                "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", new String(PASSWORD))
                .redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), said);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
