//! What is said of Java.

use super::words;

words! {
    JAVA_NEWER_JDK, "java-newer-jdk":
        when "Java’s own provider is shown to be faster at AES-128-GCM in the newest JDK measured than in the oldest.",
             "Java標準のプロバイダーのAES-128-GCMが、測定した中で最も新しいJDKで最も古いJDKより速いと示されたとき。";
        says "Run Java in {newer} rather than in {older}: AES-128-GCM is {times} times as fast there.",
             "Javaは{older}ではなく{newer}で動かします。AES-128-GCMが{times}倍の速さになります。";
        why  "What Java does with the CPU’s instructions is decided by the JDK: newer ones have routines for wider \
              vectors, and for AES and GHASH in one pass. The program stays as it is.",
             "CPUの命令をどこまで使うかはJDKで決まります。新しいJDKほど幅の広いベクトル命令や、AESとGHASHを一度に処理す\
              るルーチンを備えています。プログラムの変更は要りません。";

    JAVA_KASOKU_PROVIDER, "java-kasoku-provider":
        when "In one JDK, Kasoku’s security provider is shown to be faster at AES-128-GCM than the JDK’s own.",
             "同じJDKで、KasokuのセキュリティプロバイダーのAES-128-GCMがJDK標準のものより速いと示されたとき。";
        says "Put Kasoku’s security provider before the JDK’s own: its AES-128-GCM is {times} times as fast.",
             "KasokuのセキュリティプロバイダーをJDK標準より前に置きます。AES-128-GCMが{times}倍の速さになります。";
        why  "It has AES-GCM only, under the same names, for Java 22 and later; the program stays as it is, and \
              everything else stays with the JDK. docs/JVM.md says what differs.",
             "AES-GCMだけを同じ名前で提供し、Java 22以降で動きます。プログラムの変更は要らず、ほかの暗号はJDKのままで\
              す。違いはdocs/JVM.mdにあります。";

    JAVA_OWN_PROVIDER, "java-own-provider":
        when "In one JDK, its own provider is shown to be faster at AES-128-GCM than NSS through SunPKCS11.",
             "同じJDKで、標準のプロバイダーのAES-128-GCMがSunPKCS11経由のNSSより速いと示されたとき。";
        says "Leave AES to Java’s own provider rather than to NSS through SunPKCS11: it is {times} times as fast.",
             "AESはSunPKCS11経由のNSSではなく、Java標準のプロバイダーに任せます。{times}倍の速さです。";
        why  "Every call to NSS crosses from Java to C and back, and copies. NSS is for keys that must stay in its \
              store, or where its FIPS validation is asked for.",
             "NSSを呼ぶたびにJavaとCの間を行き来し、データも写されます。NSSは、鍵をNSSの保管庫から出せないときやFIPS認\
              証が求められるときに使います。";

    JAVA_NSS, "java-nss":
        when "In one JDK, NSS through SunPKCS11 is shown to be faster at AES-128-GCM than the JDK’s own provider.",
             "同じJDKで、SunPKCS11経由のNSSのAES-128-GCMが標準のプロバイダーより速いと示されたとき。";
        says "NSS through SunPKCS11 is {times} times as fast at AES-128-GCM as this JDK’s own provider: use it, or a \
              newer JDK.",
             "AES-128-GCMは、このJDKの標準のプロバイダーよりSunPKCS11経由のNSSのほうが{times}倍の速さです。NSSを使う\
              か、JDKを新しくします。";
        why  "Before JDK 8 the JDK had no routines for AES, and where they are switched off it has none now. A newer \
              JDK is the better way: its own provider needs no calls into C.",
             "JDK 8より前にはAESのルーチンがなく、今のJDKでも無効にされていれば使われません。Cを呼ばずに済む標準のプロ\
              バイダーを使うほうがよいので、できればJDKを新しくしてください。";

    JAVA_KEEP_INTRINSICS, "java-keep-intrinsics":
        when "Java’s own provider is shown to be faster at AES-128-GCM with HotSpot’s routines for AES and GHASH than \
              without.",
             "Java標準のプロバイダーのAES-128-GCMが、HotSpotのAESとGHASHのルーチンを使うと速くなると示されたとき。";
        says "See that the JVM has its AES and GHASH routines on: in {jdk} they make AES-128-GCM {times} times as \
              fast.",
             "JVMでAESとGHASHのルーチンが有効か確かめます。{jdk}ではAES-128-GCMが{times}倍の速さになります。";
        why  "They are on by default where the CPU has the instructions. They are off under -Xint, where somebody set \
              -XX:-UseAES or -XX:-UseAESIntrinsics once, and in a guest that is kept from the instructions; and a \
              program that ends within a second ends before they are compiled in.",
             "CPUに命令があれば既定で有効です。-Xintのとき、-XX:-UseAESや -XX:-UseAESIntrinsicsが指定されたままのとき、\
              命令を隠された仮想マシンでは無効になります。また、1秒足らずで終わるプログラムは、\
              これらが組み込まれる前に終わります。";
}
