//! What is said of missed acceleration and old libraries.

use super::{phrases, words};

words! {
    MASK_SET, "mask-set":
        when "OpenSSL reports a mask from its environment while acceleration is on, or AES switched off on a CPU that \
              has it.",
             "加速が有効なはずの状態で OpenSSL が環境変数のマスクを報告しているか、AES 命令のある CPU で AES が無効にされているとき。";
        says "Take OpenSSL’s CPU mask away: it keeps the library from instructions that the CPU has.",
             "OpenSSL の CPU マスクを外します。CPU にある命令をライブラリが使えなくなっています。";
        why  "OPENSSL_ia32cap and OPENSSL_armcap are for tests. Somebody set them once, in a service file or a \
              profile, and every program started from there obeys.",
             "OPENSSL_ia32cap と OPENSSL_armcap は試験用の環境変数です。サービスの設定やプロファイルに残っていると、そこから起動したプログラムすべてに効きます。";

    LIBRARY_IGNORES_AES, "library-ignores-aes":
        when "The CPU has AES instructions, and the library was seen running AES without them.",
             "CPU に AES 命令があるのに、ライブラリがそれを使わずに AES を処理していたとき。";
        says "{library} does not use this CPU’s AES instructions: use a build that does.",
             "{library} はこの CPU の AES 命令を使っていません。使うようにビルドされたものに替えてください。";
        why  "Builds without assembly (no-asm), or for an older architecture, leave them out.",
             "アセンブリを除いたビルド（no-asm）や古いアーキテクチャ向けのビルドでは、AES 命令が使われません。";

    LIBRARY_TOO_OLD_FOR_VAES, "library-too-old-for-vaes":
        when "The CPU has VAES, VPCLMULQDQ and AVX-512, and the OpenSSL that was measured is older than 3.1.",
             "CPU に VAES、VPCLMULQDQ、AVX-512 があり、測った OpenSSL が 3.1 より古いとき。";
        says "{library} is too old for this CPU’s vector AES instructions: use OpenSSL 3.1 or later (3.5 has long-term \
              support).",
             "{library} は古く、この CPU のベクトル AES 命令（VAES）を使えません。OpenSSL 3.1 以降にしてください（3.5 は長期サポート版です）。";
        why  "OpenSSL has AES-GCM with VAES and AVX-512 from 3.1 (pull request 17239), AES-XTS from 3.5; 3.0 takes one \
              block an instruction.",
             "OpenSSL が VAES と AVX-512 で AES-GCM を処理するのは 3.1 から（プルリクエスト 17239）、AES-XTS は 3.5 からです。\
              3.0 は 1 命令で 1 ブロックずつ処理します。";

    VAES_WITHOUT_AVX512, "vaes-without-avx512":
        when "The CPU has VAES and VPCLMULQDQ but no AVX-512, and OpenSSL was not seen using them.",
             "CPU に VAES と VPCLMULQDQ があるが AVX-512 はなく、OpenSSL がそれらを使っていないとき。";
        says "{library} leaves this CPU’s VAES unused: its path for it needs AVX-512, which this CPU has not. \
              Libraries with a path for VAES and AVX2 (BoringSSL, ring from 0.17.13, Kasoku’s engine) use it.",
             "{library} はこの CPU の VAES を使いません。OpenSSL の VAES 実装には AVX-512 が必要ですが、この CPU にはないためです。\
              VAES と AVX2 の実装を持つライブラリ（BoringSSL、ring 0.17.13 以降、Kasoku のエンジン）なら使えます。";
        why  "Zen 3, and Intel’s client CPUs since Alder Lake, have VAES on 256 bits only.",
             "Zen 3 や、Alder Lake 以降の Intel のクライアント向け CPU では、VAES は 256 ビットまでです。";

    INSTRUCTIONS_HIDDEN, "instructions-hidden":
        when "This model of CPU always has instructions for cryptography that the machine does not list.",
             "その型番の CPU が必ず持つ暗号向けの命令が、機器の機能一覧にないとき。";
        says "Instructions that this CPU has ({hidden}) are hidden by {by}: pass the host’s CPU through.",
             "この CPU にある命令（{hidden}）が {by} によって隠されています。ホストの CPU をそのまま見せる設定にしてください。";
        why  "Hypervisors show guests an older CPU by default, so that they can move between hosts; firmware can \
              switch AES off. What that costs cannot be measured from inside.",
             "ハイパーバイザは、ゲストをホスト間で移せるように、既定で古い CPU に見せることがあります。ファームウェアで AES を無効にできる機種もあります。それによる損失はゲストの中からは測れません。";

    OPENSSL_OUT_OF_SUPPORT, "openssl-out-of-support":
        when "The OpenSSL that was measured is older than 3.0.",
             "測った OpenSSL が 3.0 より古いとき。";
        says "Replace {library}: its public support ended ({ended}).",
             "{library} は公開サポートが終了しています（{ended}）。新しい版に替えてください。";
        why  "No more public security fixes, and later versions have the newer code paths. Measure again after the \
              change.",
             "セキュリティ修正はもう公開されません。新しい版には新しい実装も入っているので、替えたあとに測り直してください。";
}

phrases! {
    THE_FIRMWARE: "the firmware", "ファームウェア";
    SEPTEMBER_2023: "11 September 2023", "2023 年 9 月 11 日";
    SEPTEMBER_2019: "11 September 2019", "2019 年 9 月 11 日";
    DECEMBER_2019: "31 December 2019", "2019 年 12 月 31 日";
    UNTIL_2016: "2016 or earlier", "2016 年以前";
}
