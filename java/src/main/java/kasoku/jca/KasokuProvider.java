package kasoku.jca;

import java.security.Provider;
import java.security.Security;
import java.util.Optional;

/**
 * The security provider {@code Kasoku}: {@code Cipher.AES/GCM/NoPadding} and {@code AlgorithmParameters.GCM}, under the
 * names that the JDK's own provider SunJCE has for them.
 *
 * <p>Where its native library cannot run, it has no services, {@link #unavailableBecause} says why, and programs go on
 * with the provider behind it.
 */
public final class KasokuProvider extends Provider {
    private static final long serialVersionUID = 1;
    private static final String NAME = "Kasoku";
    private static final String VERSION = "0.1.0";

    /** The provider, which {@link Security#insertProviderAt} puts among the others. */
    public KasokuProvider() {
        super(NAME, VERSION, Services.HERE.information());
        Services.HERE.of(this).forEach(this::putService);
    }

    /**
     * Puts the provider before SunJCE, so that programs which name no provider get it for what it has.
     *
     * @return whether it is there now; {@code false} where it is unavailable, and then nothing was changed
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
     * Why the provider has no services here.
     *
     * @return the reason; empty if it works
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
     * How many bytes of data this provider's ciphers have encrypted and decrypted in this virtual machine. A cipher
     * tells of them MiB by MiB, and of the rest once it is garbage: so what was done last may be missing.
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
     * Prints whether the provider works here, by which code, or why not: {@code java -jar kasoku-jca.jar}.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        System.out.println(Services.HERE.information());
    }
}
