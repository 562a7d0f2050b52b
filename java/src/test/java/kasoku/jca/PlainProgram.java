package kasoku.jca;

import java.security.Provider;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A program that does not depend on Kasoku. Prints which provider sealed and opened its message. */
final class PlainProgram {
    private PlainProgram() {}

    public static void main(String[] arguments) throws Exception {
        byte[] text = "A program that has never heard of Kasoku".getBytes("US-ASCII");
        SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, key);
        byte[] sealed = cipher.doFinal(text);
        Provider sealing = cipher.getProvider();
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, cipher.getIV()));
        if (!new String(cipher.doFinal(sealed), "US-ASCII").equals(new String(text, "US-ASCII"))) {
            throw new AssertionError("another text came back");
        }
        System.out.println(sealing.getName());
    }
}
