//! Packets of RFC 9001 appendix A and RFC 9369 appendix A.

use std::collections::HashMap;

use rustls::Side;
use rustls::quic::Version;

pub(crate) struct Published {
    pub(crate) source: String,
    pub(crate) version: Version,
    pub(crate) sender: Side,
    pub(crate) number: u64,
    pub(crate) header: Vec<u8>,
    pub(crate) payload: Vec<u8>,
    pub(crate) packet: Vec<u8>,
}

impl Published {
    pub(crate) fn number_bytes(&self) -> usize {
        usize::from(self.header[0] % 4) + 1
    }

    pub(crate) fn number_offset(&self) -> usize {
        self.header.len() - self.number_bytes()
    }
}

/// Connection ID from which the keys of all these packets are derived.
pub(crate) const CONNECTION_ID: [u8; 8] = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];

/// Returns the Initial packets of client and server in both versions.
pub(crate) fn initial_packets() -> Vec<Published> {
    let text = include_str!("../../../vectors/quic-packets.txt");
    let blocks = text.split("\n\n").skip(1);
    let all: Vec<_> =
        blocks.filter_map(|block| read(&block.lines().filter_map(|line| line.split_once(" = ")).collect())).collect();
    assert_eq!(all.len(), 4, "RFC 9001 A.2 and A.3, RFC 9369 A.2 and A.3");
    all
}

fn read(fields: &HashMap<&str, &str>) -> Option<Published> {
    let source = fields["source"].to_owned();
    let sender = match source.split_once(" A.")?.1 {
        "2" => Side::Client,
        _ => Side::Server,
    };
    assert_eq!(from_hex(fields["connection_id"]), CONNECTION_ID);
    let bytes = |name| from_hex(fields[name]);
    Some(Published {
        version: if source.starts_with("RFC 9001") { Version::V1 } else { Version::V2 },
        source,
        sender,
        number: fields["number"].parse().unwrap(),
        header: bytes("header"),
        payload: bytes("payload"),
        packet: bytes("packet"),
    })
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
