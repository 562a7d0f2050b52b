//! Encrypted files.

use super::say::{pick, say, subject};
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation};

subject! {
    /// Encrypted files.
    FileMessages {
        texts {
            title: "Encrypted files" | "ファイルの暗号化";
            more: "Figures, test runs, the published ones, the log" | "図、テスト実行ごとの値、公表値、ログ";
            explained:
                "Whole files, from opening them to closing them: read, encrypted or decrypted, and written to another \
                 file, which is in the system’s cache then and not yet on the device. The tables and figures are \
                 those of a published measurement, made again and set beside it."
                | "ファイル全体を開いてから閉じるまでの時間です。読み込み、暗号化または復号し、別のファイルに書き出し\
                   ます。書き出した内容はこの時点でシステムのキャッシュにあり、ストレージにはまだ届いていません。表と\
                   図は公開された測定に倣って作り直し、元の値と並べてあります。";
            published: "published" | "公開値";
            figures: "Times and improvements" | "所要時間と向上率";
            test_run: "test run" | "テスト実行";
            size: "size" | "サイズ";
            encrypt_off: "encrypt, off (ms)" | "暗号化、加速オフ（ms）";
            decrypt_off: "decrypt, off (ms)" | "復号、加速オフ（ms）";
            encrypt_on: "encrypt, on (ms)" | "暗号化、加速オン（ms）";
            decrypt_on: "decrypt, on (ms)" | "復号、加速オン（ms）";
            encrypt_improvement: "encrypt: improvement (%)" | "暗号化の向上率（%）";
            decrypt_improvement: "decrypt: improvement (%)" | "復号の向上率（%）";
            mean: "mean" | "平均";
            table_note:
                "Each time is the mean of a test run’s repetitions. Improvement: (off − on) / off. Less time is better."
                | "所要時間は、1回のテスト実行における繰り返しの平均。向上率＝（加速オフ−加速オン）÷加速オフ。時間は短\
                   いほど良い。";
            overview:
                "Files: milliseconds with acceleration on, and time saved by it"
                | "ファイル：加速オンの所要時間（ms）と、加速による短縮";
            overview_note:
                "Medians. Copy: the same reading and writing without a cipher. In memory: the same encryption with \
                 files in memory (memfd), without a device; some kernels write those more slowly than their page cache."
                | "値は中央値。コピーは、暗号処理をせずに同じ読み書きだけを行った場合。メモリー上は、ストレージを介さ\
                   ずメモリー上のファイル（memfd）で暗号化した場合。カーネルによっては、ページキャッシュへの書き込みよ\
                   り遅くなります。";
            library: "library" | "実装";
            algorithm: "algorithm" | "アルゴリズム";
            encrypt: "encrypt" | "暗号化";
            decrypt: "decrypt" | "復号";
            encrypt_saves: "saved" | "短縮";
            decrypt_saves: "saved (decrypt)" | "短縮（復号）";
            encrypt_in_memory: "in memory" | "メモリー上";
            copy: "copy" | "コピー";
            cold: "cold cache" | "キャッシュなし";
            milliseconds: "milliseconds" | "ミリ秒";
            other_libraries: "Other libraries and places" | "その他の実装と条件";
            components: "System components" | "システム・コンポーネント";
            published_components:
                "Components of the published measurement (in its own words)"
                | "公開された測定のシステム・コンポーネント（原文）";
            component: "component" | "コンポーネント";
            detail: "detail" | "詳細";
            hardware: "Hardware" | "ハードウェア";
            operating_system: "Operating system" | "オペレーティング・システム";
            applications: "Libraries" | "実装";
            measured_by: "Measured by" | "測定";
            log: "Log of every repetition" | "全繰り返しのログ";
        }
        sentences {
            figure_times(algorithm: &str, library: &str):
                "{algorithm}, {library}: times"
                | "{algorithm}、{library}：所要時間";
            threads(threads: u64): "{threads} threads" | "{threads}スレッド";
            table(algorithm: &str, library: &str):
                "{algorithm}, {library}: times by test run"
                | "{algorithm}、{library}：テスト実行ごとの所要時間";
            log_cut(shown: usize, all: usize):
                "The first {shown} of {all} lines. The whole log is written with: kasoku run files --log FILE"
                | "全{all}行のうち最初の{shown}行です。すべてのログは kasoku run files --log FILE で書き出せます。";
        }
        cases {
            /// Where files are.
            place(files: Files) in language -> &'static str: match (files.storage, files.cache) {
                (Storage::Memory, _) => pick(language, "in memory", "メモリー上"),
                (Storage::File, Cache::Cold) => pick(language, "cold cache", "キャッシュなし"),
                (Storage::File, Cache::Warm) => pick(language, "on the file system", "ファイルシステム上"),
            };
            figure_improvement(operation: Operation, library: &str) in language -> String: match operation {
                Operation::Encrypt => say!(language, "Encryption, {library}: improvement", "暗号化、{library}：向上率"),
                _ => say!(language, "Decryption, {library}: improvement", "復号、{library}：向上率"),
            };
        }
    }
}
