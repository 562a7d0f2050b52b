//! What is said of Java.

use super::words;

words! {
    JAVA_NEWER_JDK, "java-newer-jdk":
        when "Java’s own provider is shown to be faster at AES-128-GCM in the newest JDK measured than in the oldest.",
             "Java 標準のプロバイダの AES-128-GCM が、測定した中で最も新しい JDK で最も古い JDK より速いと示されたとき。";
        says "Run Java in {newer} rather than in {older}: AES-128-GCM is {times} times as fast there.",
             "Java は {older} ではなく {newer} で動かします。AES-128-GCM が {times} 倍の速さになります。";
        why  "What Java does with the CPU’s instructions is decided by the JDK: newer ones have routines for wider \
              vectors, and for AES and GHASH in one pass. The program stays as it is.",
             "CPU の命令をどこまで使うかは JDK で決まります。新しい JDK ほど幅の広いベクトル命令や、AES と GHASH を一度に処理するルーチンを備えています。プログラムの変更は要りません。";

    JAVA_OWN_PROVIDER, "java-own-provider":
        when "In one JDK, its own provider is shown to be faster at AES-128-GCM than NSS through SunPKCS11.",
             "同じ JDK で、標準のプロバイダの AES-128-GCM が SunPKCS11 経由の NSS より速いと示されたとき。";
        says "Leave AES to Java’s own provider: it is {times} times as fast as NSS through SunPKCS11.",
             "AES は Java 標準のプロバイダに任せます。SunPKCS11 経由の NSS の {times} 倍の速さです。";
        why  "Every call to NSS crosses from Java to C and back, and copies. NSS is for keys that must stay in its \
              store, or where its FIPS validation is asked for.",
             "NSS を呼ぶたびに Java と C の間を行き来し、データも写されます。NSS は、鍵を NSS の保管庫から出せないときや FIPS 認証が求められるときに使います。";

    JAVA_NSS, "java-nss":
        when "In one JDK, NSS through SunPKCS11 is shown to be faster at AES-128-GCM than the JDK’s own provider.",
             "同じ JDK で、SunPKCS11 経由の NSS の AES-128-GCM が標準のプロバイダより速いと示されたとき。";
        says "NSS through SunPKCS11 is {times} times as fast at AES-128-GCM as this JDK’s own provider: use it, or a \
              newer JDK.",
             "AES-128-GCM は、この JDK の標準のプロバイダより SunPKCS11 経由の NSS のほうが {times} 倍の速さです。NSS を使うか、JDK を新しくします。";
        why  "Before JDK 8 the JDK had no routines for AES, and where they are switched off it has none now. A newer \
              JDK is the better way: its own provider needs no calls into C.",
             "JDK 8 より前には AES のルーチンがなく、今の JDK でも無効にされていれば使われません。C を呼ばずに済む標準のプロバイダを使うほうがよいので、できれば JDK を新しくしてください。";

    JAVA_KEEP_INTRINSICS, "java-keep-intrinsics":
        when "Java’s own provider is shown to be faster at AES-128-GCM with HotSpot’s routines for AES and GHASH than \
              without.",
             "Java 標準のプロバイダの AES-128-GCM が、HotSpot の AES と GHASH のルーチンを使うと速くなると示されたとき。";
        says "See that the JVM has its AES and GHASH routines on: in {jdk} they make AES-128-GCM {times} times as \
              fast.",
             "JVM で AES と GHASH のルーチンが有効か確かめます。{jdk} では AES-128-GCM が {times} 倍の速さになります。";
        why  "They are on by default where the CPU has the instructions. They are off under -Xint, where somebody set \
              -XX:-UseAES or -XX:-UseAESIntrinsics once, and in a guest that is kept from the instructions; and a \
              program that ends within a second ends before they are compiled in.",
             "CPU に命令があれば既定で有効です。-Xint のとき、-XX:-UseAES や -XX:-UseAESIntrinsics が指定されたままのとき、命令を隠された仮想マシンでは無効になります。\
              また、1 秒足らずで終わるプログラムは、これらが組み込まれる前に終わります。";
}
