//! What `kasoku run` takes for the level `packets`.

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run packets --sizes 1200,1452      QUIC packets of these payloads
  kasoku run packets --end-to-end           what quinn and rustls gain by each cryptography";

/// The level's own options.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct PacketsArgs {
    /// Only move data from end to end, by QUIC and by TLS, with each cryptography, for about a minute
    #[arg(long)]
    pub(super) end_to_end: bool,
}
