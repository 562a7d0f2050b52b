//! Acceleration that is missed, and what that costs.

use crate::facts::Facts;
use crate::figure::Figure;
use crate::instructions;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::code_path::{uses_aes_instructions, uses_vaes_instructions};
use kasoku_model::cpu_model;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "mask-set",
        topic: Topic::Acceleration,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| {
            // Every figure of the run is under the mask: none shows what it would be without.
            let found = Found::new().behind(Evidence::Settings(instructions::mask(facts)?));
            Some(found.behind(Evidence::NoFigure))
        },
        english: Wording {
            when: "OpenSSL reports a mask from its environment while acceleration is on, or AES switched off on a CPU that \
                   has it.",
            says: "Take OpenSSL’s CPU mask away: it keeps the library from instructions that the CPU has.",
            reason: "OPENSSL_ia32cap and OPENSSL_armcap are for tests. Somebody set them once, in a service file or a \
                     profile, and every program started from there obeys.",
        },
        japanese: Wording {
            when: "加速が有効なはずの状態で OpenSSL が環境変数のマスクを報告しているか、AES 命令のある CPU で AES が無効にされているとき。",
            says: "OpenSSL の CPU マスクを外します。CPU にある命令をライブラリが使えなくなっています。",
            reason: "OPENSSL_ia32cap と OPENSSL_armcap は試験用の環境変数です。サービスの設定やプロファイルに残っていると、そこから起動したプログラムすべてに効きます。",
        },
        lines: lines::no_mask,
    },
    Rule {
        id: "library-ignores-aes",
        topic: Topic::Acceleration,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| {
            let algorithms = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];
            let (algorithm, path) = algorithms.into_iter().find_map(|algorithm| {
                let paths = facts.code_paths(algorithm);
                let is_without = !paths.is_empty() && !paths.iter().any(|path| uses_aes_instructions(path));
                is_without.then(|| (algorithm, paths.into_iter().collect::<Vec<_>>().join(", ")))
            })?;
            if facts.has("aes") != Some(true) {
                return None;
            }
            let cost = costs(facts, algorithm, |figure| uses_aes_instructions(&figure.code_path));
            let found = Found::new().with("library", library(facts)).behind(Evidence::CodePath(algorithm, path));
            Some(found.behind_all(cost))
        },
        english: Wording {
            when: "The CPU has AES instructions, and the library was seen running AES without them.",
            says: "{library} does not use this CPU’s AES instructions: use a build that does.",
            reason: "Builds without assembly (no-asm), or for an older architecture, leave them out.",
        },
        japanese: Wording {
            when: "CPU に AES 命令があるのに、ライブラリがそれを使わずに AES を処理していたとき。",
            says: "{library} はこの CPU の AES 命令を使っていません。使うようにビルドされたものに替えてください。",
            reason: "アセンブリを除いたビルド（no-asm）や古いアーキテクチャ向けのビルドでは、AES 命令が使われません。",
        },
        lines: lines::newer_library,
    },
    Rule {
        id: "library-too-old-for-vaes",
        topic: Topic::Acceleration,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| {
            let is_able = instructions::has_vector_aes(facts)? && instructions::has_avx512(facts)?;
            let is_old = facts.openssl_version()? < (3, 1, 0);
            let found = (is_able && is_old).then(|| Found::new().with("library", library(facts)))?;
            Some(missed_vaes(facts, found))
        },
        english: Wording {
            when: "The CPU has VAES, VPCLMULQDQ and AVX-512, and the OpenSSL that was measured is older than 3.1.",
            says: "{library} is too old for this CPU’s vector AES instructions: use OpenSSL 3.1 or later (3.5 has long-term \
                   support).",
            reason: "OpenSSL has AES-GCM with VAES and AVX-512 from 3.1 (pull request 17239), AES-XTS from 3.5; 3.0 takes \
                     one block an instruction.",
        },
        japanese: Wording {
            when: "CPU に VAES、VPCLMULQDQ、AVX-512 があり、測った OpenSSL が 3.1 より古いとき。",
            says: "{library} は古く、この CPU のベクトル AES 命令（VAES）を使えません。OpenSSL 3.1 以降にしてください（3.5 は長期サポート版です）。",
            reason: "OpenSSL が VAES と AVX-512 で AES-GCM を処理するのは 3.1 から（プルリクエスト 17239）、AES-XTS は 3.5 からです。3.0 は 1 命令で 1 ブロックずつ処理します。",
        },
        lines: lines::newer_library,
    },
    Rule {
        id: "vaes-without-avx512",
        topic: Topic::Acceleration,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let is_half = instructions::has_vector_aes(facts)? && !instructions::has_avx512(facts)?;
            facts.openssl_version().filter(|_| is_half)?;
            let paths = facts.code_paths(Algorithm::Aes128Gcm);
            if paths.iter().any(|path| uses_vaes_instructions(path)) {
                return None;
            }
            Some(missed_vaes(facts, Found::new().with("library", library(facts))))
        },
        english: Wording {
            when: "The CPU has VAES and VPCLMULQDQ but no AVX-512, and OpenSSL was not seen using them.",
            says: "{library} leaves this CPU’s VAES unused: its path for it needs AVX-512, which this CPU has not. \
                   Libraries with a path for VAES and AVX2 (BoringSSL, ring from 0.17.13, Kasoku’s engine) use it.",
            reason: "Zen 3, and Intel’s client CPUs since Alder Lake, have VAES on 256 bits only.",
        },
        japanese: Wording {
            when: "CPU に VAES と VPCLMULQDQ があるが AVX-512 はなく、OpenSSL がそれらを使っていないとき。",
            says: "{library} はこの CPU の VAES を使いません。OpenSSL の VAES 実装には AVX-512 が必要ですが、この CPU にはないためです。VAES と AVX2 の実装を持つライブラリ\
                   （BoringSSL、ring 0.17.13 以降、Kasoku のエンジン）なら使えます。",
            reason: "Zen 3 や、Alder Lake 以降の Intel のクライアント向け CPU では、VAES は 256 ビットまでです。",
        },
        lines: no_lines,
    },
    Rule {
        id: "instructions-hidden",
        topic: Topic::Acceleration,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| {
            let machine = facts.machine();
            if machine.features.is_empty() {
                return None;
            }
            let hidden = cpu_model::hidden(machine.microarchitecture.as_deref()?, &machine.features);
            let hidden: Vec<&str> = hidden.into_iter().filter(|name| FOR_CRYPTOGRAPHY.contains(name)).collect();
            let by = match &machine.hypervisor {
                Some(name) => Value::Name(name.clone()),
                None => Value::Words { english: "the firmware", japanese: "ファームウェア" },
            };
            let found = (!hidden.is_empty()).then(|| Found::new().with("hidden", Value::Name(hidden.join(", "))))?;
            let found = found.with("by", by).behind(Evidence::Features(machine.features.clone()));
            Some(found.behind(Evidence::NoFigure))
        },
        english: Wording {
            when: "This model of CPU always has instructions for cryptography that the machine does not list.",
            says: "Instructions that this CPU has ({hidden}) are hidden by {by}: pass the host’s CPU through.",
            reason: "Hypervisors show guests an older CPU by default, so that they can move between hosts; firmware can \
                     switch AES off. What that costs cannot be measured from inside.",
        },
        japanese: Wording {
            when: "その型番の CPU が必ず持つ暗号向けの命令が、機器の機能一覧にないとき。",
            says: "この CPU にある命令（{hidden}）が {by} によって隠されています。ホストの CPU をそのまま見せる設定にしてください。",
            reason: "ハイパーバイザは、ゲストをホスト間で移せるように、既定で古い CPU に見せることがあります。ファームウェアで AES を無効にできる機種もあります。\
                     それによる損失はゲストの中からは測れません。",
        },
        lines: lines::host_cpu,
    },
    Rule {
        id: "openssl-out-of-support",
        topic: Topic::Acceleration,
        weight: Weight::Act,
        is_headline: false,
        applies: |facts| {
            let version = facts.openssl_version().filter(|version| *version < (3, 0, 0))?;
            let ended = match version {
                (1, 1, 1) => Value::Words { english: "11 September 2023", japanese: "2023 年 9 月 11 日" },
                (1, 1, _) => Value::Words { english: "11 September 2019", japanese: "2019 年 9 月 11 日" },
                (1, 0, 2) => Value::Words { english: "31 December 2019", japanese: "2019 年 12 月 31 日" },
                _ => Value::Words { english: "2016 or earlier", japanese: "2016 年以前" },
            };
            Some(Found::new().with("library", library(facts)).with("ended", ended))
        },
        english: Wording {
            when: "The OpenSSL that was measured is older than 3.0.",
            says: "Replace {library}: its public support ended ({ended}).",
            reason: "No more public security fixes, and later versions have the newer code paths. Measure again after the \
                     change.",
        },
        japanese: Wording {
            when: "測った OpenSSL が 3.0 より古いとき。",
            says: "{library} は公開サポートが終了しています（{ended}）。新しい版に替えてください。",
            reason: "セキュリティ修正はもう公開されません。新しい版には新しい実装も入っているので、替えたあとに測り直してください。",
        },
        lines: no_lines,
    },
];

const FOR_CRYPTOGRAPHY: [&str; 5] = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni"];

fn library(facts: &Facts<'_>) -> Value {
    let (library, version) = facts.library().unwrap_or_default();
    Value::Library(library.to_owned(), version.to_owned())
}

/// What vector AES would bring.
fn missed_vaes(facts: &Facts<'_>, found: Found) -> Found {
    let paths = facts.code_paths(Algorithm::Aes128Gcm).into_iter().collect::<Vec<_>>().join(", ");
    let seen = (!paths.is_empty()).then_some(Evidence::CodePath(Algorithm::Aes128Gcm, paths));
    let costs = costs(facts, Algorithm::Aes128Gcm, |figure| uses_vaes_instructions(&figure.code_path));
    found.behind_all(seen).behind_all(costs)
}

/// What the instructions bring that a library leaves: the others of the run that were seen using them, at most three.
fn costs(facts: &Facts<'_>, algorithm: Algorithm, uses_them: fn(&Figure) -> bool) -> Vec<Evidence> {
    let others = facts.elsewhere(algorithm).into_iter().filter(|comparison| uses_them(&comparison.first));
    let costs: Vec<Evidence> = others.take(3).map(Evidence::Comparison).collect();
    if costs.is_empty() { vec![Evidence::NoFigure] } else { costs }
}
