//! What `kasoku run` takes for the level `packets`.

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run packets --sizes 1200,1452      QUIC packets with these payloads
  kasoku run packets --end-to-end           what quinn and rustls gain from each provider";

/// The level's own options.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct PacketsArgs {
    /// Only measure data transfer end to end, over QUIC and TLS, with each provider; takes about a minute
    #[arg(long)]
    pub(super) end_to_end: bool,
}
