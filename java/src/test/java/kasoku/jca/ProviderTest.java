package kasoku.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Provider;
import java.security.Security;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProviderTest {
    @Test
    void providerRegistersGcmServicesOfSunJce() {
        assertEquals(gcmOf(Aes.SUN), gcmOf(Aes.KASOKU));
        assertEquals(System.getProperty("kasoku.version"), Aes.KASOKU.getVersionStr());
        assertTrue(Aes.KASOKU.getInfo().startsWith("AES-GCM by libkasoku "), Aes.KASOKU.getInfo());
    }

    @Test
    void installPutsProviderOnceBeforeSunJce() throws Exception {
        Provider[] before = Security.getProviders();
        long made = KasokuProvider.ciphersMade();
        try {
            assertTrue(KasokuProvider.install());
            assertTrue(KasokuProvider.install());
            List<String> names = List.of(Security.getProviders()).stream().map(Provider::getName).toList();
            assertEquals(before.length + 1, names.size());
            assertEquals(names.indexOf("SunJCE"), names.indexOf("Kasoku") + 1);
            Cipher cipher = Cipher.getInstance("2.16.840.1.101.3.4.1.46");
            cipher.init(Cipher.ENCRYPT_MODE, Aes.key(32, 1));
            assertEquals("Kasoku", cipher.getProvider().getName());
            assertEquals("SunJCE", Cipher.getInstance("AES/CBC/NoPadding").getProvider().getName());
            assertTrue(KasokuProvider.ciphersMade() > made);
        } finally {
            Security.removeProvider("Kasoku");
        }
    }

    @Test
    void ciphersMadeCountsEachCipherOnceWithAndWithoutNamedProvider() throws Exception {
        long before = KasokuProvider.ciphersMade();
        assertTrue(KasokuProvider.install());
        try {
            for (int number = 0; number < 10; number++) {
                Aes.sealing(Cipher.getInstance(Aes.GCM), Aes.key(32, 1), Aes.parameters(128, number));
            }
        } finally {
            Security.removeProvider("Kasoku");
        }
        assertEquals(10, KasokuProvider.ciphersMade() - before);
        for (int number = 0; number < 10; number++) {
            Aes.opening(Aes.kasoku(), Aes.key(32, 1), Aes.parameters(128, number));
        }
        assertEquals(20, KasokuProvider.ciphersMade() - before);
    }

    @Test
    void ciphersMadeCountsRepeatedlyInitializedCipherOnce() throws Exception {
        long before = KasokuProvider.ciphersMade();
        Cipher cipher = Aes.kasoku();
        for (int number = 0; number < 10; number++) {
            Aes.sealing(cipher, Aes.key(16, number % 3), Aes.parameters(128, number)).doFinal(new byte[20]);
            Aes.opening(cipher, Aes.key(32, number), Aes.parameters(96, number));
        }
        cipher.init(Cipher.WRAP_MODE, Aes.key(16, 1), Aes.parameters(128, 11));
        byte[] wrapped = cipher.wrap(Aes.key(32, 2));
        cipher.init(Cipher.UNWRAP_MODE, Aes.key(16, 1), Aes.parameters(128, 11));
        assertEquals(Aes.key(32, 2), cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
        cipher.init(Cipher.ENCRYPT_MODE, Aes.key(16, 1));
        assertEquals(1, KasokuProvider.ciphersMade() - before);
    }

    @Test
    void ciphersMadeCountsOnlySuccessfullyInitializedCiphers() throws Exception {
        long before = KasokuProvider.ciphersMade();
        Cipher cipher = Aes.kasoku();
        cipher.getBlockSize();
        cipher.getParameters();
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, Aes.key(16, 1)));
        assertThrows(InvalidKeyException.class, () -> Aes.sealing(cipher, Aes.key(7, 1), Aes.parameters(128, 1)));
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(64, 1)));
        assertEquals(0, KasokuProvider.ciphersMade() - before);
        Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, 1));
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, 1)));
        Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, 2));
        assertEquals(1, KasokuProvider.ciphersMade() - before);
    }

    @Test
    void bytesDoneCountsMessagesWithShortTagsOnce() throws Exception {
        byte[] text = new byte[64 << 20];
        SecretKey key = Aes.key(16, 1);
        byte[] sealed = Aes.sealing(Aes.kasoku(), key, Aes.parameters(96, 1)).doFinal(text);
        long before = KasokuProvider.bytesDone();
        Aes.opening(Aes.kasoku(), key, Aes.parameters(96, 1)).doFinal(sealed, 0, sealed.length, text, 0);
        long bytes = KasokuProvider.bytesDone() - before;
        // Garbage ciphers of other tests may add their last bytes meanwhile.
        assertTrue(bytes >= 64 << 20 && bytes < 96 << 20, bytes + " bytes");
    }

    @Test
    void bytesDoneCountsAllCallsInStepsOfOneMib() throws Exception {
        byte[] text = new byte[1 << 19];
        byte[] sealed = Aes.sealed(Aes.key(16, 1), Aes.parameters(128, 1), new byte[0], text);
        long before = KasokuProvider.bytesDone();
        Cipher cipher = Aes.kasoku();
        for (int message = 0; message < 4; message++) {
            Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, message + 2)).doFinal(text);
        }
        assertReportedSince(before, 2);
        Aes.opening(cipher, Aes.key(16, 1), Aes.parameters(128, 1));
        cipher.update(sealed, 0, 100);
        cipher.doFinal(sealed, 100, sealed.length - 100);
        Aes.sealing(cipher, Aes.key(16, 1), Aes.parameters(128, 9)).update(text);
        assertReportedSince(before, 3);
    }

    /** Checks a lower bound in MiB: garbage ciphers of other tests may report bytes meanwhile. */
    private static void assertReportedSince(long before, long mebibytes) {
        long bytes = KasokuProvider.bytesDone() - before;
        assertTrue(bytes >= mebibytes << 20, bytes + " bytes of " + mebibytes + " MiB");
    }

    @Test
    void extractedLibraryIsPrivateAndDeletedAfterLoading() throws Exception {
        byte[] library = {1, 2, 3};
        Path file = NativeLibrary.extracted(library, path -> {
            try {
                assertEquals("rwx------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())));
                assertEquals(3, Files.size(path));
                return path;
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
        });
        assertFalse(Files.exists(file.getParent()));
    }

    /** Windows deletes no loaded library, so a later start does. */
    @Test
    void leftoversOfEarlierProgramsAreDeletedAfterAnHour(@TempDir Path temporary) throws Exception {
        FileTime twoHoursAgo = FileTime.from(Instant.now().minus(2, ChronoUnit.HOURS));
        for (String name : List.of("kasoku-old", "kasoku-new", "another-old")) {
            Path folder = Files.createDirectory(temporary.resolve(name));
            Files.writeString(folder.resolve(System.mapLibraryName("kasoku")), "");
            if (name.endsWith("old")) {
                Files.setLastModifiedTime(folder, twoHoursAgo);
            }
        }
        NativeLibrary.deleteLeftovers(temporary);
        try (Stream<Path> kept = Files.list(temporary)) {
            assertEquals(Set.of("kasoku-new", "another-old"),
                    kept.map(folder -> folder.getFileName().toString()).collect(Collectors.toSet()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "7f66000-7f67000 r-xp 00014000 fe:00 1024                    /lib/ld-musl-x86_64.so.1, true",
        "7f66000-7f67000 r-xp 00014000 fe:00 1024                    /usr/lib/libc.so, true",
        "7f66000-7f67000 r-xp 00014000 fe:00 1024                    /lib/x86_64-linux-gnu/libc.so.6, false",
        "7f66000-7f67000 r-xp 00014000 fe:00 1024                    /lib/aarch64-linux-gnu/libc-2.31.so, false",
        "7f66000-7f67000 r-xp 00014000 fe:00 1024                    /opt/ld-musl-x86_64/libjvm.so, false",
        "7ffc000-7ffd000 rw-p 00000000 00:00 0                       [stack], false"
    })
    void loaderRecognizesMuslByItsMapping(String mapping, boolean isMusl) {
        assertEquals(isMusl, NativeLibrary.isMusl(mapping));
    }

    @Test
    void servicesCreateNewCiphers() throws Exception {
        Provider.Service service = Aes.KASOKU.getService("Cipher", Aes.GCM);
        assertNotNull(service);
        assertSame(GcmCipher.class, service.newInstance(null).getClass());
        assertEquals(GcmCipher.class.getName(), service.getClassName());
    }

    @Test
    void deserializedProviderServesCiphersAndParameters() throws Exception {
        KasokuProvider restored = deserialized(serialized(Aes.KASOKU));
        assertEquals(Aes.KASOKU.getInfo(), restored.getInfo());
        assertEquals(gcmOf(Aes.KASOKU), gcmOf(restored));
        assertEquals(Aes.KASOKU.getServices().size(), restored.getServices().size());
        assertServes(restored);
        assertServes(deserialized(serialized(restored)));
        Security.addProvider(restored);
        try {
            assertServes(Security.getProvider("Kasoku"));
        } finally {
            Security.removeProvider("Kasoku");
        }
    }

    @Test
    void clonedProviderServesCiphersAndParameters() throws Exception {
        assertServes((Provider) Aes.KASOKU.clone());
    }

    private static void assertServes(Provider provider) throws Exception {
        SecretKey key = Aes.key(16, 1);
        byte[] text = Aes.bytes(100, 1);
        byte[] sealed = Aes.sealed(key, Aes.parameters(128, 1), new byte[0], text);
        Cipher cipher = Aes.opening(Cipher.getInstance(Aes.GCM, provider), key, Aes.parameters(128, 1));
        assertArrayEquals(text, cipher.doFinal(sealed));
        assertEquals("GCM", cipher.getParameters().getAlgorithm());
        assertNotNull(AlgorithmParameters.getInstance("GCM", provider));
    }

    private static byte[] serialized(Provider provider) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(provider);
        return bytes.toByteArray();
    }

    private static KasokuProvider deserialized(byte[] bytes) throws IOException, ClassNotFoundException {
        return (KasokuProvider) new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
    }

    /** Returns a service's names, aliases and attributes, without its class. */
    private static Map<String, String> gcmOf(Provider provider) {
        Map<String, String> entries = new TreeMap<>();
        provider.forEach((name, value) -> {
            String entry = name + " = " + value;
            boolean isClass = value.toString().matches(".*\\.GaloisCounterMode.*|kasoku\\.jca\\..*");
            if (entry.contains("/GCM/")) {
                entries.put(name.toString(), isClass ? "" : value.toString());
            }
        });
        return entries;
    }
}
