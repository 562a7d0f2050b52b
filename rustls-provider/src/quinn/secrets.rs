//! Traffic secrets of a connection.
//!
//! rustls returns QUIC keys as trait objects that do not reveal their bytes. But rustls reports the traffic secrets,
//! from which the keys are derived (RFC 9001 §5.1), to a key log. Each connection therefore gets this module's key log,
//! which forwards the secrets to the user's key log.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::KeyLog;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock};
use zeroize::Zeroizing;

/// Traffic secrets of client and server for one encryption level.
pub(super) struct Secrets {
    pub(super) client: OkmBlock,
    pub(super) server: OkmBlock,
}

/// Key, IV and header-protection key, wiped when dropped.
pub(super) struct Material {
    key_bytes: usize,
    key: Zeroizing<[u8; 32]>,
    iv: Zeroizing<[u8; 12]>,
    header_key: Zeroizing<[u8; 32]>,
}

impl Material {
    pub(super) fn new<const N: usize>(key: &[u8; N], iv: [u8; 12], header_key: &[u8; N]) -> Self {
        let mut material = Self::zeros(N);
        material.key[..N].copy_from_slice(key);
        material.header_key[..N].copy_from_slice(header_key);
        *material.iv = iv;
        material
    }

    /// Derives keys of `key_bytes` bytes from a traffic secret (RFC 9001 §5.1).
    pub(super) fn derive(hkdf: &dyn Hkdf, secret: &OkmBlock, key_bytes: usize) -> Self {
        let expander = hkdf.expander_for_okm(secret);
        let mut material = Self::zeros(key_bytes);
        expand_label(&*expander, b"quic key", &mut material.key[..key_bytes]);
        expand_label(&*expander, b"quic iv", &mut *material.iv);
        expand_label(&*expander, b"quic hp", &mut material.header_key[..key_bytes]);
        material
    }

    /// Derives the material of the next key phase and keeps the header-protection key (RFC 9001 §6.1).
    pub(super) fn next(&self, hkdf: &dyn Hkdf, secret: &OkmBlock) -> Self {
        let mut next = Self::derive(hkdf, secret, self.key_bytes);
        next.header_key = self.header_key.clone();
        next
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key[..self.key_bytes]
    }

    pub(super) fn iv(&self) -> &[u8; 12] {
        &self.iv
    }

    pub(super) fn header_key(&self) -> &[u8] {
        &self.header_key[..self.key_bytes]
    }

    fn zeros(key_bytes: usize) -> Self {
        Self { key_bytes, key: Zeroizing::default(), iv: Zeroizing::default(), header_key: Zeroizing::default() }
    }
}

/// Derives the traffic secret that follows `secret` after a key update (RFC 9001 §6.1).
pub(super) fn next_secret(hkdf: &dyn Hkdf, secret: &OkmBlock) -> OkmBlock {
    let expander = hkdf.expander_for_okm(secret);
    let mut next = Zeroizing::new([0; OkmBlock::MAX_LEN]);
    let next = &mut next[..expander.hash_len()];
    expand_label(&*expander, b"quic ku", next);
    OkmBlock::new(next)
}

/// Computes HKDF-Expand-Label without a context (RFC 8446 §7.1).
fn expand_label(expander: &dyn HkdfExpander, label: &[u8], output: &mut [u8]) {
    const PREFIX: &[u8] = b"tls13 ";
    let length = (output.len() as u16).to_be_bytes();
    let label_bytes = [(PREFIX.len() + label.len()) as u8];
    // Fails only for output of more than 255 hashes; here it is at most one.
    let _ = expander.expand_slice(&[&length, &label_bytes, PREFIX, label, &[0]], output);
}

/// Key log of one connection, which stores the secrets that rustls reports.
pub(super) struct Listener {
    heard: Mutex<Heard>,
    user_log: Arc<dyn KeyLog>,
}

#[derive(Default)]
struct Heard {
    early: Option<OkmBlock>,
    handshake: [Option<OkmBlock>; 2],
    application: [Option<OkmBlock>; 2],
}

impl Heard {
    /// Returns the field that stores the secret with this label, if any.
    fn place(&mut self, label: &str) -> Option<&mut Option<OkmBlock>> {
        match label {
            "CLIENT_EARLY_TRAFFIC_SECRET" => Some(&mut self.early),
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET" => Some(&mut self.handshake[0]),
            "SERVER_HANDSHAKE_TRAFFIC_SECRET" => Some(&mut self.handshake[1]),
            "CLIENT_TRAFFIC_SECRET_0" => Some(&mut self.application[0]),
            "SERVER_TRAFFIC_SECRET_0" => Some(&mut self.application[1]),
            _ => None,
        }
    }
}

impl Listener {
    /// Creates a key log that also forwards the secrets to `user_log`, the user's key log.
    pub(super) fn new(user_log: &Arc<dyn KeyLog>) -> Arc<Self> {
        Arc::new(Self { heard: Mutex::default(), user_log: Arc::clone(user_log) })
    }

    /// Returns the secret of the client's 0-RTT packets.
    pub(super) fn early(&self) -> Option<OkmBlock> {
        self.with_heard(|heard| heard.early.clone())
    }

    /// Returns the secrets of Handshake packets and forgets them.
    pub(super) fn take_handshake(&self) -> Option<Secrets> {
        self.with_heard(|heard| take(&mut heard.handshake))
    }

    /// Returns the secrets of the first 1-RTT packets. Forgets these secrets and the secret of 0-RTT packets.
    pub(super) fn take_application(&self) -> Option<Secrets> {
        self.with_heard(|heard| {
            heard.early = None;
            take(&mut heard.application)
        })
    }

    fn with_heard<T>(&self, look: impl FnOnce(&mut Heard) -> T) -> T {
        look(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn take(pair: &mut [Option<OkmBlock>; 2]) -> Option<Secrets> {
    match std::mem::take(pair) {
        [Some(client), Some(server)] => Some(Secrets { client, server }),
        _ => None,
    }
}

impl KeyLog for Listener {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        self.with_heard(|heard| {
            if let Some(place) = heard.place(label) {
                *place = Some(OkmBlock::new(secret));
            }
        });
        if self.user_log.will_log(label) {
            self.user_log.log(label, client_random, secret);
        }
    }

    fn will_log(&self, label: &str) -> bool {
        self.with_heard(|heard| heard.place(label).is_some()) || self.user_log.will_log(label)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}
