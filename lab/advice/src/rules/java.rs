//! Java: which JDK, which provider, and what its routines are worth.

use crate::facts::{Facts, VersionNumber, version_in};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::java as words;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU_JCA, NSS, SUNJCE};
use kasoku_model::workload::Operation;

pub(super) const RULES: &[Rule] = &[
    rule(&words::JAVA_NEWER_JDK, Topic::Java, Weight::Choose, |facts| {
        let [newest, oldest] = jdks(facts)?;
        let comparison =
            facts.hold(newest, oldest).filter(|comparison| comparison.is_first_faster() && is_much(comparison))?;
        let found = RuleFinding::new()
            .with("newer", jdk(newest))
            .with("older", jdk(oldest))
            .with("times", Value::Times(comparison.ratio));
        Some(found.behind(Evidence::Comparison(comparison)))
    }),
    rule(&words::JAVA_KASOKU_PROVIDER, Topic::Java, Weight::Choose, |facts| {
        let comparison = beside_own(facts, KASOKU_JCA)?.turned().filter_first_faster()?;
        Some(RuleFinding::new().with("times", Value::Times(comparison.ratio)).behind(Evidence::Comparison(comparison)))
    })
    .with_lines(lines::java_provider),
    rule(&words::JAVA_OWN_PROVIDER, Topic::Java, Weight::Choose, |facts| {
        let comparison = beside_own(facts, NSS)?.filter_first_faster()?;
        Some(RuleFinding::new().with("times", Value::Times(comparison.ratio)).behind(Evidence::Comparison(comparison)))
    }),
    rule(&words::JAVA_NSS, Topic::Java, Weight::Choose, |facts| {
        let comparison = beside_own(facts, NSS)?.turned().filter_first_faster()?;
        Some(RuleFinding::new().with("times", Value::Times(comparison.ratio)).behind(Evidence::Comparison(comparison)))
    }),
    rule(&words::JAVA_KEEP_INTRINSICS, Topic::Java, Weight::Know, |facts| {
        let [newest, _] = jdks(facts).or_else(|| sunjce(facts).next().map(|only| [only, only]))?;
        let off = of_java(facts, SUNJCE, Acceleration::Off).find(|off| is_like(newest, off))?;
        let comparison =
            facts.hold(newest, off).filter(|comparison| comparison.is_first_faster() && is_much(comparison))?;
        let found = RuleFinding::new().with("jdk", jdk(newest)).with("times", Value::Times(comparison.ratio));
        Some(found.behind(Evidence::Comparison(comparison)))
    })
    .with_lines(lines::java_flags),
];

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
    series.level == Level::Jvm
        && series.library == library
        && series.acceleration == state
        && (series.operation, series.algorithm, series.bytes) == TASK
        && series.details.threads == 1
        && !series.details.control
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

fn is_like(one: &Series, other: &Series) -> bool {
    one.library_version == other.library_version
}

fn is_much(comparison: &FigureComparison) -> bool {
    comparison.ratio >= MUCH
}

impl FigureComparison {
    fn filter_first_faster(self) -> Option<FigureComparison> {
        (self.is_first_faster() && is_much(&self)).then_some(self)
    }
}

/// A version like `25.0.3+9-LTS`, or `25` as a new release first is.
fn release(version: &str) -> Option<VersionNumber> {
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
