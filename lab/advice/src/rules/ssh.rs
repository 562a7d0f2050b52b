//! SSH and OpenVPN.

use super::vpn::by_aead;
use crate::facts::Aead;
use crate::lines;
use crate::rule::{Rule, Topic, Weight, rule};
use crate::words::ssh as words;

pub(super) const RULES: &[Rule] = &[
    rule(&words::SSH_AES_GCM, Topic::Ssh, Weight::Choose, |facts| by_aead(facts, Aead::AesGcm)).with_lines(lines::ssh),
    rule(&words::SSH_CHACHA20, Topic::Ssh, Weight::Choose, |facts| by_aead(facts, Aead::ChaCha20))
        .with_lines(lines::ssh),
    rule(&words::OPENVPN_AES_GCM, Topic::Openvpn, Weight::Choose, |facts| by_aead(facts, Aead::AesGcm))
        .with_lines(lines::openvpn),
    rule(&words::OPENVPN_CHACHA20, Topic::Openvpn, Weight::Choose, |facts| by_aead(facts, Aead::ChaCha20))
        .with_lines(lines::openvpn),
];
