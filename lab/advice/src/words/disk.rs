//! What is said of disks.

use super::words;

words! {
    DISK_AES_XTS, "disk-aes-xts":
        when "AES runs on instructions of its own.",
             "AESが専用命令で動くとき。";
        says "Encrypt disks with AES-XTS (two 256-bit keys), the default of LUKS 2.",
             "ディスクはAES-XTS（256ビットの鍵2本）で暗号化します。LUKS 2の既定と同じです。";
        why  "XTS keeps the size of a sector and every sector is by itself, so its blocks run side by side on the AES \
              instructions. It encrypts but does not authenticate, like every disk mode without extra space. \
              luksFormat erases: it is for a new disk.",
             "XTSはセクターの大きさを変えず、各セクターを独立に処理するので、AES命令で並列に計算できます。\
              秘匿だけで認証はしません（余分な領域を使わないディスク暗号はどれも同じです）。luksFormatは中身を消すた\
              め、新しいディスクに使います。";

    DISK_ADIANTUM, "disk-adiantum":
        when "AES has no instructions of its own, and ChaCha20-Poly1305 is shown to be faster than AES in XTS (or the \
              mode that was measured in its place).",
             "AESの専用命令がなく、ChaCha20-Poly1305がAES-XTS（なければ代わりに測った利用モード）より速いと示されたと\
              き。";
        says "Encrypt disks with Adiantum instead of AES-XTS.",
             "ディスクはAES-XTSではなくAdiantumで暗号化します。";
        why  "Adiantum was made for CPUs without AES instructions: it encrypts a sector with XChaCha12, and AES only \
              once a sector. Adiantum itself was not measured; ChaCha20-Poly1305 does similar work. It needs Linux 5.0 \
              or later. luksFormat erases: it is for a new disk.",
             "AdiantumはAES命令のないCPUのために作られた方式で、セクターをXChaCha12で暗号化し、AESは1セクターに1回しか\
              使いません。Adiantumそのものの値はなく、処理の近いChaCha20-Poly1305で判断しています。Linux 5.0以降が必要\
              です。luksFormatは中身を消すため、新しいディスクに使います。";
}
