// Seals a message and opens it again, as any Java program does. Only one line is specific to Kasoku, and java.security
// can have it instead. From the top of the repository, with JDK 22 or later:
//
//     java --enable-native-access=ALL-UNNAMED --class-path java/target/kasoku-jca-0.1.0.jar java/example/Example.java

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import kasoku.jca.KasokuProvider;

public final class Example {
    public static void main(String[] arguments) throws GeneralSecurityException {
        // Puts Kasoku before SunJCE in the list of providers. If Kasoku is unavailable, programs use SunJCE.
        if (!KasokuProvider.install()) {
            System.err.println(KasokuProvider.unavailableBecause().orElse("?"));
        }

        KeyGenerator generator = KeyGenerator.getInstance("AES");
        generator.init(256);
        SecretKey key = generator.generateKey();
        byte[] header = "to: Alice".getBytes(StandardCharsets.UTF_8);
        byte[] text = "The reactor is in the cellar.".getBytes(StandardCharsets.UTF_8);

        // Without parameters the cipher creates a random nonce, which is sent with the message.
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, key);
        cipher.updateAAD(header);
        byte[] sealed = cipher.doFinal(text);
        byte[] nonce = cipher.getIV();
        System.out.println(cipher.getProvider().getName() + " sealed " + text.length + " bytes into " + sealed.length);

        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, nonce));
        cipher.updateAAD(header);
        System.out.println("Opened: " + new String(cipher.doFinal(sealed), StandardCharsets.UTF_8));

        sealed[3] ^= 1;
        cipher.updateAAD(header);
        try {
            cipher.doFinal(sealed);
        } catch (AEADBadTagException forged) {
            System.out.println("Modified: refused");
        }
    }
}
