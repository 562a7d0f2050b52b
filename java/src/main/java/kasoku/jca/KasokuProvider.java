package kasoku.jca;

import java.security.Provider;
import java.security.Security;
import java.util.Optional;

/**
 * The security provider {@code Kasoku}: {@code Cipher.AES/GCM/NoPadding} and {@code AlgorithmParameters.GCM}, under the
 * names of the JDK's own provider, SunJCE, and {@code Cipher.AES/GCM-SIV/NoPadding}, which SunJCE lacks.
 *
 * <p>If the native library cannot run, the provider has no services, {@link #unavailableBecause} returns the reason,
 * and programs use the next provider in the list.
 */
public final class KasokuProvider extends Provider {
    private static final long serialVersionUID = 1;
    private static final String NAME = "Kasoku";
    private static final String VERSION = "0.1.0";

    /** Creates the provider, for example for {@link Security#insertProviderAt}. */
    public KasokuProvider() {
        super(NAME, VERSION, Services.HERE.information());
        Services.HERE.of(this).forEach(this::putService);
    }

    /**
     * Puts the provider before SunJCE, so that programs which name no provider use its services.
     *
     * @return whether the provider is installed; {@code false} if it is unavailable, and then nothing changes
     */
    public static boolean install() {
        if (unavailableBecause().isPresent()) {
            return false;
        }
        Security.removeProvider(NAME);
        int position = 1;
        for (Provider provider : Security.getProviders()) {
            if (provider.getName().equals("SunJCE")) {
                break;
            }
            position++;
        }
        return Security.insertProviderAt(new KasokuProvider(), position) == position;
    }

    /**
     * Returns the reason why the provider has no services on this machine.
     *
     * @return the reason; empty if the provider works
     */
    public static Optional<String> unavailableBecause() {
        return Services.HERE.unavailableBecause();
    }

    /**
     * Returns the number of {@code Cipher} objects that this provider serves in this virtual machine, including those
     * collected as garbage. Zero means that no program uses the provider. A {@code Cipher} counts once, at its first
     * successful {@code init}, however often it is initialized afterwards.
     *
     * @return the number of initialized {@code Cipher} objects
     */
    public static long ciphersMade() {
        return Services.HERE.ciphersMade();
    }

    /**
     * Returns the number of bytes that this provider's ciphers encrypted and decrypted in this virtual machine. A
     * cipher reports every MiB, and the rest when it is collected as garbage, so the newest bytes may be missing.
     *
     * @return the number of bytes
     */
    public static long bytesDone() {
        return Services.HERE.bytesDone();
    }

    /**
     * Replaces a deserialized provider by a new one, since services are not serialized.
     *
     * @return the new provider
     */
    private Object readResolve() {
        return new KasokuProvider();
    }

    /**
     * Prints the backend, or the reason why the provider does not work here: {@code java -jar kasoku-jca.jar}.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        System.out.println(Services.HERE.information());
    }
}
