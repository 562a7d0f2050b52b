package kasoku.jca;

import java.security.Provider;
import java.util.List;
import java.util.Optional;

/**
 * The provider's services on this machine. This class and the provider are compiled for Java 11, everything else for
 * Java 22, so that programs with this jar also start on older JDKs, with a message that the provider is unavailable.
 */
abstract class Services {
    static final Services HERE = find();

    private static final int OLDEST_JAVA = 22;

    abstract Optional<String> unavailableBecause();

    abstract String information();

    abstract List<Provider.Service> of(Provider provider);

    abstract long ciphersMade();

    abstract long bytesDone();

    private static Services find() {
        int java = Runtime.version().feature();
        if (java < OLDEST_JAVA) {
            return new None("Java " + OLDEST_JAVA + " or later is needed, and this is Java " + java);
        }
        try {
            Class<?> services = Class.forName("kasoku.jca.NativeServices");
            return (Services) services.getDeclaredMethod("open").invoke(null);
        } catch (ReflectiveOperationException | LinkageError failure) {
            return new None("the native library does not work: "
                    + (failure.getCause() == null ? failure : failure.getCause()));
        }
    }

    /** Creates the services of an unavailable provider: none. */
    static final class None extends Services {
        private final String reason;

        None(String reason) {
            this.reason = reason;
        }

        @Override
        Optional<String> unavailableBecause() {
            return Optional.of(reason);
        }

        @Override
        String information() {
            return "Unavailable: " + reason;
        }

        @Override
        List<Provider.Service> of(Provider provider) {
            return List.of();
        }

        @Override
        long ciphersMade() {
            return 0;
        }

        @Override
        long bytesDone() {
            return 0;
        }
    }
}
