//! How packets come in: the functions that have a backend's instructions switched on, as `door.rs` has them for messages.

/// The packet key of a backend over vectors `$vector`.
macro_rules! packet_door {
    ($vector:ident, $proof:ty, $features:literal) => {
        use super::batch::{self, Apart, Receiving, Sending};
        use super::packet::{self, ExpandedPacket};
        use crate::packet::{FailedOpens, Mask, MaskedHeader, Packet, Protected, Shape};

        /// The packet key of this backend.
        pub(crate) struct PacketKey(ExpandedPacket<$vector>);

        impl PacketKey {
            /// Expands two keys, both of 16 or both of 32 bytes.
            pub(crate) fn new(proof: $proof, key: &[u8], iv: &[u8; 12], header_key: &[u8]) -> Box<Self> {
                let mut new = Box::new(Self(ExpandedPacket::empty(proof)));
                // SAFETY: the proof says that the CPU has the features.
                unsafe { expand_packet(&mut new.0, key, iv, header_key) };
                new
            }

            /// Another packet key of the same length under the same header-protection key.
            pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Box<Self> {
                let mut new = Box::new(Self(ExpandedPacket::empty(self.0.key.proof)));
                // SAFETY: the proof says that the CPU has the features.
                unsafe { expand_next_phase(&mut new.0, key, iv, &self.0) };
                new
            }

            /// Bytes of the packet key.
            pub(crate) fn key_bytes(&self) -> usize {
                self.0.key_bytes()
            }
        }

        impl Drop for PacketKey {
            fn drop(&mut self) {
                self.0.wipe();
            }
        }

        // SAFETY (every block here): the key holds the proof that the CPU has the features.
        impl crate::backend::PacketKey for PacketKey {
            #[inline]
            fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
                let text_bytes = packet.len() - header_bytes - 16;
                debug_assert!(sample + 16 <= packet.len());
                let seal = match (self.0.key.rounds, text_bytes <= message::most_short::<$vector>()) {
                    (10, true) => seal_short_packet_128,
                    (10, false) => seal_long_packet_128,
                    (_, true) => seal_short_packet_256,
                    (_, false) => seal_long_packet_256,
                };
                // SAFETY: see above; the lengths are those of the packet, and were looked at.
                unsafe { seal(&self.0, number, packet.as_mut_ptr(), header_bytes, text_bytes, sample) }
            }

            #[inline]
            fn open(&self, number: u64, header: &[u8], text: &mut [u8], tag: &mut Block) {
                let (text, text_bytes) = (text.as_mut_ptr(), text.len());
                let open = match (self.0.key.rounds, text_bytes <= message::most_short::<$vector>()) {
                    (10, true) => open_short_packet_128,
                    (10, false) => open_long_packet_128,
                    (_, true) => open_short_packet_256,
                    (_, false) => open_long_packet_256,
                };
                // SAFETY: see above; the text is there for as long as it is borrowed, and its length was looked at.
                unsafe { open(&self.0, number, header, text, text_bytes, tag) }
            }

            #[inline]
            fn open_masked(&self, number: u64, packet: &mut [u8], header: MaskedHeader, tag: &mut Block) {
                let text_bytes = packet.len() - header.bytes() - 16;
                let open = match (self.0.key.rounds, text_bytes <= message::most_short::<$vector>()) {
                    (10, true) => batch_128::open_masked_short,
                    (10, false) => batch_128::open_masked_long,
                    (_, true) => batch_256::open_masked_short,
                    (_, false) => batch_256::open_masked_long,
                };
                // SAFETY: see above; the length was looked at.
                unsafe { open(&self.0, number, packet, header, tag) }
            }

            #[inline]
            fn mask(&self, sample: &Block) -> Mask {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => mask_128(&self.0, sample),
                        _ => mask_256(&self.0, sample),
                    }
                }
            }

            fn seal_batch(&self, packets: &mut [Packet<'_>], protected: &Protected) {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => batch_128::seal(&self.0, packets, protected),
                        _ => batch_256::seal(&self.0, packets, protected),
                    }
                }
            }

            fn unmask_batch(&self, packets: &mut [Packet<'_>], expected: u64) {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => batch_128::unmask(&self.0, packets, expected),
                        _ => batch_256::unmask(&self.0, packets, expected),
                    }
                }
            }

            fn open_batch(&self, packets: &mut [Packet<'_>], failed: &FailedOpens) {
                let unmasked = packets.len();
                self.receive(packets, Receiving { failed, expected: 0, unmasked });
            }

            fn unprotect_batch(&self, packets: &mut [Packet<'_>], expected: u64, failed: &FailedOpens) {
                self.receive(packets, Receiving { failed, expected, unmasked: 0 });
            }
        }

        impl PacketKey {
            fn receive(&self, packets: &mut [Packet<'_>], direction: Receiving<'_>) {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => batch_128::open(&self.0, packets, direction),
                        _ => batch_256::open(&self.0, packets, direction),
                    }
                }
            }
        }

        #[target_feature(enable = $features)]
        fn expand_packet(new: &mut ExpandedPacket<$vector>, key: &[u8], iv: &[u8; 12], header_key: &[u8]) {
            new.expand(key, iv, header_key);
        }

        #[target_feature(enable = $features)]
        fn expand_next_phase(
            new: &mut ExpandedPacket<$vector>,
            key: &[u8],
            iv: &[u8; 12],
            old: &ExpandedPacket<$vector>,
        ) {
            new.expand_next(key, iv, old);
        }

        super::packet_door::packet_functions!(
            $vector,
            $features,
            10,
            seal_short_packet_128,
            seal_long_packet_128,
            open_short_packet_128,
            open_long_packet_128,
            mask_128,
            batch_128
        );
        super::packet_door::packet_functions!(
            $vector,
            $features,
            14,
            seal_short_packet_256,
            seal_long_packet_256,
            open_short_packet_256,
            open_long_packet_256,
            mask_256,
            batch_256
        );
    };
}

/// The functions for one length of key.
macro_rules! packet_functions {
    ($vector:ident, $features:literal, $rounds:literal, $seal_short:ident, $seal_long:ident,
     $open_short:ident, $open_long:ident, $mask:ident, $batch:ident) => {
        super::packet_door::packet_functions!(@batch $vector, $features, $rounds, $batch);
        super::packet_door::packet_functions!(@seal $vector, $features, $rounds, $seal_short, true);
        super::packet_door::packet_functions!(@seal $vector, $features, $rounds, $seal_long, false);
        super::packet_door::packet_functions!(@open $vector, $features, $rounds, $open_short, short);
        super::packet_door::packet_functions!(@open $vector, $features, $rounds, $open_long, long);

        #[target_feature(enable = $features)]
        fn $mask(key: &ExpandedPacket<$vector>, sample: &Block) -> Mask {
            // SAFETY: a sample has 16 bytes.
            unsafe { packet::mask::<$rounds>(key.key.proof.into(), &key.header, sample.as_ptr()) }
        }
    };
    (@batch $vector:ident, $features:literal, $rounds:literal, $name:ident) => {
        mod $name {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn seal(key: &ExpandedPacket<$vector>, packets: &mut [Packet<'_>], protected: &Protected) {
                batch::seal::<$vector, $rounds>(key, packets, Sending(protected), &Apart { one, long: seal_long });
            }

            #[target_feature(enable = $features)]
            pub(super) fn unmask(key: &ExpandedPacket<$vector>, packets: &mut [Packet<'_>], expected: u64) {
                batch::unmask::<$vector, $rounds>(key, packets, expected);
            }

            #[target_feature(enable = $features)]
            pub(super) fn open(key: &ExpandedPacket<$vector>, packets: &mut [Packet<'_>], direction: Receiving<'_>) {
                batch::open::<$vector, $rounds>(key, packets, direction, &Apart { one, long: open_long });
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn open_masked_short(
                key: &ExpandedPacket<$vector>,
                number: u64,
                packet: &mut [u8],
                header: MaskedHeader,
                tag: &mut Block,
            ) {
                // SAFETY: the caller's.
                unsafe { packet::open_masked::<$vector, $rounds, true>(key, number, packet, header, tag) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn open_masked_long(
                key: &ExpandedPacket<$vector>,
                number: u64,
                packet: &mut [u8],
                header: MaskedHeader,
                tag: &mut Block,
            ) {
                // SAFETY: the caller's.
                unsafe { packet::open_masked::<$vector, $rounds, false>(key, number, packet, header, tag) }
            }

            #[target_feature(enable = $features)]
            fn one(key: &ExpandedPacket<$vector>, packet: &mut Packet<'_>, failed: Option<&FailedOpens>) {
                batch::one::<$vector, $rounds>(key, packet, failed);
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            fn seal_long(
                key: &ExpandedPacket<$vector>,
                packets: &mut [Packet<'_>],
                from: usize,
                shape: &Shape,
                direction: &mut Sending<'_>,
            ) -> usize {
                batch::long::<$vector, $rounds, true, _>(key, packets, from, shape, direction)
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            fn open_long(
                key: &ExpandedPacket<$vector>,
                packets: &mut [Packet<'_>],
                from: usize,
                shape: &Shape,
                direction: &mut Receiving<'_>,
            ) -> usize {
                batch::long::<$vector, $rounds, false, _>(key, packets, from, shape, direction)
            }
        }
    };
    (@seal $vector:ident, $features:literal, $rounds:literal, $name:ident, $short:literal) => {
        // The packet as a pointer and lengths: these go in registers.
        #[target_feature(enable = $features)]
        unsafe fn $name(
            key: &ExpandedPacket<$vector>,
            number: u64,
            packet: *mut u8,
            header_bytes: usize,
            text_bytes: usize,
            sample: usize,
        ) -> Mask {
            // SAFETY: the caller's.
            unsafe {
                packet::seal::<$vector, $rounds, $short>(key, number, packet, header_bytes, text_bytes, sample)
            }
        }
    };
    (@open $vector:ident, $features:literal, $rounds:literal, $name:ident, $length:ident) => {
        #[target_feature(enable = $features)]
        unsafe fn $name(
            key: &ExpandedPacket<$vector>,
            number: u64,
            header: &[u8],
            text: *mut u8,
            text_bytes: usize,
            tag: &mut Block,
        ) {
            // SAFETY: the caller says that the text is there, and that it is short or long.
            unsafe {
                let lines = Lines::new(text, text, text_bytes);
                let aad = Aad::new(&key.key, header);
                let computed =
                    message::$length::<$vector, $rounds, false>(&key.key, &key.counters(number), &aad, lines);
                computed.store(tag.as_mut_ptr());
            }
        }
    };
}

pub(super) use {packet_door, packet_functions};
