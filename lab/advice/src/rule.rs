//! Defines rules of advice and their findings.

use clap::ValueEnum;
use serde::Serialize;

use super::facts::Facts;
use super::figure::{Figure, FigureComparison};
use super::lines::Line;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Limit;

/// Topics of advice in the order of output, named alike in JSON and on the command line. The comments are help texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// CPU instructions that are missing or unused; this affects all other advice.
    Acceleration,
    /// TLS: web servers and clients.
    #[value(aliases = ["ssl", "https"])]
    Tls,
    /// QUIC and HTTP/3.
    #[value(aliases = ["http3", "http/3"])]
    Quic,
    /// nginx, and the system around it.
    #[value(aliases = ["nginx", "apache", "webserver"])]
    WebServer,
    /// SSH.
    #[value(aliases = ["sshd", "openssh"])]
    Ssh,
    /// OpenVPN.
    #[value(alias = "vpn")]
    Openvpn,
    /// WireGuard.
    Wireguard,
    /// IPsec.
    Ipsec,
    /// Encrypted disks and folders.
    #[value(aliases = ["disks", "luks", "cryptsetup"])]
    Disk,
    /// Java: JDKs, providers and flags.
    #[value(aliases = ["jvm", "jdk"])]
    Java,
    /// Modes of block ciphers, and ciphers to avoid.
    #[value(aliases = ["ciphers", "cipher"])]
    Modes,
    /// Hash functions.
    #[value(alias = "hash")]
    Hashes,
    /// Key agreement and signatures.
    #[value(aliases = ["curve", "keys"])]
    Curves,
    /// The machine itself.
    Machine,
}

/// Urgency of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A problem to solve.
    Act,
    /// A choice to make.
    Choose,
    /// Background information.
    Know,
}

/// A rule of advice. Catalogues say what to do in the message `advice-ID`, and why in its attribute `why`.
#[derive(Debug)]
pub struct Rule {
    pub id: &'static str,
    pub topic: Topic,
    pub weight: Weight,
    /// Whether the headline above all advice names the rule.
    pub is_headline: bool,
    /// Returns a finding if the rule applies.
    pub applies: fn(&Facts<'_>) -> Option<RuleFinding>,
    /// The rule's condition in English, for `kasoku advise --rules`.
    pub when: &'static str,
    /// Returns lines to paste. No text of the document gets into them.
    pub lines: fn(&Facts<'_>) -> &'static [Line],
}

/// Defines the table of a file's rules.
macro_rules! rules {
    ($($id:literal: $topic:ident, $weight:ident $(, $headline:ident)?; if $applies:expr; $(paste $lines:expr;)?
        when $when:literal;
    )*) => {
        pub(super) const RULES: &[$crate::rule::Rule] = &[$($crate::rule::Rule {
            id: $id,
            topic: $crate::rule::Topic::$topic,
            weight: $crate::rule::Weight::$weight,
            is_headline: $crate::rule::rules!(@is_headline $($headline)?),
            applies: $applies,
            when: $when,
            lines: $crate::rule::rules!(@lines $($lines)?),
        }),*];
    };
    (@is_headline) => { false };
    (@is_headline headline) => { true };
    (@lines) => { |_| &[] };
    (@lines $lines:expr) => { $lines };
}
pub(crate) use rules;

/// Result of a rule that applies to a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleFinding {
    /// Variables of the rule's message.
    pub values: Vec<(&'static str, Value)>,
    /// Figures and observations. For rules on the final screen, the recommended algorithm is the first member of the
    /// first comparison, even if it is the slower one.
    pub evidence: Vec<Evidence>,
}

/// A variable of a rule's message.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Algorithm(Algorithm),
    /// A ratio.
    Times(f64),
    Percent(f64),
    Speed(Box<Figure>),
    /// A name from the document.
    Name(String),
    Library(String, String),
    /// A message of the catalogues: `advice-word-firmware`.
    Words(&'static str),
}

/// A figure or an observation that supports advice.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    Figure(Figure),
    Comparison(FigureComparison),
    /// Two ways to serve the same files, in bytes per second of the server's CPU time; or two ways to do handshakes, in
    /// handshakes per second of that time.
    ServerCpu(FigureComparison),
    /// A limit of the system on concurrent connections, and the number that the highest throughput needed.
    Limit {
        limit: Limit,
        taken: u64,
    },
    Features(Vec<String>),
    CodePath(Algorithm, String),
    /// Settings as OpenSSL reports them.
    Settings(String),
    /// Architecture and name of the CPU.
    Cpu(String, String),
    /// No figure of the run shows the cost of the missing acceleration.
    NoFigure,
}

impl RuleFinding {
    pub(crate) fn of(evidence: impl IntoIterator<Item = Evidence>) -> Self {
        RuleFinding::default().behind(evidence)
    }

    /// Creates a finding with the variables `winner`, `loser` and `times`, the ratio of their speeds.
    pub(crate) fn comparing(comparison: FigureComparison, evidence: fn(FigureComparison) -> Evidence) -> Self {
        RuleFinding::default()
            .with("winner", Value::Algorithm(comparison.first.algorithm))
            .with("loser", Value::Algorithm(comparison.second.algorithm))
            .with("times", Value::Times(comparison.ratio))
            .behind([evidence(comparison)])
    }

    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.values.push((name, value));
        self
    }

    pub(crate) fn behind(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

pub(crate) fn faster(comparison: FigureComparison) -> Option<RuleFinding> {
    comparison.is_first_faster().then(|| RuleFinding::comparing(comparison, Evidence::Comparison))
}
