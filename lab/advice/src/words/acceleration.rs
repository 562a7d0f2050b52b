//! What is said of missed acceleration and old libraries.

use super::{phrases, words};

words! {
    MASK_SET, "mask-set":
        when "OpenSSL reports a mask from its environment while acceleration is on, or AES switched off on a CPU that \
              has it.",
             "加速が有効なはずの状態でOpenSSLが環境変数のマスクを報告しているか、AES命令のあるCPUでAESが無効にされてい\
              るとき。";
        says "Take OpenSSL’s CPU mask away: it keeps the library from instructions that the CPU has.",
             "OpenSSLのCPUマスクを外します。CPUにある命令をライブラリが使えなくなっています。";
        why  "OPENSSL_ia32cap and OPENSSL_armcap are for tests. Somebody set them once, in a service file or a \
              profile, and every program started from there obeys.",
             "OPENSSL_ia32capとOPENSSL_armcapは試験用の環境変数です。サービスの設定やプロファイルに残っていると、\
              そこから起動したプログラムすべてに効きます。";

    LIBRARY_IGNORES_AES, "library-ignores-aes":
        when "The CPU has AES instructions, and the library was seen running AES without them.",
             "CPUにAES命令があるのに、ライブラリがそれを使わずにAESを処理していたとき。";
        says "{library} does not use this CPU’s AES instructions: use a build that does.",
             "{library}はこのCPUのAES命令を使っていません。使うようにビルドされたものに替えてください。";
        why  "Builds without assembly (no-asm), or for an older architecture, leave them out.",
             "アセンブリを除いたビルド（no-asm）や古いアーキテクチャ向けのビルドでは、AES命令が使われません。";

    LIBRARY_TOO_OLD_FOR_VAES, "library-too-old-for-vaes":
        when "The CPU has VAES, VPCLMULQDQ and AVX-512, and the OpenSSL that was measured is older than 3.1.",
             "CPUにVAES、VPCLMULQDQ、AVX-512があり、測ったOpenSSLが3.1より古いとき。";
        says "{library} is too old for this CPU’s vector AES instructions: use OpenSSL 3.1 or later (3.5 has long-term \
              support).",
             "{library}は古く、このCPUのベクトルAES命令（VAES）を使えません。OpenSSL 3.1以降にしてください（3.5は長期サ\
              ポート版です）。";
        why  "OpenSSL has AES-GCM with VAES and AVX-512 from 3.1 (pull request 17239), AES-XTS from 3.5; 3.0 takes one \
              block an instruction.",
             "OpenSSLがVAESとAVX-512でAES-GCMを処理するのは3.1から（プルリクエスト17239）、AES-XTSは3.5からです。\
              3.0は1命令で1ブロックずつ処理します。";

    VAES_WITHOUT_AVX512, "vaes-without-avx512":
        when "The CPU has VAES and VPCLMULQDQ but no AVX-512, and OpenSSL was not seen using them.",
             "CPUにVAESとVPCLMULQDQがあるがAVX-512はなく、OpenSSLがそれらを使っていないとき。";
        says "{library} leaves this CPU’s VAES unused: its path for it needs AVX-512, which this CPU has not. \
              Libraries with a path for VAES and AVX2 (BoringSSL, ring from 0.17.13, Kasoku’s engine) use it.",
             "{library}はこのCPUのVAESを使いません。OpenSSLのVAES実装にはAVX-512が必要ですが、このCPUにはないためです。\
              VAESとAVX2の実装を持つライブラリ（BoringSSL、ring 0.17.13以降、Kasokuのエンジン）なら使えます。";
        why  "Zen 3, and Intel’s client CPUs since Alder Lake, have VAES on 256 bits only.",
             "Zen 3や、Alder Lake以降のIntelのクライアント向けCPUでは、VAESは256ビットまでです。";

    INSTRUCTIONS_HIDDEN, "instructions-hidden":
        when "This model of CPU always has instructions for cryptography that the machine does not list.",
             "その型番のCPUが必ず持つ暗号向けの命令が、機器の機能一覧にないとき。";
        says "Instructions that this CPU has ({hidden}) are hidden by {by}: pass the host’s CPU through.",
             "このCPUにある命令（{hidden}）が{by}によって隠されています。ホストのCPUをそのまま見せる設定にしてくださ\
              い。";
        why  "Hypervisors show guests an older CPU by default, so that they can move between hosts; firmware can \
              switch AES off. What that costs cannot be measured from inside.",
             "ハイパーバイザーは、ゲストをホスト間で移せるように、既定で古いCPUに見せることがあります。\
              ファームウェアでAESを無効にできる機種もあります。それによる損失はゲストの中からは測れません。";

    OPENSSL_OUT_OF_SUPPORT, "openssl-out-of-support":
        when "The OpenSSL that was measured is older than 3.0.",
             "測ったOpenSSLが3.0より古いとき。";
        says "Replace {library}: its public support ended ({ended}).",
             "{library}は公開サポートが終了しています（{ended}）。新しい版に替えてください。";
        why  "No more public security fixes, and later versions have the newer code paths. Measure again after the \
              change.",
             "セキュリティ修正はもう公開されません。新しい版には新しい実装も入っているので、\
              替えたあとに測り直してください。";
}

phrases! {
    THE_FIRMWARE: "the firmware", "ファームウェア";
    SEPTEMBER_2023: "11 September 2023", "2023年9月11日";
    SEPTEMBER_2019: "11 September 2019", "2019年9月11日";
    DECEMBER_2019: "31 December 2019", "2019年12月31日";
    UNTIL_2016: "2016 or earlier", "2016年以前";
}
