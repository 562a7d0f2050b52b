//! All ways of encrypting and decrypting must agree at every length and number of threads, and detect every fault.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

use kasoku_file::format::{CHUNK_BYTES, SEALED_CHUNK_BYTES, encrypted_bytes};
use kasoku_file::{Cipher, Error, Key, Options, Reader, Writer, decrypt, decrypt_file, encrypt, encrypt_file};
use proptest::prelude::*;
use support::{CONTEXT, SEGMENT, as_file, key, round_trip, sealed_by_writer, text, threads};

/// Reader that returns a few bytes at a time, as pipes do, and is interrupted by signals.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 * 7 % 5_003 + 1;
        if self.1.is_multiple_of(8) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn opened(sealed: &[u8], options: &Options<'_>) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    decrypt(&key(), CONTEXT, Trickle(sealed, 1), &mut text, options).map(|_| text)
}

fn opened_as_file(sealed: &[u8], options: &Options<'_>) -> Result<Vec<u8>, Error> {
    let mut output = tempfile::tempfile().unwrap();
    let bytes = decrypt_file(&key(), CONTEXT, &as_file(sealed), &output, options)?;
    let mut text = Vec::new();
    output.rewind().unwrap();
    output.read_to_end(&mut text).unwrap();
    assert_eq!(bytes, text.len() as u64);
    Ok(text)
}

fn read(sealed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Reader::new(&key(), CONTEXT, Cursor::new(sealed))?.read_to_end(&mut text)?;
    Ok(text)
}

#[test]
fn streams_files_readers_and_writers_agree_at_every_length() {
    for bytes in [0, 1, 16_383, 16_384, 16_385, 32_768, SEGMENT - 1, SEGMENT, SEGMENT + 1, 5 * SEGMENT + 77] {
        let text = text(bytes);
        for count in [1, 2, 5] {
            let options = threads(count);
            let mut sealed = Vec::new();
            assert_eq!(
                encrypt(&key(), CONTEXT, Trickle(&text, 1), &mut sealed, &options).unwrap(),
                bytes as u64,
                "{bytes} bytes, {count} threads"
            );
            let mut by_file = tempfile::tempfile().unwrap();
            assert_eq!(encrypt_file(&key(), CONTEXT, &as_file(&text), &by_file, &options).unwrap(), bytes as u64);
            let mut sealed_by_file = Vec::new();
            by_file.rewind().unwrap();
            by_file.read_to_end(&mut sealed_by_file).unwrap();

            for sealed in [sealed, sealed_by_file, sealed_by_writer(&text)] {
                assert_eq!(Some(sealed.len() as u64), encrypted_bytes(bytes as u64));
                assert!(opened(&sealed, &options).unwrap() == text, "{bytes} bytes, {count} threads");
                assert!(opened_as_file(&sealed, &options).unwrap() == text, "{bytes} bytes, {count} threads");
                assert!(read(&sealed).unwrap() == text, "{bytes} bytes");
            }
        }
    }
}

#[test]
fn encrypting_twice_gives_different_files() {
    let seal = || {
        let mut sealed = Vec::new();
        encrypt(&key(), CONTEXT, &[0; 100][..], &mut sealed, &threads(1)).unwrap();
        sealed
    };
    let (first, second) = (seal(), seal());
    assert!(first[..24] != second[..24] && first[24..56] != second[24..56] && first[56..] != second[56..]);
}

/// Checks that every way of decrypting rejects a modified file.
fn assert_refused(sealed: &[u8], original: &[u8], what: &str) {
    for count in [1, 3] {
        let mut written = Vec::new();
        let streamed = decrypt(&key(), CONTEXT, sealed, &mut written, &threads(count));
        assert!(streamed.is_err(), "{what}: {count} threads");
        assert!(original.starts_with(&written), "{what}: something that was never encrypted came out");
        assert!(opened_as_file(sealed, &threads(count)).is_err(), "{what}: {count} threads, files");
    }
    assert!(read(sealed).is_err(), "{what}: read");
}

#[test]
fn decryption_detects_every_truncation() {
    let text = text(3 * CHUNK_BYTES + 100);
    let sealed = sealed_by_writer(&text);
    for cut in [1, 16, 17, 56, 100, 115, 116, 117, SEALED_CHUNK_BYTES, SEALED_CHUNK_BYTES + 116, sealed.len() - 72] {
        assert_refused(&sealed[..sealed.len() - cut], &text, &format!("{cut} bytes cut off"));
    }
    for left in [0, 1, 55, 56, 57, 71, 72, 56 + SEALED_CHUNK_BYTES] {
        assert_refused(&sealed[..left], &text, &format!("{left} bytes left"));
    }
    // The file has only whole chunks: the empty last chunk is missing.
    let text = self::text(2 * CHUNK_BYTES);
    let sealed = sealed_by_writer(&text);
    assert_refused(&sealed[..sealed.len() - 16], &text, "the empty end cut off");
}

#[test]
fn decryption_detects_every_flipped_bit() {
    let text = text(33);
    let mut sealed = sealed_by_writer(&text);
    for bit in 0..8 * sealed.len() {
        sealed[bit / 8] ^= 1 << (bit % 8);
        assert_refused(&sealed, &text, &format!("bit {bit} flipped"));
        sealed[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(opened(&sealed, &threads(1)).unwrap(), text, "it is whole again");
}

/// Fills sectors anywhere in the file with zeros, as if a power cut had left them unwritten.
#[test]
fn decryption_detects_unwritten_sectors() {
    const SECTOR: usize = 512;
    let text = text(2 * CHUNK_BYTES + 1_000);
    let whole = sealed_by_writer(&text);
    let sectors = whole.len().div_ceil(SECTOR);
    for (first, count) in (0..sectors).flat_map(|first| [(first, 1), (first, sectors - first)]) {
        let mut torn = whole.clone();
        torn[first * SECTOR..whole.len().min((first + count) * SECTOR)].fill(0);
        assert_refused(&torn, &text, &format!("{count} sectors from {first} on were not written"));
    }
}

#[test]
fn decryption_detects_moved_chunks() {
    let text = text(3 * CHUNK_BYTES + 100);
    let sealed = sealed_by_writer(&text);
    let chunk = |index: usize| 56 + index * SEALED_CHUNK_BYTES..56 + (index + 1) * SEALED_CHUNK_BYTES;
    let mut swapped = sealed.clone();
    swapped[chunk(0)].copy_from_slice(&sealed[chunk(1)]);
    swapped[chunk(1)].copy_from_slice(&sealed[chunk(0)]);
    assert_refused(&swapped, &text, "two chunks swapped");
    let without = [&sealed[..chunk(1).start], &sealed[chunk(1).end..]].concat();
    assert_refused(&without, &text, "a chunk taken away");
    let twice = [&sealed[..chunk(1).end], &sealed[chunk(1).start..]].concat();
    assert_refused(&twice, &text, "a chunk twice");
    assert_refused(&[&sealed[..], &sealed[56..]].concat(), &text, "the chunks twice");
    assert_refused(&[&sealed[..], &[0]].concat(), &text, "a byte more");

    let mut other = Writer::with_salt(&key(), &[6; 24], CONTEXT, Vec::new()).unwrap();
    other.write_all(&text).unwrap();
    let other = other.finish().unwrap();
    assert_refused(&[&sealed[..chunk(1).end], &other[chunk(1).end..]].concat(), &text, "two files spliced");
    assert_refused(&[&other[..56], &sealed[56..]].concat(), &text, "the header of another file");
}

#[test]
fn wrong_key_or_context_is_reported_before_output() {
    let sealed = sealed_by_writer(&text(100));
    for (key, context) in [(Key::from_bytes(&[0x43; 32]).unwrap(), CONTEXT), (key(), &b"ward 8"[..]), (key(), &b""[..])]
    {
        let mut written = Vec::new();
        assert!(matches!(decrypt(&key, context, &sealed[..], &mut written, &threads(2)), Err(Error::WrongKey)));
        assert!(written.is_empty());
        assert!(matches!(Reader::new(&key, context, Cursor::new(&sealed)), Err(Error::WrongKey)));
    }
    for byte in 0..56 {
        let mut changed = sealed.clone();
        changed[byte] ^= 1;
        assert!(matches!(opened(&changed, &threads(1)), Err(Error::WrongKey)), "byte {byte} of the header");
    }
}

#[test]
fn authentication_error_names_the_first_forged_chunk() {
    let mut sealed = sealed_by_writer(&text(200 * CHUNK_BYTES));
    for chunk in [150, 70] {
        sealed[56 + chunk * SEALED_CHUNK_BYTES + 9] ^= 1;
        let named = opened(&sealed, &threads(4)).unwrap_err();
        assert!(matches!(named, Error::AuthenticationFailed { chunk: found } if found == chunk as u64), "{named}");
    }
}

/// Returns the errors of a stream, a file, and a reader, which checks only the end.
fn errors(sealed: &[u8]) -> [Error; 3] {
    let reader = Reader::new(&key(), CONTEXT, Cursor::new(sealed)).map(drop);
    [opened(sealed, &threads(4)).unwrap_err(), opened_as_file(sealed, &threads(4)).unwrap_err(), reader.unwrap_err()]
}

#[test]
fn errors_distinguish_truncated_from_modified_files() {
    let sealed = sealed_by_writer(&text(200 * CHUNK_BYTES + 100));
    let behind = |chunks: usize| 56 + chunks * SEALED_CHUNK_BYTES;
    for left in [behind(200), behind(199), behind(150) + 1, behind(64) + 15] {
        for error in errors(&sealed[..left]) {
            assert!(matches!(error, Error::Truncated), "{left} bytes left: {error}");
        }
    }
    // Within a chunk, truncation and modification look the same.
    let longer = [&sealed[..], &[0; 40]].concat();
    for (bytes, last) in [
        (&sealed[..sealed.len() - 1], 200),
        (&sealed[..behind(200) + 16], 200),
        (&sealed[..behind(7) + 9_000], 7),
        (&longer, 200),
    ] {
        for error in errors(bytes) {
            assert!(matches!(error, Error::WrongEnd { chunk } if chunk == last), "{} bytes: {error}", bytes.len());
            assert!(error.to_string().starts_with("authentication failed: the last chunk "), "{error}");
        }
    }
    // A modified file is not called truncated, even if its end is missing too.
    let mut changed = sealed.clone();
    changed[behind(70) + 9] ^= 1;
    for left in [behind(200), behind(199) + 5_000] {
        let [streamed, by_file, _] = errors(&changed[..left]);
        assert!(matches!(streamed, Error::AuthenticationFailed { chunk: 70 }), "{streamed}");
        assert!(matches!(by_file, Error::AuthenticationFailed { chunk: 70 }), "{by_file}");
    }
    let sealed = sealed_by_writer(&text(2 * CHUNK_BYTES));
    let taken_out = [&sealed[..behind(0) + 50], &sealed[behind(0) + 66..]].concat();
    assert_eq!(taken_out.len(), behind(2), "as long as one without a last chunk");
    let [streamed, by_file, reader] = errors(&taken_out);
    assert!(matches!(streamed, Error::AuthenticationFailed { chunk: 0 }), "{streamed}");
    assert!(matches!(by_file, Error::AuthenticationFailed { chunk: 0 }), "{by_file}");
    assert!(matches!(reader, Error::AuthenticationFailed { chunk: 1 }), "{reader}");
}

#[test]
fn reader_decrypts_a_part_without_reading_other_chunks() {
    struct Counted<'a>(Cursor<&'a [u8]>, &'a std::cell::Cell<usize>);
    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1.set(self.1.get() + count);
            Ok(count)
        }
    }
    impl Seek for Counted<'_> {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.0.seek(to)
        }
    }
    let text = text(100 * CHUNK_BYTES + 5);
    let mut sealed = sealed_by_writer(&text);
    // Reading a part must not touch a forged chunk elsewhere.
    sealed[56 + 90 * SEALED_CHUNK_BYTES] ^= 1;
    let read = std::cell::Cell::new(0);
    let mut reader = Reader::new(&key(), CONTEXT, Counted(Cursor::new(&sealed), &read)).unwrap();
    let mut part = vec![0; 3 * CHUNK_BYTES];
    reader.seek(SeekFrom::Start(50 * CHUNK_BYTES as u64 + 7)).unwrap();
    reader.read_exact(&mut part).unwrap();
    assert!(part == text[50 * CHUNK_BYTES + 7..53 * CHUNK_BYTES + 7]);
    assert!(read.get() < 8 * SEALED_CHUNK_BYTES, "{} bytes read", read.get());
    reader.seek(SeekFrom::Start(90 * CHUNK_BYTES as u64)).unwrap();
    assert!(reader.read(&mut part).is_err());
    // Past the end there is nothing to read.
    reader.seek(SeekFrom::Start(1 << 40)).unwrap();
    assert_eq!(reader.read(&mut part).unwrap(), 0);
    assert_eq!(reader.seek(SeekFrom::End(-5)).unwrap(), 100 * CHUNK_BYTES as u64);
    assert_eq!(reader.read(&mut part).unwrap(), 5);
    assert!(part[..5] == text[100 * CHUNK_BYTES..]);
    reader.seek(SeekFrom::End(10)).unwrap();
    assert_eq!(reader.read(&mut part).unwrap(), 0);
    assert!(reader.seek(SeekFrom::Current(i64::MIN)).is_err());
}

#[test]
fn read_and_write_errors_reach_the_caller() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0 < bytes.len() {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.0 -= bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    struct Broken<'a>(&'a [u8]);
    impl Read for Broken<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::other("the disk broke")),
                count => Ok(count),
            }
        }
    }
    let text = text(30 * SEGMENT);
    for room in [0, 60, 5 * SEGMENT] {
        let result = encrypt(&key(), CONTEXT, &text[..], Full(room), &threads(3));
        assert!(
            matches!(result, Err(Error::Write(error)) if error.kind() == std::io::ErrorKind::StorageFull),
            "{room}"
        );
    }
    let result = encrypt(&key(), CONTEXT, Broken(&text), Vec::new(), &threads(3));
    assert!(matches!(result, Err(Error::Read(_))));
    let sealed = sealed_by_writer(&text);
    assert!(matches!(decrypt(&key(), CONTEXT, Broken(&sealed), Vec::new(), &threads(3)), Err(Error::Read(_))));
    assert!(matches!(decrypt(&key(), CONTEXT, &sealed[..], Full(100), &threads(3)), Err(Error::Write(_))));
    assert!(matches!(Writer::new(&key(), b"", Full(10)), Err(Error::Write(_))));
}

#[test]
fn progress_reaches_the_plaintext_length() {
    let bytes = 3 * SEGMENT + 5;
    let (text, sealed) = (text(bytes), sealed_by_writer(&text(bytes)));
    let file = || tempfile::tempfile().unwrap();
    type Way<'a> = &'a dyn Fn(&Options<'_>) -> Result<u64, Error>;
    let ways: [Way<'_>; 4] = [
        &|options| encrypt(&key(), CONTEXT, &text[..], Vec::new(), options),
        &|options| decrypt(&key(), CONTEXT, &sealed[..], Vec::new(), options),
        &|options| encrypt_file(&key(), CONTEXT, &as_file(&text), &file(), options),
        &|options| decrypt_file(&key(), CONTEXT, &as_file(&sealed), &file(), options),
    ];
    for way in ways {
        let reported = Mutex::new(Vec::new());
        let progress = |bytes| reported.lock().unwrap().push(bytes);
        // One thread reports in order.
        assert_eq!(way(&Options { progress: Some(&progress), ..threads(1) }).unwrap(), bytes as u64);
        let reported = reported.into_inner().unwrap();
        assert!(reported.is_sorted() && reported.len() >= 3 && reported[0] < bytes as u64, "{reported:?}");
        assert_eq!(reported.last(), Some(&(bytes as u64)));
    }
}

/// A flush must pass everything on that is already encrypted.
#[test]
fn writer_flushes_the_inner_writer() {
    struct Flushes(usize);
    impl Write for Flushes {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            self.0 += 1;
            Ok(())
        }
    }
    let mut writer = Writer::new(&key(), CONTEXT, Flushes(0)).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.finish().unwrap().0, 2);
}

/// Returns the panic message of `work`, which must end within a minute.
fn panic_of(work: impl FnOnce() + Send + 'static) -> String {
    let (ended, end) = std::sync::mpsc::channel();
    let worker = std::thread::spawn(move || {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        ended.send(()).unwrap();
        panic.downcast_ref::<&str>().map(|text| (*text).to_owned()).unwrap_or_default()
    });
    assert!(end.recv_timeout(std::time::Duration::from_secs(60)).is_ok(), "it waits for ever");
    worker.join().unwrap()
}

#[test]
fn panic_in_callback_resumes_in_the_callers_thread() {
    /// Writer that panics after this many bytes.
    struct Fragile(usize);
    impl Write for Fragile {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).unwrap_or_else(|| panic!("the writer"));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            panic!("the reader")
        }
    }
    fn fails(bytes: u64) {
        assert!(bytes <= 3 * SEGMENT as u64, "the progress");
    }
    let sealed = sealed_by_writer(&text(40 * SEGMENT));
    for count in [1, 3] {
        let options = Options { progress: Some(&fails), ..threads(count) };
        let forever = || std::io::repeat(7);
        assert_eq!(
            panic_of(move || drop(encrypt(&key(), CONTEXT, forever(), std::io::sink(), &options))),
            "the progress"
        );
        let input = sealed.clone();
        assert_eq!(
            panic_of(move || drop(decrypt(&key(), CONTEXT, &input[..], std::io::sink(), &options))),
            "the progress"
        );

        let (from, to) = (as_file(&text(40 * SEGMENT)), tempfile::tempfile().unwrap());
        assert_eq!(panic_of(move || drop(encrypt_file(&key(), CONTEXT, &from, &to, &options))), "the progress");
        let (from, to) = (as_file(&sealed), tempfile::tempfile().unwrap());
        assert_eq!(panic_of(move || drop(decrypt_file(&key(), CONTEXT, &from, &to, &options))), "the progress");

        let options = threads(count);
        let fragile = Fragile(5 * SEGMENT);
        assert_eq!(panic_of(move || drop(encrypt(&key(), CONTEXT, forever(), fragile, &options))), "the writer");
        let input = Cursor::new(vec![7; 5 * SEGMENT]).chain(Broken);
        assert_eq!(panic_of(move || drop(encrypt(&key(), CONTEXT, input, std::io::sink(), &options))), "the reader");
    }
}

#[test]
fn any_thread_count_is_accepted() {
    let text = text(5 * SEGMENT + 77);
    let options = threads(usize::MAX);
    let mut sealed = Vec::new();
    encrypt(&key(), CONTEXT, &text[..], &mut sealed, &options).unwrap();
    assert!(opened(&sealed, &options).unwrap() == text);
    assert!(round_trip(&as_file(&text), &options) == text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn decryption_detects_any_changed_byte(bytes in 0_usize..40_000, place in any::<prop::sample::Index>(), by in 1_u8..) {
        let text = text(bytes);
        let mut sealed = sealed_by_writer(&text);
        let place = place.index(sealed.len());
        sealed[place] ^= by;
        assert_refused(&sealed, &text, &format!("byte {place} of {bytes} changed"));
    }

    #[test]
    fn decrypt_rejects_arbitrary_bytes_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..20_000)) {
        prop_assert!(opened(&bytes, &threads(2)).is_err());
        prop_assert!(read(&bytes).is_err());
        prop_assert!(opened_as_file(&bytes, &threads(2)).is_err());
    }

    #[test]
    fn key_decrypts_only_files_of_its_cipher(bytes in 0_usize..40_000, cut in 1_usize..100, from in 0_u64..40_000) {
        let text = text(bytes);
        let [short, long] = Cipher::ALL.map(|cipher| Key::from_bytes(&[0x42; 32][..cipher.key_bytes()]).unwrap());
        for (key, other) in [(&short, &long), (&long, &short)] {
            let mut sealed = Vec::new();
            encrypt(key, CONTEXT, &text[..], &mut sealed, &threads(2)).unwrap();
            let mut opened = Vec::new();
            decrypt(key, CONTEXT, &sealed[..], &mut opened, &threads(2)).unwrap();
            prop_assert!(opened == text);
            let mut reader = Reader::new(key, CONTEXT, Cursor::new(&sealed)).unwrap();
            reader.seek(SeekFrom::Start(from)).unwrap();
            let mut part = Vec::new();
            reader.read_to_end(&mut part).unwrap();
            prop_assert!(part == text[bytes.min(from as usize)..]);

            let mut written = Vec::new();
            let mistaken = decrypt(other, CONTEXT, &sealed[..], &mut written, &threads(2));
            prop_assert!(matches!(mistaken, Err(Error::WrongKey)) && written.is_empty());
            let mistaken = Reader::new(other, CONTEXT, Cursor::new(&sealed));
            prop_assert!(matches!(mistaken, Err(Error::WrongKey)));
            let truncated = &sealed[..sealed.len().saturating_sub(cut)];
            prop_assert!(decrypt(key, CONTEXT, truncated, Vec::new(), &threads(2)).is_err());
            prop_assert!(Reader::new(key, CONTEXT, Cursor::new(truncated)).is_err());
        }
    }

    #[test]
    fn reader_returns_the_plaintext_of_any_range(from in 0_u64..60_000, count in 0_usize..40_000) {
        let text = text(50_001);
        let mut reader = Reader::new(&key(), CONTEXT, Cursor::new(sealed_by_writer(&text))).unwrap();
        reader.seek(SeekFrom::Start(from)).unwrap();
        let mut part = Vec::new();
        reader.take(count as u64).read_to_end(&mut part).unwrap();
        let from = (from as usize).min(text.len());
        prop_assert!(part == text[from..(from + count).min(text.len())]);
    }
}
