//! Java: which JDK, which provider, and what its routines are worth.

use crate::facts::{Facts, VersionNumber, version_in};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU_JCA, NSS, SUNJCE};
use kasoku_model::workload::Operation;

rules! {
    "java-newer-jdk": Java, Choose; if newer_jdk;
    when "Java’s own provider is shown to be faster at AES-128-GCM in the newest JDK measured than in the oldest.";
    says "Run Java in {newer} rather than in {older}: AES-128-GCM is {times} times as fast there.",
         "Javaは{older}ではなく{newer}で動かします。AES-128-GCMが{times}倍の速さになります。";
    why  "What Java does with the CPU’s instructions is decided by the JDK: newer ones have routines for wider \
          vectors, and for AES and GHASH in one pass. The program stays as it is.",
         "CPUの命令をどこまで使うかはJDKで決まります。新しいJDKほど幅の広いベクトル命令や、AESとGHASHを一度に処理する\
          ルーチンを備えています。プログラムの変更は要りません。";

    "java-kasoku-provider": Java, Choose; if |facts| much_faster(beside_own(facts, KASOKU_JCA)?.turned());
        paste |_| lines::JAVA_PROVIDER;
    when "In one JDK, Kasoku’s security provider is shown to be faster at AES-128-GCM than the JDK’s own.";
    says "Put Kasoku’s security provider before the JDK’s own: its AES-128-GCM is {times} times as fast.",
         "KasokuのセキュリティプロバイダーをJDK標準より前に置きます。AES-128-GCMが{times}倍の速さになります。";
    why  "It has AES-GCM only, under the same names, for Java 22 and later; the program stays as it is, and everything \
          else stays with the JDK. docs/JVM.md says what differs.",
         "AES-GCMだけを同じ名前で提供し、Java 22以降で動きます。プログラムの変更は要らず、ほかの暗号はJDKのままです。違\
          いはdocs/JVM.mdにあります。";

    "java-own-provider": Java, Choose; if |facts| much_faster(beside_own(facts, NSS)?);
    when "In one JDK, its own provider is shown to be faster at AES-128-GCM than NSS through SunPKCS11.";
    says "Leave AES to Java’s own provider rather than to NSS through SunPKCS11: it is {times} times as fast.",
         "AESはSunPKCS11経由のNSSではなく、Java標準のプロバイダーに任せます。{times}倍の速さです。";
    why  "Every call to NSS crosses from Java to C and back, and copies. NSS is for keys that must stay in its store, \
          or where its FIPS validation is asked for.",
         "NSSを呼ぶたびにJavaとCの間を行き来し、データも写されます。NSSは、鍵をNSSの保管庫から出せないときやFIPS認証が\
          求められるときに使います。";

    "java-nss": Java, Choose; if |facts| much_faster(beside_own(facts, NSS)?.turned());
    when "In one JDK, NSS through SunPKCS11 is shown to be faster at AES-128-GCM than the JDK’s own provider.";
    says "NSS through SunPKCS11 is {times} times as fast at AES-128-GCM as this JDK’s own provider: use it, or a newer \
          JDK.",
         "AES-128-GCMは、このJDKの標準のプロバイダーよりSunPKCS11経由のNSSのほうが{times}倍の速さです。NSSを使うか、JDK\
          を新しくします。";
    why  "Before JDK 8 the JDK had no routines for AES, and where they are switched off it has none now. A newer JDK \
          is the better way: its own provider needs no calls into C.",
         "JDK 8より前にはAESのルーチンがなく、今のJDKでも無効にされていれば使われません。Cを呼ばずに済む標準のプロバイ\
          ダーを使うほうがよいので、できればJDKを新しくしてください。";

    "java-keep-intrinsics": Java, Know; if intrinsics; paste |_| lines::JAVA_FLAGS;
    when "Java’s own provider is shown to be faster at AES-128-GCM with HotSpot’s routines for AES and GHASH than \
          without.";
    says "See that the JVM has its AES and GHASH routines on: in {jdk} they make AES-128-GCM {times} times as fast.",
         "JVMでAESとGHASHのルーチンが有効か確かめます。{jdk}ではAES-128-GCMが{times}倍の速さになります。";
    why  "They are on by default where the CPU has the instructions. They are off under -Xint, where somebody set \
          -XX:-UseAES or -XX:-UseAESIntrinsics once, and in a guest that is kept from the instructions; and a program \
          that ends within a second ends before they are compiled in.",
         "CPUに命令があれば既定で有効です。-Xintのとき、-XX:-UseAESや -XX:-UseAESIntrinsicsが指定されたままのとき、命令\
          を隠された仮想マシンでは無効になります。また、1秒足らずで終わるプログラムは、これらが組み込まれる前に終わりま\
          す。";
}

/// What Java's choices are made by: TLS's records are that long.
const TASK: (Operation, Algorithm, usize) = (Operation::Seal, Algorithm::Aes128Gcm, 16_384);

fn much_faster(comparison: FigureComparison) -> Option<RuleFinding> {
    comparison.is_first_much_faster().then(|| RuleFinding::comparing(comparison, Evidence::Comparison))
}

fn newer_jdk(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [newest, oldest] = jdks(facts)?;
    let found = much_faster(facts.hold(newest, oldest)?)?;
    Some(found.with("newer", jdk(newest)).with("older", jdk(oldest)))
}

fn intrinsics(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [newest, _] = jdks(facts).or_else(|| sunjce(facts).next().map(|only| [only, only]))?;
    let mut off = of_java(facts, SUNJCE, Acceleration::Off);
    let off = off.find(|off| off.library_version == newest.library_version)?;
    Some(much_faster(facts.hold(newest, off)?)?.with("jdk", jdk(newest)))
}

/// The sealing of records by `library` in `state`, without flags that somebody asked for.
fn of_java<'a>(facts: &Facts<'a>, library: &'a str, state: Acceleration) -> impl Iterator<Item = &'a Series> {
    let is_task = move |series: &&Series| {
        series.level == Level::Jvm
            && series.library == library
            && series.acceleration == state
            && (series.operation, series.algorithm, series.bytes) == TASK
            && series.details.threads == 1
            && !series.details.control
    };
    let document = facts.document;
    let all = document.series.iter().filter(move |series| document.run.complete && is_task(series));
    let plain: Option<&str> = all.clone().map(flags).min_by_key(|flags| flags.len());
    all.filter(move |series| Some(flags(series)) == plain)
}

fn sunjce<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Series> {
    of_java(facts, SUNJCE, Acceleration::On)
}

/// The flags of its virtual machine.
fn flags(series: &Series) -> &str {
    series.details.flags.as_deref().unwrap_or_default()
}

/// The newest and the oldest of several JDKs.
fn jdks<'a>(facts: &Facts<'a>) -> Option<[&'a Series; 2]> {
    let release = |series: &&Series| release(&series.library_version);
    let [newest, oldest] = [sunjce(facts).max_by_key(release)?, sunjce(facts).min_by_key(release)?];
    (release(&newest) > release(&oldest)).then_some([newest, oldest])
}

/// Java's own provider against `library` in the same JDK.
fn beside_own<'a>(facts: &Facts<'a>, library: &'a str) -> Option<FigureComparison> {
    let other = of_java(facts, library, Acceleration::On).next()?;
    // The version of others ends with the JDK they were measured in: `3.87.1 (JDK 25.0.3+9-LTS)`.
    let own = sunjce(facts).find(|own| other.library_version.ends_with(&format!("(JDK {})", own.library_version)))?;
    facts.hold(own, other)
}

/// A version like `25.0.3+9-LTS`, or `25` as a new release first is.
fn release(version: &str) -> Option<VersionNumber> {
    version_in(version).or_else(|| Some((version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?, 0, 0)))
}

/// `JDK 25.0.3`: without its build.
fn jdk(series: &Series) -> Value {
    let version = series.library_version.split('+').next().unwrap_or_default();
    Value::Library("JDK".to_owned(), version.to_owned())
}
