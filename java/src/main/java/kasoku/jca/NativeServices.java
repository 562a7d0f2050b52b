package kasoku.jca;

import java.security.Provider;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The provider's services if its native library works. */
final class NativeServices extends Services {
    private static final Map<String, String> CIPHER_ATTRIBUTES =
            Map.of("SupportedModes", "GCM", "SupportedKeyFormats", "RAW");

    private NativeServices() {}

    /** Loads and tests the library. Does not throw: programs with this provider in their list must start anywhere. */
    static Services open() {
        try {
            NativeLibrary.symbols();
            SelfTest.run();
            return new NativeServices();
        } catch (NativeLibrary.Unavailable missing) {
            return new None(missing.getMessage());
        } catch (RuntimeException failure) {
            return new None("the native library does not work: " + failure);
        }
    }

    @Override
    Optional<String> unavailableBecause() {
        return Optional.empty();
    }

    @Override
    String information() {
        return "AES-GCM by libkasoku " + Calls.version() + ", " + Pieces.BACKEND + ", from " + NativeLibrary.origin();
    }

    @Override
    List<Provider.Service> of(Provider provider) {
        return List.of(
                new CipherService(provider, "AES/GCM/NoPadding", 0, List.of()),
                new CipherService(provider, "AES_128/GCM/NoPadding", 16, aliases("2.16.840.1.101.3.4.1.6")),
                new CipherService(provider, "AES_192/GCM/NoPadding", 24, aliases("2.16.840.1.101.3.4.1.26")),
                new CipherService(provider, "AES_256/GCM/NoPadding", 32, aliases("2.16.840.1.101.3.4.1.46")),
                new ParametersService(provider));
    }

    @Override
    long ciphersMade() {
        return GcmCipher.initializedCiphers();
    }

    @Override
    long bytesDone() {
        return NativeCipher.bytesDone();
    }

    private static List<String> aliases(String oid) {
        return List.of(oid, "OID." + oid);
    }

    private static final class CipherService extends Provider.Service {
        private final int keyBytes;

        CipherService(Provider provider, String name, int keyBytes, List<String> aliases) {
            super(provider, "Cipher", name, GcmCipher.class.getName(), aliases, CIPHER_ATTRIBUTES);
            this.keyBytes = keyBytes;
        }

        @Override
        public Object newInstance(Object parameter) {
            return new GcmCipher(getProvider(), keyBytes);
        }
    }

    private static final class ParametersService extends Provider.Service {
        ParametersService(Provider provider) {
            super(provider, "AlgorithmParameters", "GCM", GcmParameters.class.getName(), List.of(), Map.of());
        }

        @Override
        public Object newInstance(Object parameter) {
            return new GcmParameters();
        }
    }
}
