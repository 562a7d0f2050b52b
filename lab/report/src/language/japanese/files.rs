//! Encrypted files in Japanese.

use crate::files::Finding;
use crate::language::FileMessages;
use crate::quantity::{digits, percent, points, size};
use crate::verdict;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation};

pub(super) const FILES: FileMessages = FileMessages {
    title: "ファイルの暗号化",
    explained: "ファイル全体を開いてから閉じるまでの時間です。読み込み、暗号化または復号し、別のファイルに書き出します。書き出した内容は\
                この時点でシステムのキャッシュにあり、ストレージにはまだ届いていません。表と図は公開された測定に倣って作り直し、\
                元の値と並べてあります。",
    figures: "所要時間と向上率",
    test_run: "テスト実行",
    size: "サイズ",
    encrypt_off: "暗号化、加速オフ（ms）",
    decrypt_off: "復号、加速オフ（ms）",
    encrypt_on: "暗号化、加速オン（ms）",
    decrypt_on: "復号、加速オン（ms）",
    encrypt_improvement: "暗号化の向上率（%）",
    decrypt_improvement: "復号の向上率（%）",
    mean: "平均",
    table_note: "所要時間は、1回のテスト実行における繰り返しの平均。向上率＝（加速オフ−加速オン）÷加速オフ。時間は短いほど良い。",
    published_note: "数値は原文のまま。加速の有無はBIOSでAES命令を切り替えたもの。",
    overview: "ファイル：加速オンの所要時間（ms）と、加速による短縮",
    overview_note: "値は中央値。コピーは、暗号処理をせずに同じ読み書きだけを行った場合。メモリー上は、ストレージを介さずメモリーから\
                    メモリーへ暗号化した場合。",
    stack: "実装",
    algorithm: "アルゴリズム",
    encrypt: "暗号化",
    decrypt: "復号",
    encrypt_saves: "短縮",
    decrypt_saves: "短縮（復号）",
    encrypt_in_memory: "メモリー上",
    copy: "コピー",
    cold: "キャッシュなし",
    milliseconds: "ミリ秒",
    other_stacks: "その他の実装と条件",
    components: "システム・コンポーネント",
    published_components: "公開された測定のシステム・コンポーネント（原文）",
    component: "コンポーネント",
    detail: "詳細",
    hardware: "ハードウェア",
    operating_system: "オペレーティング・システム",
    applications: "実装",
    measured_by: "測定",
    log: "全繰り返しのログ",
    sentence,
    threads: |threads| format!("{threads}スレッド"),
    table: |algorithm, stack| format!("{algorithm}、{stack}：テスト実行ごとの所要時間"),
    published_table: |bits| format!("AES-{bits}、2012年の公開値（JavaとNSS、Xeon X5690）"),
    slip: |printed, follows, what| {
        let printed = if printed.is_empty() { "誤記".to_owned() } else { format!("† {printed}") };
        let follows = follows.map(|follows| format!("（正しくは{follows}）")).unwrap_or_default();
        format!("{printed}{follows}：{what}")
    },
    figure_times: |algorithm, stack| match stack {
        Some(stack) => format!("{algorithm}、{stack}：所要時間"),
        None => format!("{algorithm}、公開値：所要時間"),
    },
    figure_improvement: |operation, stack| {
        let what = if operation == Operation::Encrypt { "暗号化" } else { "復号" };
        match stack {
            Some(stack) => format!("{what}、{stack}：向上率"),
            None => format!("{what}、公開値：向上率"),
        }
    },
    place,
    log_cut: |shown, all| {
        format!("全{all}行のうち最初の{shown}行です。すべてのログは kasoku run files --log FILE で書き出せます。")
    },
};

/// The headline of a run of files only.
pub(super) fn headline(findings: &[verdict::Finding]) -> Option<String> {
    let of_files = |finding: &verdict::Finding| match finding {
        verdict::Finding::Files(finding) => Some(finding.clone()),
        _ => None,
    };
    let all: Vec<Finding> =
        findings.iter().map(of_files).collect::<Option<_>>().filter(|all: &Vec<_>| !all.is_empty())?;
    let lead = all.iter().find(|finding| finding.leads());
    Some(lead.or(all.last()).map(sentence).unwrap_or_default())
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Saved { algorithm, stack, percent: [encrypt, decrypt] } => format!(
            "AES命令により、{algorithm}によるファイルの暗号化時間は{} %、復号時間は{} %短くなります（{stack}）。",
            points(*encrypt),
            points(*decrypt)
        ),
        Finding::Copied { algorithm, stack, bytes, whole, copy, in_memory } => {
            let in_memory = in_memory
                .map(|time| format!("メモリーからメモリーへの暗号化は{} msです。", digits(time)))
                .unwrap_or_default();
            let (size, whole_ms) = (size(*bytes), digits(*whole));
            if copy >= whole {
                return format!(
                    "{stack}は{algorithm}で{size}を{whole_ms} msで暗号化します。ファイルをコピーするだけの時間（{} ms）を\
                     超えません。{in_memory}",
                    digits(*copy)
                );
            }
            let share = percent(100.0 * copy / whole);
            format!(
                "{stack}が{algorithm}で{size}を暗号化する{whole_ms} msのうち、{share}はファイルのコピーだけでもかかる時間です。\
                 {in_memory}"
            )
        }
    }
}

fn place(files: Files) -> &'static str {
    match (files.storage, files.cache) {
        (Storage::Memory, _) => "メモリー上",
        (Storage::File, Cache::Cold) => "キャッシュなし",
        (Storage::File, Cache::Warm) => "ファイルシステム上",
    }
}
