import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;

/** A source of ciphers: one security provider. */
final class Supply {
    private static final String[] FLAGS = {
        "UseAES", "UseAESIntrinsics", "UseAESCTRIntrinsics", "UseGHASHIntrinsics", "UseCLMUL", "UseSHA", "UseAVX",
    };
    private final Provider provider;
    private final String version;
    private final String loadedFrom;
    /** The provider's code path, unless the virtual machine's flags determine it. */
    private final String codePath;

    private Supply(Provider provider, String version, String loadedFrom, String codePath) {
        this.provider = provider;
        this.version = version;
        this.loadedFrom = loadedFrom;
        this.codePath = codePath;
    }

    static Supply open(String library) throws Refusal {
        String runtime = System.getProperty("java.runtime.version", System.getProperty("java.version", "unknown"));
        switch (library) {
            case "sunjce": {
                Provider provider = Security.getProvider("SunJCE");
                if (provider == null) {
                    throw Refusal.unavailable("this virtual machine has no provider SunJCE", null);
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
                throw Refusal.unavailable("no provider is known for the library " + library, null);
        }
    }

    private static Supply nss(String runtime) throws Refusal {
        Path folder = nssFolder();
        Provider base = Security.getProvider("SunPKCS11");
        if (base == null) {
            throw Refusal.unavailable("this virtual machine has no provider SunPKCS11", null);
        }
        try {
            // After "--", the argument is the configuration itself instead of a file name.
            Provider provider = base.configure("--name = NSS\nnssLibraryDirectory = \"" + folder
                    + "\"\nnssDbMode = noDb\nattributes = compatibility\n");
            String version = nssVersion(folder.resolve("libsoftokn3.so"));
            return new Supply(provider, version + " (JDK " + runtime + ")", folder.toString(), "unknown");
        } catch (RuntimeException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw Refusal.unavailable("NSS in " + folder + " cannot be used: " + cause, null);
        }
    }

    /** A provider in a jar of the class path. The jar's name has its version, which not every provider reports. */
    private static Supply ofJar(String type, String runtime) throws Refusal {
        Provider provider;
        Path jar;
        try {
            Class<?> found = Class.forName(type);
            provider = (Provider) found.getDeclaredConstructor().newInstance();
            jar = Paths.get(found.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (ReflectiveOperationException | URISyntaxException | RuntimeException | LinkageError failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw Refusal.unavailable(type + " cannot be used: " + cause, null);
        }
        try {
            Cipher.getInstance("AES/GCM/NoPadding", provider);
        } catch (GeneralSecurityException | LinkageError failure) {
            throw Refusal.unavailable(provider.getName() + " has no AES-GCM here: " + provider.getInfo(), null);
        }
        Matcher version = Pattern.compile("-([0-9]+(\\.[0-9]+)+)").matcher(String.valueOf(jar.getFileName()));
        String stated = version.find() ? version.group(1) : provider.getVersionStr();
        return new Supply(provider, stated + " (JDK " + runtime + ")", jar.toString(), codePath(provider));
    }

    /** Returns the code path of a provider in a jar: reported by the provider, or known for it. */
    private static String codePath(Provider provider) {
        switch (provider.getName()) {
            case "Kasoku":
                // For example "AES-GCM by libkasoku 0.1.0, vaes512, from the jar (linux-x86_64)".
                String[] parts = provider.getInfo().split(", ");
                return parts.length == 3 ? parts[1] : "unknown";
            case "BC":
                // HotSpot has intrinsics only for the classes of SunJCE.
                return "compiled-java";
            default:
                return "unknown";
        }
    }

    private static Path nssFolder() throws Refusal {
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
        throw Refusal.unavailable("there is no libsoftokn3.so beside a libnss3.so here", "apt install libnss3");
    }

    /** Returns the version of NSS from a string in its library. */
    private static String nssVersion(Path library) {
        try {
            String all = new String(Files.readAllBytes(library), StandardCharsets.ISO_8859_1);
            Matcher stated = Pattern.compile("Version: NSS ([0-9.]{1,20})").matcher(all);
            if (stated.find()) {
                return stated.group(1);
            }
        } catch (IOException | OutOfMemoryError unreadable) {
            // The version stays unknown.
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
        answer.put("protocol", 1);
        answer.put("version", version);
        StringBuilder features = new StringBuilder();
        for (String flag : FLAGS) {
            // HotSpot's flags affect only SunJCE.
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
     * Returns the code path by the virtual machine's flags: the enabled intrinsics for this cipher, or compiled Java
     * code. Code paths of native libraries are not visible here.
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

    /** Returns the current value of a flag; null if this virtual machine does not have the flag. */
    private static String flag(String name) {
        try {
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return bean == null ? null : bean.getVMOption(name).getValue();
        } catch (IllegalArgumentException | LinkageError unknown) {
            return null;
        }
    }
}
