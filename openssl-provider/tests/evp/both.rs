//! Makes the same random calls to a context of OpenSSL's own provider and to one of Kasoku's.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use super::random::Random;
use super::{Cipher, Context, INTEGER, NAMES, Param, REAL, UNSIGNED_INTEGER, crypto, ctrl, errors};

/// Makes calls to both providers. The first byte of `choices` selects the cipher, the others select the calls and their
/// arguments.
pub(crate) fn choices(ciphers: &[[Cipher; 2]; 3], choices: &[u8]) {
    let Some((&first, choices)) = choices.split_first() else { return };
    let which = usize::from(first) % NAMES.len();
    Both::new(&ciphers[which], NAMES[which].1, Random::choosing(u64::from(first), choices)).run();
}

/// A context of each provider, and the state that both contexts must have.
pub(crate) struct Both<'a> {
    ciphers: &'a [Cipher; 2],
    contexts: [Context; 2],
    key_bytes: usize,
    random: Random,
    pub(crate) log: Vec<String>,
    pub(crate) successes: usize,
    encrypts: bool,
    has_iv: bool,
    iv_bytes: usize,
    /// Whether a message may be in progress.
    may_be_in_use: bool,
    /// Whether a tag may be set.
    has_tag: bool,
    awaits_record: bool,
    /// Whether only an initialisation with an IV may follow.
    must_start: bool,
    /// Whether an IV waits for its message.
    is_iv_fresh: bool,
    /// Whether the default provider would encrypt with an IV that it should not use: one that was used and not
    /// incremented, came from decrypting, or now has another length.
    is_iv_spent: bool,
    /// Tag of the last encrypted message, to decrypt it with.
    last_tag: Option<[u8; 16]>,
}

impl<'a> Both<'a> {
    /// Creates contexts of the ciphers of OpenSSL's provider and of Kasoku's; `random` chooses the calls.
    pub(crate) fn new(ciphers: &'a [Cipher; 2], key_bytes: usize, random: Random) -> Self {
        Self {
            ciphers,
            contexts: [ciphers[0].context(), ciphers[1].context()],
            key_bytes,
            random,
            log: Vec::new(),
            successes: 0,
            encrypts: false,
            has_iv: false,
            iv_bytes: 12,
            may_be_in_use: false,
            has_tag: false,
            awaits_record: false,
            must_start: false,
            is_iv_fresh: false,
            is_iv_spent: false,
            last_tag: None,
        }
    }

    /// Makes the calls, and panics at the first difference.
    pub(crate) fn run(&mut self) {
        errors();
        self.init(true);
        for _ in 0..5 + self.random.below(40) {
            if self.must_start {
                self.must_start = false;
                self.start_message();
                continue;
            }
            match self.random.below(40) {
                0..=3 => self.init(false),
                4..=6 => self.start_message(),
                7..=11 => self.aad(),
                12..=19 => self.text(),
                20..=21 => self.whole_cipher(),
                22..=24 => self.finish(),
                25..=26 => self.set_tag(),
                27..=28 => self.get_tag(),
                29 => self.set_iv_bytes(),
                30 => self.set_fixed_iv(),
                31 => self.next_iv(),
                32 => self.received_iv(),
                33..=35 => self.record(),
                36..=37 => self.get_params(),
                38 => self.copy(),
                _ => self.reset_or_input_of_null(),
            }
        }
    }

    /// Makes a call on both contexts and compares the results.
    #[track_caller]
    fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        call: String,
        does: impl Fn(&Context, &Cipher) -> (c_int, T),
    ) -> c_int {
        let [default, kasoku] = [0, 1].map(|provider| {
            let result = does(&self.contexts[provider], &self.ciphers[provider]);
            let errors = errors();
            // The errors of a failure differ between versions.
            (result, if is_3_0() { errors } else { Vec::new() })
        });
        self.log.push(call);
        assert!(
            default == kasoku,
            "{} bytes of key, after\n{}\ndefault {default:?}\nkasoku  {kasoku:?}",
            self.key_bytes,
            self.log.join("\n")
        );
        let result = default.0.0;
        self.successes += usize::from(result > 0);
        result
    }

    fn init(&mut self, is_first: bool) {
        let cipher = is_first || self.random.once_in(6);
        let mut key = (is_first || self.random.once_in(2)).then(|| self.some_key());
        if is_first && self.random.once_in(8) {
            key = None;
        }
        let encrypts = self.random.choose(&[1, 1, 1, 0, 0, -1]);
        // The default provider would continue encrypting a message that was being decrypted.
        let turns = encrypts == 1 && !self.encrypts && self.may_be_in_use;
        let needs_iv = (turns || (key.is_some() && self.may_be_in_use)) && !cipher;
        let iv = (needs_iv || self.random.once_in(2)).then(|| self.random.bytes(128));
        self.initialise(cipher, key.as_deref(), iv.as_deref(), encrypts);
    }

    /// Returns a key, often one that was used before.
    fn some_key(&mut self) -> Vec<u8> {
        if self.random.once_in(2) {
            self.random.bytes(self.key_bytes)
        } else {
            vec![self.random.below(3) as u8; self.key_bytes]
        }
    }

    fn initialise(&mut self, cipher: bool, key: Option<&[u8]>, iv: Option<&[u8]>, encrypts: c_int) {
        let call = format!("init(cipher {cipher}, key {}, iv {}, {encrypts})", key.is_some(), iv.is_some());
        self.compare(call, |context, ciphers| (context.init(cipher.then_some(ciphers), key, iv, encrypts), ()));
        if encrypts >= 0 {
            self.encrypts = encrypts == 1;
        }
        if cipher {
            (self.has_iv, self.iv_bytes, self.has_tag, self.awaits_record) = (false, 12, false, false);
        }
        if cipher || iv.is_some() {
            self.may_be_in_use = false;
            (self.is_iv_fresh, self.is_iv_spent) = (iv.is_some(), false);
        }
        self.has_iv |= iv.is_some();
    }

    /// Sets an IV, and often a key and a tag.
    fn start_message(&mut self) {
        let key = self.random.once_in(3).then(|| self.some_key());
        let iv = self.random.bytes(128);
        let encrypts = self.random.choose(&[1, 1, 0]);
        self.initialise(false, key.as_deref(), Some(&iv), encrypts);
        if encrypts == 0 && !self.random.once_in(3) {
            self.set_tag();
        }
    }

    /// Returns whether the next call must be left out, because the providers would differ. For a record, the default
    /// provider would encrypt with a spent IV, or write before its IV buffer if the IV is shorter than eight bytes. For
    /// a message without an IV, each context would draw its own random IV.
    fn is_left_out(&self) -> bool {
        if self.awaits_record {
            self.iv_bytes < 8 || (self.encrypts && self.is_iv_spent)
        } else {
            self.encrypts && !self.has_iv
        }
    }

    fn size(&mut self) -> usize {
        match self.random.below(8) {
            0 => self.random.below(4),
            1..=4 => self.random.below(70),
            5..=6 => self.random.below(700),
            _ => self.random.below(5000),
        }
    }

    fn aad(&mut self) {
        if self.is_left_out() {
            return;
        }
        let bytes = self.size();
        let aad = self.random.bytes(bytes);
        self.compare(format!("aad({bytes})"), |context, _| {
            let mut out = -1;
            let result = unsafe {
                (crypto().EVP_CipherUpdate)(context.0, null_mut(), &raw mut out, aad.as_ptr(), aad.len() as c_int)
            };
            (result, out)
        });
        self.after_use(bytes > 0);
    }

    fn text(&mut self) {
        if self.is_left_out() {
            return;
        }
        let bytes = self.size();
        let text = self.random.bytes(bytes);
        let in_place = self.random.once_in(2);
        self.compare(format!("text({bytes}, in place {in_place})"), |context, _| {
            let mut output = text.clone();
            let (result, out) =
                if in_place { context.update_in_place(&mut output) } else { context.update(&text, &mut output) };
            (result, (out, output))
        });
        self.after_use(bytes > 0);
    }

    fn whole_cipher(&mut self) {
        if self.is_left_out() {
            return;
        }
        let bytes = 1 + self.size();
        let text = self.random.bytes(bytes);
        let is_aad = self.random.once_in(3);
        self.compare(format!("EVP_Cipher({bytes}, AAD {is_aad})"), |context, _| {
            let mut output = text.clone();
            let to = if is_aad { null_mut() } else { output.as_mut_ptr() };
            let result = unsafe { (crypto().EVP_Cipher)(context.0, to, text.as_ptr(), bytes as c_uint) };
            (result, output)
        });
        self.after_use(true);
    }

    /// Updates the expected state after AAD or text. `did_anything` is false if the input was empty.
    fn after_use(&mut self, did_anything: bool) {
        if did_anything {
            if !self.awaits_record {
                self.spend_iv();
            }
            self.may_be_in_use |= !self.awaits_record;
            self.is_iv_spent |= self.awaits_record && !self.encrypts;
            // A forged record sets the tag's length too.
            self.has_tag |= self.awaits_record;
            self.awaits_record = false;
        }
    }

    /// Updates the expected state when a message begins with the waiting IV.
    fn spend_iv(&mut self) {
        self.is_iv_spent |= std::mem::take(&mut self.is_iv_fresh);
    }

    fn finish(&mut self) {
        if self.is_left_out() {
            return;
        }
        let by_cipher = self.random.once_in(4);
        let result = self.compare(format!("final(by EVP_Cipher {by_cipher})"), |context, _| {
            if by_cipher {
                (unsafe { (crypto().EVP_Cipher)(context.0, null_mut(), null(), 0) } + 1, ())
            } else {
                (context.finish(), ())
            }
        });
        self.after_final(result);
    }

    fn after_final(&mut self, result: c_int) {
        if self.awaits_record {
            self.awaits_record = false;
            return;
        }
        self.spend_iv();
        self.may_be_in_use = true;
        if result > 0 && self.encrypts {
            self.has_tag = true;
            self.get_whole_tag();
        }
        // The default provider would continue to decrypt the forged message.
        self.must_start = result <= 0 && !self.encrypts && self.has_tag;
    }

    fn get_whole_tag(&mut self) {
        let mut tag = [0; 16];
        self.compare("get tag(16)".to_owned(), |context, _| {
            let mut tag = [0; 16];
            (context.ctrl(ctrl::GET_TAG, 16, tag.as_mut_ptr().cast()), tag)
        });
        if self.contexts[0].ctrl(ctrl::GET_TAG, 16, tag.as_mut_ptr().cast()) == 1 {
            self.last_tag = Some(tag);
        }
        errors();
    }

    fn set_tag(&mut self) {
        let bytes = self.random.choose(&[0, 1, 4, 8, 12, 13, 14, 15, 16, 16, 16, 17]);
        let mut tag = self.random.bytes(bytes);
        if let Some(known) = self.last_tag.filter(|_| self.random.once_in(2)) {
            tag.iter_mut().zip(known).for_each(|(byte, known)| *byte = known);
        }
        let result = self.compare(format!("set tag({bytes})"), |context, _| (context.set(ctrl::SET_TAG, &tag), ()));
        self.has_tag |= result > 0;
    }

    fn get_tag(&mut self) {
        let bytes = self.random.below(18);
        self.compare(format!("get tag({bytes})"), |context, _| {
            let mut tag = [0xA5_u8; 17];
            (context.ctrl(ctrl::GET_TAG, bytes as c_int, tag.as_mut_ptr().cast()), tag)
        });
    }

    fn set_iv_bytes(&mut self) {
        let bytes = self.random.choose(&[0, 1, 7, 8, 11, 12, 12, 13, 15, 16, 17, 60, 127, 128, 129]);
        let result = self.compare(format!("set ivlen({bytes})"), |context, _| {
            (context.ctrl(ctrl::SET_IVLEN, bytes, null_mut()), ())
        });
        if result > 0 {
            if self.iv_bytes != bytes as usize {
                (self.is_iv_fresh, self.is_iv_spent) = (false, true);
            }
            self.iv_bytes = bytes as usize;
        }
        self.compare("get ivlen".to_owned(), |context, _| {
            (unsafe { (crypto().EVP_CIPHER_CTX_get_iv_length)(context.0) }, ())
        });
    }

    fn set_fixed_iv(&mut self) {
        let bytes = self.random.choose(&[0, 3, 4, 4, 4, 5, 8, 12]);
        if bytes > self.iv_bytes {
            return;
        }
        let fixed = self.random.bytes(bytes);
        let result =
            self.compare(format!("set fixed IV({bytes})"), |context, _| (context.set(ctrl::SET_IV_FIXED, &fixed), ()));
        if result <= 0 {
            return;
        }
        self.has_iv = true;
        self.may_be_in_use = false;
        (self.is_iv_fresh, self.is_iv_spent) = (true, false);
        // Each context has drawn its own random bytes. Sets one IV for both contexts.
        let iv = self.random.bytes(self.iv_bytes);
        self.compare("set whole IV".to_owned(), |context, _| {
            (context.ctrl(ctrl::SET_IV_FIXED, -1, iv.as_ptr().cast_mut().cast()), ())
        });
    }

    fn next_iv(&mut self) {
        if self.iv_bytes < 8 || !self.has_iv || (self.encrypts && self.is_iv_spent) {
            return;
        }
        let bytes = self.random.choose(&[-1, 0, 1, 8, 8, 12, 200]);
        self.compare(format!("next IV({bytes})"), |context, _| {
            let mut iv = [0xA5_u8; 200];
            (context.ctrl(ctrl::IV_GEN, bytes, iv.as_mut_ptr().cast()), iv.to_vec())
        });
        self.may_be_in_use = true;
        self.is_iv_fresh = false;
        self.is_iv_spent |= !self.encrypts;
    }

    fn received_iv(&mut self) {
        let bytes = self.random.choose(&[0, 1, 8, 8, 8, 12]);
        if bytes > self.iv_bytes {
            return;
        }
        let part = self.random.bytes(bytes);
        self.compare(format!("received IV({bytes})"), |context, _| (context.set(ctrl::SET_IV_INV, &part), ()));
        self.may_be_in_use = true;
        self.is_iv_spent |= !self.encrypts;
    }

    /// Processes a TLS 1.2 record, usually a valid one.
    fn record(&mut self) {
        if self.iv_bytes < 8 {
            return;
        }
        if self.random.once_in(2) {
            self.set_fixed_iv();
        }
        if self.encrypts && self.is_iv_spent {
            return;
        }
        let text_bytes = self.size();
        let mut aad = self.random.bytes(13);
        let stated_bytes = if self.random.once_in(6) { self.random.below(40) } else { text_bytes + 24 };
        aad[11..].copy_from_slice(&(stated_bytes as u16).to_be_bytes());
        aad.truncate(if self.random.once_in(12) { 12 } else { 13 });
        self.compare(format!("TLS AAD({}, length {stated_bytes})", aad.len()), |context, _| {
            (context.set(ctrl::TLS1_AAD, &aad), ())
        });
        if aad.len() != 13 {
            return;
        }
        self.awaits_record = true;
        if self.random.once_in(10) {
            return;
        }
        let bytes = if self.random.once_in(10) { 1 + self.random.below(40) } else { text_bytes + 24 };
        let record = self.random.bytes(bytes);
        let in_place = !self.random.once_in(12);
        let mut sealed = None;
        let result = self.compare(format!("record({bytes}, in place {in_place})"), |context, _| {
            let mut output = record.clone();
            let (result, out) =
                if in_place { context.update_in_place(&mut output) } else { context.update(&record, &mut output) };
            (result, (out, output))
        });
        self.awaits_record = false;
        self.may_be_in_use = false;
        self.is_iv_spent |= !self.encrypts;
        self.has_tag = true;
        if result > 0 && self.encrypts {
            // The default provider encrypts once more; both contexts receive the record below.
            sealed = Some((aad.clone(), record));
        }
        if let Some((aad, record)) = sealed.filter(|_| self.random.once_in(2)) {
            self.next_record_is_received(&aad, record);
        }
    }

    /// Opens a record that the default provider has sealed, sometimes forged, with a new context of each provider.
    fn next_record_is_received(&mut self, aad: &[u8], mut record: Vec<u8>) {
        let key = self.random.bytes(self.key_bytes);
        let sender = self.ciphers[0].with_key(true, &key);
        assert_eq!(sender.set(ctrl::SET_IV_FIXED, &aad[..4]), 1);
        assert!(sender.set(ctrl::TLS1_AAD, aad) == 16 || errors().len() == 1);
        let (sent, bytes) = sender.update_in_place(&mut record);
        assert_eq!((sent, bytes), (1, record.len() as c_int));
        let forged = self.random.once_in(3).then(|| self.random.below(record.len()));
        if let Some(place) = forged {
            record[place] ^= 1 << self.random.below(8);
        }
        self.compare(format!("a whole record, forged at {forged:?}"), |_, cipher| {
            let receiver = cipher.with_key(false, &key);
            assert_eq!(receiver.set(ctrl::SET_IV_FIXED, &aad[..4]), 1);
            let padding = receiver.set(ctrl::TLS1_AAD, aad);
            let mut output = record.clone();
            let (result, out) = receiver.update_in_place(&mut output);
            (result, (padding, out, output))
        });
    }

    fn get_params(&mut self) {
        const NAMES: [&CStr; 9] =
            [c"keylen", c"ivlen", c"taglen", c"iv", c"updated-iv", c"tag", c"tlsaadpad", c"nothing", c"mode"];
        // Later versions read parameters in the order of the list; 3.0 and Kasoku read them in their own order. The
        // first failure ends the call.
        let count = if is_3_0() { 1 + self.random.below(3) } else { 1 };
        let asked: Vec<(&CStr, c_uint, usize, bool)> = (0..count)
            .map(|_| {
                let (name, kind) = (self.random.choose(&NAMES), self.random.choose(&[1, 2, 2, 2, 3, 4, 5, 5, 5, 7]));
                let bytes = match kind {
                    REAL => 8,
                    super::OCTET_PTR => 128,
                    INTEGER | UNSIGNED_INTEGER => self.random.choose(&[1, 2, 3, 4, 4, 8, 8, 8, 12, 16]),
                    _ => self.random.choose(&[0, 1, 8, 12, 16, 17, 60, 128]),
                };
                (name, kind, bytes, kind != REAL && self.random.once_in(10) && is_3_0())
            })
            .collect();
        self.compare(format!("get {asked:?}"), |context, _| {
            let mut places = vec![[0xA5_A5_A5_A5_A5_A5_A5_A5_u64; 17]; asked.len()];
            let mut params: Vec<Param> = asked
                .iter()
                .zip(&mut places)
                .map(|((name, kind, bytes, is_null), place)| {
                    let data: *mut c_void = if *is_null { null_mut() } else { place.as_mut_ptr().cast() };
                    Param { key: name.as_ptr(), data_type: *kind, data, data_size: *bytes, return_size: usize::MAX }
                })
                .collect();
            params.push(Param::END);
            let result = unsafe { (crypto().EVP_CIPHER_CTX_get_params)(context.0, params.as_mut_ptr()) };
            // For a pointer, compares its target.
            for (param, place) in params.iter().zip(&mut places) {
                if param.data_type == super::OCTET_PTR && place[0] != 0xA5_A5_A5_A5_A5_A5_A5_A5 {
                    place[0] = unsafe { *(place[0] as *const u8) }.into();
                }
            }
            let mut sizes: Vec<usize> = params.iter().map(|param| param.return_size).collect();
            if result == 0 && !is_3_0() {
                sizes.clear();
            }
            (result, (sizes, places))
        });
    }

    fn copy(&mut self) {
        self.compare("copy".to_owned(), |context, _| {
            let copy = Context(unsafe { (crypto().EVP_CIPHER_CTX_new)() });
            let result = unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, context.0) };
            // Changes to the original must not affect the copy.
            unsafe { (crypto().EVP_CIPHER_CTX_reset)(context.0) };
            let back = unsafe { (crypto().EVP_CIPHER_CTX_copy)(context.0, copy.0) };
            (result, back)
        });
    }

    fn reset_or_input_of_null(&mut self) {
        if self.random.once_in(2) || self.is_left_out() {
            self.compare("reset".to_owned(), |context, _| (unsafe { (crypto().EVP_CIPHER_CTX_reset)(context.0) }, ()));
            self.encrypts = false;
            self.init(true);
            return;
        }
        // A NULL input ends the message, whatever the length.
        let result = self.compare("text(NULL, 5)".to_owned(), |context, _| {
            let (mut out, mut output) = (-1, [0; 8]);
            let result =
                unsafe { (crypto().EVP_CipherUpdate)(context.0, output.as_mut_ptr(), &raw mut out, null(), 5) };
            (result, (out, output))
        });
        self.after_final(result);
    }
}

/// Returns whether OpenSSL is version 3.0, whose behaviour Kasoku imitates.
fn is_3_0() -> bool {
    unsafe { CStr::from_ptr((crypto().OpenSSL_version)(0)) }.to_bytes().starts_with(b"OpenSSL 3.0.")
}
