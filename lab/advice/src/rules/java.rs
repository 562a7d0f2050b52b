//! Rules about Java: JDKs, security providers, and HotSpot's intrinsics.

use crate::facts::Facts;
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU_JCA, NSS, SUNJCE, VersionNumber, version_in};
use kasoku_model::workload::Operation;

rules! {
    "java-newer-jdk": Java, Choose; if newer_jdk;
    when "Java’s own provider is shown to be faster at AES-128-GCM in the newest JDK measured than in the oldest.";

    "java-kasoku-provider": Java, Choose; if |facts| much_faster(beside_own(facts, KASOKU_JCA)?.turned());
        paste |_| lines::JAVA_PROVIDER;
    when "In one JDK, Kasoku’s security provider is shown to be faster at AES-128-GCM than the JDK’s own.";

    "java-own-provider": Java, Choose; if |facts| much_faster(beside_own(facts, NSS)?);
    when "In one JDK, its own provider is shown to be faster at AES-128-GCM than NSS through SunPKCS11.";

    "java-nss": Java, Choose; if |facts| much_faster(beside_own(facts, NSS)?.turned());
    when "In one JDK, NSS through SunPKCS11 is shown to be faster at AES-128-GCM than the JDK’s own provider.";

    "java-keep-intrinsics": Java, Know; if intrinsics; paste |_| lines::JAVA_FLAGS;
    when "Java’s own provider is shown to be faster at AES-128-GCM with HotSpot’s routines for AES and GHASH than \
          without.";
}

/// Operation, algorithm and size in bytes on which advice about Java is based. TLS records have at most this size.
const TASK: (Operation, Algorithm, usize) = (Operation::Seal, Algorithm::Aes128Gcm, 16_384);

fn much_faster(comparison: FigureComparison) -> Option<RuleFinding> {
    comparison.is_first_much_faster().then(|| RuleFinding::comparing(comparison, Evidence::Comparison))
}

fn newer_jdk(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [newest, oldest] = jdks(facts)?;
    let found = much_faster(facts.compare(newest, oldest)?)?;
    Some(found.with("newer", jdk(newest)).with("older", jdk(oldest)))
}

fn intrinsics(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [newest, _] = jdks(facts).or_else(|| sunjce(facts).next().map(|only| [only, only]))?;
    let mut off = of_java(facts, SUNJCE, Acceleration::Off);
    let off = off.find(|off| off.library_version == newest.library_version)?;
    Some(much_faster(facts.compare(newest, off)?)?.with("jdk", jdk(newest)))
}

/// Returns the series of [`TASK`] with the fewest flags of the virtual machine.
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

fn flags(series: &Series) -> &str {
    series.details.flags.as_deref().unwrap_or_default()
}

/// Returns SunJCE's series in the newest and the oldest JDK; `None` unless there are several.
fn jdks<'a>(facts: &Facts<'a>) -> Option<[&'a Series; 2]> {
    let release = |series: &&Series| release(&series.library_version);
    let [newest, oldest] = [sunjce(facts).max_by_key(release)?, sunjce(facts).min_by_key(release)?];
    (release(&newest) > release(&oldest)).then_some([newest, oldest])
}

fn beside_own<'a>(facts: &Facts<'a>, library: &'a str) -> Option<FigureComparison> {
    let other = of_java(facts, library, Acceleration::On).next()?;
    // Versions of other providers end with the JDK: `3.87.1 (JDK 25.0.3+9-LTS)`.
    let own = sunjce(facts).find(|own| other.library_version.ends_with(&format!("(JDK {})", own.library_version)))?;
    facts.compare(own, other)
}

/// Parses a version like `25.0.3+9-LTS`, or `25` of a first release.
fn release(version: &str) -> Option<VersionNumber> {
    version_in(version).or_else(|| Some((version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?, 0, 0)))
}

/// Returns the JDK without its build number: `JDK 25.0.3`.
fn jdk(series: &Series) -> Value {
    let version = series.library_version.split('+').next().unwrap_or_default();
    Value::Library("JDK".to_owned(), version.to_owned())
}
