//! The library `cng`: Windows's own cryptography (Cryptography API: Next Generation).

#![allow(unsafe_code)] // calls functions of Windows

use std::ptr::{null, null_mut};

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Security::Cryptography::{
    BCRYPT_AES_GCM_ALG_HANDLE, BCRYPT_ALG_HANDLE, BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO,
    BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO_VERSION, BCRYPT_KEY_HANDLE, BCRYPT_SHA1_ALG_HANDLE, BCRYPT_SHA256_ALG_HANDLE,
    BCRYPT_SHA512_ALG_HANDLE, BCryptDecrypt, BCryptDestroyKey, BCryptEncrypt, BCryptGenerateSymmetricKey, BCryptHash,
};
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

use super::loops::aead::{Nonce, Tag, TwoBufferAead, two_buffer_job};
use super::loops::repeated::repeated_job;
use super::loops::{failed, rejected};
use super::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library;
use kasoku_model::workload::Workload;

pub(crate) const ENTRY: LibraryEntry =
    LibraryEntry::new(library::CNG, "the cryptography that Windows brings along", open, |state| {
        Switch::only_on(state, "CNG has no switch for the CPU's instructions")
    });

/// Opens CNG. Fails before Windows 10, which introduced the constant algorithm handles that this file uses.
fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    match Key::new(&[0; 16]) {
        Ok(_) => Ok(Box::new(Cng)),
        Err(_) => Err(Unavailable::new("CNG makes no key for AES-GCM; it needs Windows 10")),
    }
}

struct Cng;

impl Library for Cng {
    fn description(&self) -> LibraryDescription {
        let mut of = OSVERSIONINFOW { dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32, ..Default::default() };
        // SAFETY: the structure contains its size.
        unsafe { RtlGetVersion(&mut of) };
        LibraryDescription::new(format!("{}.{}.{}", of.dwMajorVersion, of.dwMinorVersion, of.dwBuildNumber))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => two_buffer_job(workload, fixtures, Key::new),
            Algorithm::Sha1 => Ok(hash::<20>(BCRYPT_SHA1_ALG_HANDLE, fixtures)),
            Algorithm::Sha256 => Ok(hash::<32>(BCRYPT_SHA256_ALG_HANDLE, fixtures)),
            Algorithm::Sha512 => Ok(hash::<64>(BCRYPT_SHA512_ALG_HANDLE, fixtures)),
            _ => Err(Unsupported::algorithm(library::CNG, workload)),
        }
    }
}

fn hash<const N: usize>(algorithm: BCRYPT_ALG_HANDLE, fixtures: &Fixtures) -> Box<dyn super::Job> {
    repeated_job(&fixtures.text, N, None, move |text, output| {
        let bytes = length(text)?;
        // SAFETY: all buffers have the lengths passed; the digest has N bytes.
        let status = unsafe { BCryptHash(algorithm, null(), 0, text.as_ptr(), bytes, output.as_mut_ptr(), N as u32) };
        if status == 0 { Ok(N) } else { Err(failed("hash")) }
    })
}

struct Key(BCRYPT_KEY_HANDLE);

impl Key {
    fn new(key: &[u8]) -> Result<Key, Unsupported> {
        let mut handle = null_mut();
        let bytes = length(key)?;
        // SAFETY: `key` has the length passed, and `handle` is written.
        let status = unsafe {
            BCryptGenerateSymmetricKey(BCRYPT_AES_GCM_ALG_HANDLE, &mut handle, null_mut(), 0, key.as_ptr(), bytes, 0)
        };
        if status == 0 { Ok(Key(handle)) } else { Err(rejected("key")) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: `new` created the handle, and this value owns it.
        unsafe { BCryptDestroyKey(self.0) };
    }
}

/// Returns a message's nonce, AAD and tag in CNG's structure, whose pointers are mutable although some are only read.
fn beside(nonce: &Nonce, aad: &[u8], tag: *mut u8) -> Result<BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO> {
    Ok(BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO {
        cbSize: size_of::<BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO>() as u32,
        dwInfoVersion: BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO_VERSION,
        pbNonce: nonce.as_ptr().cast_mut(),
        cbNonce: length(nonce)?,
        pbAuthData: aad.as_ptr().cast_mut(),
        cbAuthData: length(aad)?,
        pbTag: tag,
        cbTag: size_of::<Tag>() as u32,
        ..Default::default()
    })
}

fn length(bytes: &[u8]) -> Result<u32> {
    u32::try_from(bytes.len()).map_err(|_| failed("take so many bytes"))
}

impl TwoBufferAead for Key {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let beside = beside(nonce, aad, tag.as_mut_ptr())?;
        let (bytes, mut written) = (length(text)?, 0);
        let room = length(ciphertext)?;
        // SAFETY: all buffers have the lengths passed, and the key is alive. The call writes the tag.
        let status = unsafe {
            BCryptEncrypt(
                self.0,
                text.as_ptr(),
                bytes,
                (&raw const beside).cast(),
                null_mut(),
                0,
                ciphertext.as_mut_ptr(),
                room,
                &mut written,
                0,
            )
        };
        if status == 0 && written == bytes { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let beside = beside(nonce, aad, tag.as_ptr().cast_mut())?;
        let (bytes, mut written) = (length(ciphertext)?, 0);
        let room = length(text)?;
        // SAFETY: all buffers have the lengths passed, and the key is alive. The call only reads the tag.
        let status = unsafe {
            BCryptDecrypt(
                self.0,
                ciphertext.as_ptr(),
                bytes,
                (&raw const beside).cast(),
                null_mut(),
                0,
                text.as_mut_ptr(),
                room,
                &mut written,
                0,
            )
        };
        if status == 0 && written == bytes { Ok(()) } else { Err(failed("open")) }
    }
}
