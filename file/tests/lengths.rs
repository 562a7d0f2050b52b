//! Files whose length differs from the reported length, or changes while they are read.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs::File;
use std::io::{Read, Seek, Write};

use kasoku_file::format::{CHUNK_BYTES, SEALED_CHUNK_BYTES, encrypted_bytes};
use kasoku_file::{Error, Options, Reader, Writer, decrypt, decrypt_file, encrypt_file};
use support::{CONTEXT, SEGMENT, as_file, key, round_trip, sealed_by_writer, text, threads};

#[test]
#[cfg(target_os = "linux")]
fn encrypt_file_reads_files_with_wrong_reported_length() {
    // The metadata of these files report 0 and 4,096 bytes.
    for path in ["/proc/version", "/sys/devices/system/cpu/online"] {
        let Ok(text) = std::fs::read(path) else { continue };
        assert!(text.len() as u64 != std::fs::metadata(path).unwrap().len());
        assert_eq!(round_trip(&File::open(path).unwrap(), &threads(2)), text, "{path}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn decrypt_file_rejects_files_shorter_than_a_header() {
    let kernel = File::open("/proc/sys/kernel/ostype").unwrap();
    let result = decrypt_file(&key(), CONTEXT, &kernel, &tempfile::tempfile().unwrap(), &threads(1));
    assert!(matches!(result, Err(Error::TooShort { bytes: 6 })), "{result:?}");
    let result = decrypt(&key(), CONTEXT, &b"Linux\n"[..], Vec::new(), &threads(1));
    assert!(matches!(result, Err(Error::TooShort { bytes: 6 })), "{result:?}");
}

/// Reads encrypted bytes from a file with reported length 0: `/proc/PID/cmdline`, the arguments of a process, separated
/// by zeros.
#[test]
#[cfg(target_os = "linux")]
fn decrypt_file_reads_files_with_wrong_reported_length() {
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let text = text(2 * CHUNK_BYTES + 1000);
    // The last argument ends with a zero, and `cat` would take a leading dash for an option.
    let sealed = loop {
        let mut writer = Writer::new(&key(), CONTEXT, Vec::new()).unwrap();
        writer.write_all(&text).unwrap();
        let sealed = writer.finish().unwrap();
        if sealed.last() == Some(&0) && sealed.split(|byte| *byte == 0).all(|argument| !argument.starts_with(b"-")) {
            break sealed;
        }
    };
    let arguments: Vec<_> =
        sealed[..sealed.len() - 1].split(|byte| *byte == 0).map(std::ffi::OsStr::from_bytes).collect();
    // `cat` blocks on its error messages, which nobody reads, until it is killed.
    let (full_socket, _unread) = UnixStream::pair().unwrap();
    full_socket.set_nonblocking(true).unwrap();
    while (&full_socket).write(&[0; 4096]).is_ok() {}
    full_socket.set_nonblocking(false).unwrap();
    let mut cat = Command::new("cat");
    cat.arg0(arguments[0]).args(&arguments[1..]).stdin(Stdio::null()).stderr(OwnedFd::from(full_socket));
    let mut cat = cat.spawn().unwrap();
    let path = format!("/proc/{}/cmdline", cat.id());
    // The system shows the arguments shortly after the process has started.
    let begun = std::time::Instant::now();
    while std::fs::read(&path).unwrap() != sealed {
        assert!(begun.elapsed().as_secs() < 60, "{path} is not what was to be there");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    let mut back = tempfile::tempfile().unwrap();
    let bytes = decrypt_file(&key(), CONTEXT, &File::open(&path).unwrap(), &back, &threads(2));
    cat.kill().unwrap();
    cat.wait().unwrap();
    assert_eq!(bytes.unwrap(), text.len() as u64);
    let mut opened = Vec::new();
    back.rewind().unwrap();
    back.read_to_end(&mut opened).unwrap();
    assert!(opened == text);
}

#[test]
fn files_that_change_length_are_read_whole_or_rejected() {
    let (before, more) = (text(3 * SEGMENT + 5), text(2 * SEGMENT + 100));
    for count in [1, 3] {
        let growing = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(growing.path(), &before).unwrap();
        let once = std::sync::Once::new();
        let grow = |_| {
            once.call_once(|| {
                File::options().append(true).open(growing.path()).unwrap().write_all(&more).unwrap();
            })
        };
        // With one thread, segments certainly remain after the first one; with several, possibly none.
        let options = Options { progress: Some(&grow), ..threads(count) };
        let text = round_trip(growing.as_file(), &options);
        assert!(text.starts_with(&before), "{count} threads");
        if count == 1 {
            assert!(text == [&before[..], &more].concat());
        }
    }
    for left in [0, SEGMENT as u64 + 7, 3 * SEGMENT as u64, 3 * SEGMENT as u64 + 4] {
        let shrinking = as_file(&before);
        let shrink = |_| shrinking.set_len(left).unwrap();
        let options = Options { progress: Some(&shrink), ..threads(1) };
        let result = encrypt_file(&key(), CONTEXT, &shrinking, &tempfile::tempfile().unwrap(), &options);
        assert!(matches!(result, Err(Error::Changed)), "{left} bytes left: {result:?}");
    }
    for left in [0, SEGMENT as u64 + 7] {
        let shrinking = as_file(&sealed_by_writer(&before));
        let shrink = |_| shrinking.set_len(left).unwrap();
        let options = Options { progress: Some(&shrink), ..threads(1) };
        let result = decrypt_file(&key(), CONTEXT, &shrinking, &tempfile::tempfile().unwrap(), &options);
        assert!(matches!(result, Err(Error::Changed)), "{left} bytes left: {result:?}");
    }
    let mut shrinking = as_file(&sealed_by_writer(&before));
    shrinking.rewind().unwrap();
    let mut reader = Reader::new(&key(), CONTEXT, &shrinking).unwrap();
    shrinking.set_len(SEALED_CHUNK_BYTES as u64).unwrap();
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(error.get_ref().unwrap().downcast_ref(), Some(Error::Changed)), "{error:?}");
    // Appending to an encrypted file invalidates it.
    let sealed = as_file(&sealed_by_writer(&before));
    let append = |_| sealed.set_len(encrypted_bytes(before.len() as u64).unwrap() + 1).unwrap();
    let options = Options { progress: Some(&append), ..threads(1) };
    assert!(decrypt_file(&key(), CONTEXT, &sealed, &tempfile::tempfile().unwrap(), &options).is_err());
}
