package kasoku.jca;

import java.security.Provider;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The provider's services if its native library works. */
final class NativeServices extends Services {
    private static final String GCM = "GCM";
    private static final String GCM_SIV = "GCM-SIV";

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
                new CipherService(provider, "AES", GCM, 0, List.of()),
                new CipherService(provider, "AES_128", GCM, 16, aliases("2.16.840.1.101.3.4.1.6")),
                new CipherService(provider, "AES_192", GCM, 24, aliases("2.16.840.1.101.3.4.1.26")),
                new CipherService(provider, "AES_256", GCM, 32, aliases("2.16.840.1.101.3.4.1.46")),
                new CipherService(provider, "AES", GCM_SIV, 0, List.of()),
                new CipherService(provider, "AES_128", GCM_SIV, 16, List.of()),
                new CipherService(provider, "AES_256", GCM_SIV, 32, List.of()),
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
        private final boolean isSiv;
        private final int keyBytes;

        CipherService(Provider provider, String cipher, String mode, int keyBytes, List<String> aliases) {
            super(provider, "Cipher", cipher + "/" + mode + "/NoPadding", GcmCipher.class.getName(), aliases,
                    Map.of("SupportedModes", mode, "SupportedKeyFormats", "RAW"));
            isSiv = mode.equals(GCM_SIV);
            this.keyBytes = keyBytes;
        }

        @Override
        public Object newInstance(Object parameter) {
            return new GcmCipher(getProvider(), isSiv, keyBytes);
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
