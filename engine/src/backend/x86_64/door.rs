//! How the rest of the crate comes in: the functions that have a backend's instructions switched on.

/// The key of a backend over vectors `$vector`, and the functions that have `$features` switched on. All of the kernel
/// is inlined into them, once for each number of rounds and direction.
macro_rules! door {
    ($vector:ident, $proof:ty, $features:literal) => {
        use alloc::boxed::Box;

        use super::cipher::Counters;
        use super::key::Expanded;
        use super::lines::Lines;
        use super::message::{self, Aad};
        use super::pieces;
        use crate::backend::{Block, Progress};
        use crate::text::Text;

        /// The key of this backend.
        pub(crate) struct Key(Expanded<$vector>);

        impl Key {
            /// Expands `key`, which has 16, 24 or 32 bytes.
            pub(crate) fn new(proof: $proof, key: &[u8]) -> Box<Self> {
                let mut new = Box::new(Self(Expanded::empty(proof)));
                // SAFETY: the proof says that the CPU has the features.
                unsafe { expand(&mut new.0, key) };
                new
            }
        }

        impl Drop for Key {
            fn drop(&mut self) {
                self.0.wipe();
            }
        }

        // SAFETY (every block here): the key holds the proof that the CPU has the features.
        impl crate::backend::Key for Key {
            #[inline]
            fn seal(&self, nonce: &[u8; 12], aad: &[u8], mut text: Text<'_>, tag: &mut Block) {
                let (input, output, bytes) = text.pointers();
                let is_short = bytes <= message::most_short::<$vector>();
                let seal = match (self.0.rounds, is_short) {
                    (10, true) => short::seal_128,
                    (10, false) => long::seal_128,
                    (12, true) => short::seal_192,
                    (12, false) => long::seal_192,
                    (_, true) => short::seal_256,
                    (_, false) => long::seal_256,
                };
                // SAFETY: see above; the text is there for as long as it is borrowed, and its length was looked at.
                unsafe { seal(&self.0, nonce, aad, input, output, bytes, tag) }
            }

            #[inline]
            fn open(&self, nonce: &[u8; 12], aad: &[u8], mut text: Text<'_>, tag: &mut Block) {
                let (input, output, bytes) = text.pointers();
                let is_short = bytes <= message::most_short::<$vector>();
                let open = match (self.0.rounds, is_short) {
                    (10, true) => short::open_128,
                    (10, false) => long::open_128,
                    (12, true) => short::open_192,
                    (12, false) => long::open_192,
                    (_, true) => short::open_256,
                    (_, false) => long::open_256,
                };
                // SAFETY: see above; the text is there for as long as it is borrowed, and its length was looked at.
                unsafe { open(&self.0, nonce, aad, input, output, bytes, tag) }
            }

            fn encrypt_block(&self, block: &Block) -> Block {
                // SAFETY: see above.
                unsafe { one_block(&self.0, block) }
            }

            fn absorb(&self, hash: &mut Block, data: &[u8]) {
                // SAFETY: see above.
                unsafe { hash_only(&self.0, hash, data) }
            }

            fn seal_blocks(&self, progress: &mut Progress, text: Text<'_>) {
                let seal = if pieces::are_few::<$vector>(progress, text.len()) { seal_few } else { seal_piece };
                // SAFETY: see above.
                unsafe { seal(&self.0, progress, text) }
            }

            fn open_blocks(&self, progress: &mut Progress, text: Text<'_>) {
                let open = if pieces::are_few::<$vector>(progress, text.len()) { open_few } else { open_piece };
                // SAFETY: see above.
                unsafe { open(&self.0, progress, text) }
            }
        }

        #[target_feature(enable = $features)]
        fn expand(key: &mut Expanded<$vector>, bytes: &[u8]) {
            key.expand(bytes);
        }

        super::door::whole!($vector, $features, short);
        super::door::whole!($vector, $features, long);

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn long_aad(key: &Expanded<$vector>, aad: &[u8]) -> super::aesni::One {
            message::fold_aad(key, aad)
        }

        #[target_feature(enable = $features)]
        fn one_block(key: &Expanded<$vector>, block: &Block) -> Block {
            pieces::encrypt_block(key, block)
        }

        #[target_feature(enable = $features)]
        fn hash_only(key: &Expanded<$vector>, hash: &mut Block, data: &[u8]) {
            pieces::absorb(key, hash, data);
        }

        #[target_feature(enable = $features)]
        fn seal_few(key: &Expanded<$vector>, progress: &mut Progress, text: Text<'_>) {
            match key.rounds {
                10 => pieces::few_blocks::<$vector, 10, true>(key, progress, text),
                12 => pieces::few_blocks::<$vector, 12, true>(key, progress, text),
                _ => pieces::few_blocks::<$vector, 14, true>(key, progress, text),
            }
        }

        #[target_feature(enable = $features)]
        fn seal_piece(key: &Expanded<$vector>, progress: &mut Progress, text: Text<'_>) {
            match key.rounds {
                10 => pieces::whole_blocks::<$vector, 10, true>(key, progress, text),
                12 => pieces::whole_blocks::<$vector, 12, true>(key, progress, text),
                _ => pieces::whole_blocks::<$vector, 14, true>(key, progress, text),
            }
        }

        #[target_feature(enable = $features)]
        fn open_few(key: &Expanded<$vector>, progress: &mut Progress, text: Text<'_>) {
            match key.rounds {
                10 => pieces::few_blocks::<$vector, 10, false>(key, progress, text),
                12 => pieces::few_blocks::<$vector, 12, false>(key, progress, text),
                _ => pieces::few_blocks::<$vector, 14, false>(key, progress, text),
            }
        }

        #[target_feature(enable = $features)]
        fn open_piece(key: &Expanded<$vector>, progress: &mut Progress, text: Text<'_>) {
            match key.rounds {
                10 => pieces::whole_blocks::<$vector, 10, false>(key, progress, text),
                12 => pieces::whole_blocks::<$vector, 12, false>(key, progress, text),
                _ => pieces::whole_blocks::<$vector, 14, false>(key, progress, text),
            }
        }
    };
}

/// The module `$length` of functions for whole messages, short or long: they are apart so that a short message does not
/// pay for the registers that a long one needs. None is generic, so that they are compiled in this crate and no other.
macro_rules! whole {
    ($vector:ident, $features:literal, $length:ident) => {
        mod $length {
            use super::*;

            super::super::door::whole!(@ $vector, $features, $length, seal_128, 10, true);
            super::super::door::whole!(@ $vector, $features, $length, seal_192, 12, true);
            super::super::door::whole!(@ $vector, $features, $length, seal_256, 14, true);
            super::super::door::whole!(@ $vector, $features, $length, open_128, 10, false);
            super::super::door::whole!(@ $vector, $features, $length, open_192, 12, false);
            super::super::door::whole!(@ $vector, $features, $length, open_256, 14, false);
        }
    };
    (@ $vector:ident, $features:literal, $length:ident, $name:ident, $rounds:literal, $seals:literal) => {
        // The text as pointers and length: these go in registers.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(
            key: &Expanded<$vector>,
            nonce: &[u8; 12],
            aad: &[u8],
            input: *const u8,
            output: *mut u8,
            bytes: usize,
            tag: &mut Block,
        ) {
            // SAFETY: the caller says that the text is there, and that it is short or long.
            unsafe {
                let lines = Lines::new(input, output, bytes);
                let made = message::$length::<$vector, $rounds, $seals>(key, &Counters::new(nonce), &Aad::new(key, aad), lines);
                made.store(tag.as_mut_ptr());
            }
        }
    };
}

pub(super) use {door, whole};
