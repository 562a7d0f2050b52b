//! What a rule is.

use clap::ValueEnum;
use serde::Serialize;

use super::facts::Facts;
use super::figure::{Figure, FigureComparison};
use super::words::{RuleText, Sentence};
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

/// A rule: one readable entry.
#[derive(Debug)]
pub struct Rule {
    /// Its name, unique.
    pub id: &'static str,
    /// What it says.
    pub text: &'static RuleText,
    /// What it is about.
    pub topic: Topic,
    /// How much it asks.
    pub weight: Weight,
    /// Whether it is named in the headline over all advice.
    pub is_headline: bool,
    /// What it found, if it applies.
    pub applies: fn(&Facts<'_>) -> Option<RuleFinding>,
    /// What to paste where. Nothing in it comes from the document.
    pub lines: fn(&Facts<'_>) -> Vec<ConfigurationLines>,
}

/// A rule that is not in the headline and has nothing to paste.
pub(crate) const fn rule(
    text: &'static RuleText,
    topic: Topic,
    weight: Weight,
    applies: fn(&Facts<'_>) -> Option<RuleFinding>,
) -> Rule {
    Rule { id: text.id, text, topic, weight, is_headline: false, applies, lines: |_| Vec::new() }
}

impl Rule {
    pub(crate) const fn in_headline(self) -> Rule {
        Rule { is_headline: true, ..self }
    }

    pub(crate) const fn with_lines(self, lines: fn(&Facts<'_>) -> Vec<ConfigurationLines>) -> Rule {
        Rule { lines, ..self }
    }
}

/// What a rule found in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleFinding {
    /// What fills the gaps of `says`.
    pub values: Vec<(&'static str, Value)>,
    /// The figures behind it. In the first comparison of a rule that the final screen shows, what it chooses stands
    /// first, be it the faster or not.
    pub evidence: Vec<Evidence>,
}

/// What fills a gap.
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
    /// Words of ours.
    Words(Sentence),
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
    /// Nothing yet.
    pub fn new() -> Self {
        RuleFinding::default()
    }

    /// The same with a value.
    pub fn with(mut self, name: &'static str, value: Value) -> Self {
        self.values.push((name, value));
        self
    }

    /// The same with the winner, the loser and the ratio of a comparison, which is put behind it too.
    pub fn with_comparison(self, comparison: FigureComparison) -> Self {
        self.with("winner", Value::Algorithm(comparison.first.algorithm))
            .with("loser", Value::Algorithm(comparison.second.algorithm))
            .with("times", Value::Times(comparison.ratio))
            .with("fast", Value::Speed(Box::new(comparison.first.clone())))
            .with("slow", Value::Speed(Box::new(comparison.second.clone())))
            .behind(Evidence::Comparison(comparison))
    }

    /// The same with something more behind it.
    pub fn behind(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// The same with each of these behind it.
    pub fn behind_all(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// Lines to paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationLines {
    /// The program, and the file or the place in it.
    pub place: &'static str,
    /// The lines, without a newline at the end.
    pub text: String,
}
