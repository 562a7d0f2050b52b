//! How packets come in: the functions that have a backend's instructions switched on, as `door.rs` has them for messages.

/// The packet key of a backend over vectors `$vector`.
macro_rules! packet_door {
    ($vector:ident, $proof:ty, $features:literal) => {
        use super::batch::{self, Apart, Direction, Receiving, Sending};
        use super::packet::{self, ExpandedPacket};
        use crate::backend::{Admission, Cover, Mask, Packet, Reception, Shape};

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
            fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
                let text_bytes = packet.len() - cover.header_bytes - 16;
                let open = match (self.0.key.rounds, text_bytes <= message::most_short::<$vector>()) {
                    (10, true) => batch_128::open_masked_short,
                    (10, false) => batch_128::open_masked_long,
                    (_, true) => batch_256::open_masked_short,
                    (_, false) => batch_256::open_masked_long,
                };
                // SAFETY: see above; the length was looked at.
                unsafe { open(&self.0, number, packet, cover, tag) }
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

            fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>) {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => batch_128::seal(&self.0, packets, Sending(admission)),
                        _ => batch_256::seal(&self.0, packets, Sending(admission)),
                    }
                }
            }

            fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>) {
                // SAFETY: see above.
                unsafe {
                    match self.0.key.rounds {
                        10 => batch_128::unmask(&self.0, packets, reception),
                        _ => batch_256::unmask(&self.0, packets, reception),
                    }
                }
            }

            fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>) {
                let direction = Receiving { reception, unmasked: if are_masked { 0 } else { packets.len() } };
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
            pub(super) fn seal<T: Packet, D: Direction<$vector, T>>(key: &ExpandedPacket<$vector>, packets: &mut [T], mut direction: D) {
                batch::all::<$vector, $rounds, true, T, D>(key, packets, &mut direction, &Apart { one: one::<T, D>, long: long::<T, D, true> });
            }

            #[target_feature(enable = $features)]
            pub(super) fn unmask<T: Packet>(key: &ExpandedPacket<$vector>, packets: &mut [T], reception: &impl Reception<T>) {
                batch::unmask::<$vector, $rounds, T>(key, packets, reception);
            }

            #[target_feature(enable = $features)]
            pub(super) fn open<T: Packet, D: Direction<$vector, T>>(key: &ExpandedPacket<$vector>, packets: &mut [T], mut direction: D) {
                batch::all::<$vector, $rounds, false, T, D>(key, packets, &mut direction, &Apart { one: one::<T, D>, long: long::<T, D, false> });
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn open_masked_short(
                key: &ExpandedPacket<$vector>,
                number: u64,
                packet: &mut [u8],
                cover: Cover,
                tag: &mut Block,
            ) {
                // SAFETY: the caller's.
                unsafe { packet::open_masked::<$vector, $rounds, true>(key, number, packet, cover, tag) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn open_masked_long(
                key: &ExpandedPacket<$vector>,
                number: u64,
                packet: &mut [u8],
                cover: Cover,
                tag: &mut Block,
            ) {
                // SAFETY: the caller's.
                unsafe { packet::open_masked::<$vector, $rounds, false>(key, number, packet, cover, tag) }
            }

            #[target_feature(enable = $features)]
            fn one<T: Packet, D: Direction<$vector, T>>(key: &ExpandedPacket<$vector>, packet: &mut T, direction: &D) {
                direction.one::<$rounds>(key, packet);
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            fn long<T: Packet, D: Direction<$vector, T>, const SEAL: bool>(
                key: &ExpandedPacket<$vector>,
                packets: &mut [T],
                from: usize,
                shape: &Shape,
                direction: &mut D,
            ) -> usize {
                batch::long::<$vector, $rounds, SEAL, T, D>(key, packets, from, shape, direction)
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
