//! What a rule is.

use clap::ValueEnum;
use serde::Serialize;

use super::facts::Facts;
use super::figure::{Figure, FigureComparison};
use super::lines::Line;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Limit;

/// What advice is about, in the order it is given; in JSON by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Acceleration that is missed, which changes everything below.
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
    /// Modes of block ciphers, and ciphers to leave.
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

/// How much advice asks of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Something is wrong, or in the way: act.
    Act,
    /// A choice to make.
    Choose,
    /// Good to know.
    Know,
}

/// A rule: one row of a table that `rules!` makes. Catalogues say what to do as the message `advice-ID`, and why as its
/// attribute `why`.
#[derive(Debug)]
pub struct Rule {
    /// Unique name.
    pub id: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// How much it asks.
    pub weight: Weight,
    /// Whether the headline over all advice names it.
    pub is_headline: bool,
    /// Returns what it found if it applies.
    pub applies: fn(&Facts<'_>) -> Option<RuleFinding>,
    /// When it applies, in English, for `kasoku advise --rules`.
    pub when: &'static str,
    /// Lines to paste. Nothing in them comes from the document.
    pub lines: fn(&Facts<'_>) -> &'static [Line],
}

/// Makes the table of a file's rules. A row holds the name, topic and weight, whether the rule is in the headline, the
/// function that tells whether it applies, the one that returns lines to paste, and when it applies.
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

/// What a rule found in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleFinding {
    /// Variables of the rule's message.
    pub values: Vec<(&'static str, Value)>,
    /// The figures behind it. In the first comparison of a rule that the final screen shows, what it chooses stands
    /// first, be it the faster or not.
    pub evidence: Vec<Evidence>,
}

/// A variable of a rule's message.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An algorithm, by its standard's name.
    Algorithm(Algorithm),
    /// How many times.
    Times(f64),
    /// A share in per cent.
    Percent(f64),
    /// A figure with its unit.
    Speed(Box<Figure>),
    /// A name out of the document.
    Name(String),
    /// A library and its version, out of the document.
    Library(String, String),
    /// A message of the catalogues: `advice-word-firmware`.
    Words(&'static str),
}

/// A figure or an observation behind advice.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// One figure.
    Figure(Figure),
    /// Two, and how they compare.
    Comparison(FigureComparison),
    /// Two ways to serve the same files, by the bytes that a second of the server's CPU sends.
    ServerCpu(FigureComparison),
    /// A limit of the system on connections at once, and how many the highest throughput took at most.
    Limit {
        /// The limit.
        limit: Limit,
        /// How many were taken.
        taken: u64,
    },
    /// The features that the CPU lists.
    Features(Vec<String>),
    /// What was seen running, with which algorithm.
    CodePath(Algorithm, String),
    /// What a library reports of its settings.
    Settings(String),
    /// The architecture and the CPU's name.
    Cpu(String, String),
    /// There is no figure for what this costs.
    NoFigure,
}

impl RuleFinding {
    /// Creates a finding with this evidence.
    pub(crate) fn of(evidence: impl IntoIterator<Item = Evidence>) -> Self {
        RuleFinding::default().behind(evidence)
    }

    /// Creates a finding whose sentence may name the `winner`, the `loser` and how many `times` as fast the winner is.
    pub(crate) fn comparing(comparison: FigureComparison, evidence: fn(FigureComparison) -> Evidence) -> Self {
        RuleFinding::default()
            .with("winner", Value::Algorithm(comparison.first.algorithm))
            .with("loser", Value::Algorithm(comparison.second.algorithm))
            .with("times", Value::Times(comparison.ratio))
            .behind([evidence(comparison)])
    }

    /// Adds a value.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.values.push((name, value));
        self
    }

    /// Adds evidence.
    pub(crate) fn behind(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// Applies if the first figure is shown to be faster.
pub(crate) fn faster(comparison: FigureComparison) -> Option<RuleFinding> {
    comparison.is_first_faster().then(|| RuleFinding::comparing(comparison, Evidence::Comparison))
}

/// Lines to paste.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigurationLines {
    /// The program, and the file or the place in it.
    pub place: &'static str,
    /// The lines, without a newline at the end.
    pub text: String,
}
