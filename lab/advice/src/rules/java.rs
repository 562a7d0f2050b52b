//! Java: which JDK, which provider, and what its routines are worth.

use crate::facts::{Facts, Version, version_in};
use crate::figure::Comparison;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::workload::Operation;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "java-newer-jdk",
        topic: Topic::Java,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let [newest, oldest] = jdks(facts)?;
            let comparison =
                facts.hold(newest, oldest).filter(|comparison| comparison.is_first_faster() && is_much(comparison))?;
            let found = Found::new()
                .with("newer", jdk(newest))
                .with("older", jdk(oldest))
                .with("times", Value::Times(comparison.ratio));
            Some(found.behind(Evidence::Comparison(comparison)))
        },
        english: Wording {
            when: "Java’s own provider is shown to be faster at AES-128-GCM in the newest JDK measured than in the oldest.",
            says: "Run Java in {newer} rather than in {older}: AES-128-GCM is {times} times as fast there.",
            reason: "What Java does with the CPU’s instructions is decided by the JDK: newer ones have routines for wider \
                     vectors, and for AES and GHASH in one pass. The program stays as it is.",
        },
        japanese: Wording {
            when: "Java 標準のプロバイダの AES-128-GCM が、測定した中で最も新しい JDK で最も古い JDK より速いと示されたとき。",
            says: "Java は {older} ではなく {newer} で動かします。AES-128-GCM が {times} 倍の速さになります。",
            reason: "CPU の命令をどこまで使うかは JDK で決まります。新しい JDK ほど幅の広いベクトル命令や、AES と GHASH を一度に処理するルーチンを備えています。\
                     プログラムの変更は要りません。",
        },
        lines: no_lines,
    },
    Rule {
        id: "java-own-provider",
        topic: Topic::Java,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = providers(facts)?.filter_first_faster()?;
            Some(Found::new().with("times", Value::Times(comparison.ratio)).behind(Evidence::Comparison(comparison)))
        },
        english: Wording {
            when: "In one JDK, its own provider is shown to be faster at AES-128-GCM than NSS through SunPKCS11.",
            says: "Leave AES to Java’s own provider: it is {times} times as fast as NSS through SunPKCS11.",
            reason: "Every call to NSS crosses from Java to C and back, and copies. NSS is for keys that must stay in its \
                     store, or where its FIPS validation is asked for.",
        },
        japanese: Wording {
            when: "同じ JDK で、標準のプロバイダの AES-128-GCM が SunPKCS11 経由の NSS より速いと示されたとき。",
            says: "AES は Java 標準のプロバイダに任せます。SunPKCS11 経由の NSS の {times} 倍の速さです。",
            reason: "NSS を呼ぶたびに Java と C の間を行き来し、データも写されます。NSS は、鍵を NSS の保管庫から出せないときや FIPS 認証が求められるときに使います。",
        },
        lines: no_lines,
    },
    Rule {
        id: "java-nss",
        topic: Topic::Java,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = providers(facts)?.turned().filter_first_faster()?;
            Some(Found::new().with("times", Value::Times(comparison.ratio)).behind(Evidence::Comparison(comparison)))
        },
        english: Wording {
            when: "In one JDK, NSS through SunPKCS11 is shown to be faster at AES-128-GCM than the JDK’s own provider.",
            says: "NSS through SunPKCS11 is {times} times as fast at AES-128-GCM as this JDK’s own provider: use it, or a newer JDK.",
            reason: "Before JDK 8 the JDK had no routines for AES, and where they are switched off it has none now. A \
                     newer JDK is the better way: its own provider needs no calls into C.",
        },
        japanese: Wording {
            when: "同じ JDK で、SunPKCS11 経由の NSS の AES-128-GCM が標準のプロバイダより速いと示されたとき。",
            says: "AES-128-GCM は、この JDK の標準のプロバイダより SunPKCS11 経由の NSS のほうが {times} 倍の速さです。NSS を使うか、JDK を新しくします。",
            reason: "JDK 8 より前には AES のルーチンがなく、今の JDK でも無効にされていれば使われません。C を呼ばずに済む標準のプロバイダを使うほうがよいので、\
                     できれば JDK を新しくしてください。",
        },
        lines: no_lines,
    },
    Rule {
        id: "java-keep-intrinsics",
        topic: Topic::Java,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let [newest, _] = jdks(facts).or_else(|| sunjce(facts).next().map(|only| [only, only]))?;
            let off = of_java(facts, SUNJCE, Acceleration::Off).find(|off| is_like(newest, off))?;
            let comparison =
                facts.hold(newest, off).filter(|comparison| comparison.is_first_faster() && is_much(comparison))?;
            let found = Found::new().with("jdk", jdk(newest)).with("times", Value::Times(comparison.ratio));
            Some(found.behind(Evidence::Comparison(comparison)))
        },
        english: Wording {
            when: "Java’s own provider is shown to be faster at AES-128-GCM with HotSpot’s routines for AES and GHASH than \
                   without.",
            says: "See that the JVM has its AES and GHASH routines on: in {jdk} they make AES-128-GCM {times} times as fast.",
            reason: "They are on by default where the CPU has the instructions. They are off under -Xint, where somebody \
                     set -XX:-UseAES or -XX:-UseAESIntrinsics once, and in a guest that is kept from the instructions; and a \
                     program that ends within a second ends before they are compiled in.",
        },
        japanese: Wording {
            when: "Java 標準のプロバイダの AES-128-GCM が、HotSpot の AES と GHASH のルーチンを使うと速くなると示されたとき。",
            says: "JVM で AES と GHASH のルーチンが有効か確かめます。{jdk} では AES-128-GCM が {times} 倍の速さになります。",
            reason: "CPU に命令があれば既定で有効です。-Xint のとき、-XX:-UseAES や -XX:-UseAESIntrinsics が指定されたままのとき、\
                     命令を隠された仮想マシンでは無効になります。また、1 秒足らずで終わるプログラムは、これらが組み込まれる前に終わります。",
        },
        lines: lines::java_flags,
    },
];

/// The level of Java's figures.
const JVM: &str = "jvm";
const SUNJCE: &str = "sunjce";
const NSS: &str = "nss";
/// What Java's choices are made by: TLS's records are that long.
const TASK: (Operation, Algorithm, usize) = (Operation::Seal, Algorithm::Aes128Gcm, 16_384);
/// Less is no reason to change what runs.
const MUCH: f64 = 1.1;

/// The sealing of records by `library` in `state`, without flags that somebody asked for.
fn of_java<'a>(facts: &Facts<'a>, library: &'a str, state: Acceleration) -> impl Iterator<Item = &'a Series> {
    let document = facts.document();
    let plain: Option<&str> = document
        .series
        .iter()
        .filter(|series| is_task(series, library, state))
        .map(flags)
        .min_by_key(|flags| flags.len());
    document
        .series
        .iter()
        .filter(move |series| document.run.complete && is_task(series, library, state) && Some(flags(series)) == plain)
}

fn sunjce<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Series> {
    of_java(facts, SUNJCE, Acceleration::On)
}

fn is_task(series: &Series, library: &str, state: Acceleration) -> bool {
    series.level == JVM
        && series.library == library
        && series.acceleration == state
        && (series.operation, series.algorithm, series.bytes) == TASK
        && series.threads() == 1
        && !series.is_control()
}

/// The flags of its virtual machine.
fn flags(series: &Series) -> &str {
    series.parameters.get("flags").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// The newest and the oldest of several JDKs.
fn jdks<'a>(facts: &Facts<'a>) -> Option<[&'a Series; 2]> {
    let release = |series: &&Series| release(&series.library_version);
    let [newest, oldest] = [sunjce(facts).max_by_key(release)?, sunjce(facts).min_by_key(release)?];
    (release(&newest) > release(&oldest)).then_some([newest, oldest])
}

/// Java's own provider against NSS in the same JDK.
fn providers(facts: &Facts<'_>) -> Option<Comparison> {
    let nss = of_java(facts, NSS, Acceleration::On).next()?;
    // The version of NSS ends with the JDK it was measured in: `3.87.1 (JDK 25.0.3+9-LTS)`.
    let own = sunjce(facts).find(|own| nss.library_version.ends_with(&format!("(JDK {})", own.library_version)))?;
    facts.hold(own, nss)
}

fn is_like(one: &Series, other: &Series) -> bool {
    one.library_version == other.library_version
}

fn is_much(comparison: &Comparison) -> bool {
    comparison.ratio >= MUCH
}

impl Comparison {
    fn filter_first_faster(self) -> Option<Comparison> {
        (self.is_first_faster() && is_much(&self)).then_some(self)
    }
}

/// A version like `25.0.3+9-LTS`, or `25` as a new release first is.
fn release(version: &str) -> Option<Version> {
    version_in(version).or_else(|| {
        let major: u32 = version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        Some((major, 0, 0))
    })
}

/// `JDK 25.0.3`: without its build.
fn jdk(series: &Series) -> Value {
    let version = series.library_version.split('+').next().unwrap_or_default();
    Value::Library("JDK".to_owned(), version.to_owned())
}
