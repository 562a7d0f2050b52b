//! Messages that are in several slices, sealed or opened into one buffer.

use crate::backend::in_out::{InOut, bytes_of, check_slices};
use crate::backend::{Key, gather};
use crate::error::Error;
use crate::gcm::{AesGcm, refuse};
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// Maximum number of AAD bytes that are joined from several slices. Longer AAD is hashed slice by slice. The AAD of
/// common protocols is shorter.
const MAX_JOINED: usize = 64;

impl AesGcm {
    /// Seals the bytes of all slices of `plaintext`, one slice after the other, into `ciphertext`. The length of
    /// `ciphertext` must be the total length of the slices. Returns the tag.
    ///
    /// Ciphertext and tag are the same as for one slice with all of these bytes. The lengths of the slices, which may
    /// be zero, affect only the time. The iterators over `aad` and `plaintext` are used twice.
    ///
    /// ```
    /// use kasoku_engine::AesGcm;
    ///
    /// let key = AesGcm::new(&[7; 32])?;
    /// let (header, body) = ([1, 2, 3, 4, 5], [6; 1440]);
    /// let mut sealed = [0; 1445];
    /// let tag = key.seal_vectored(&[1; 12], [&b"AAD"[..]], [&header[..], &body], &mut sealed)?;
    ///
    /// let mut whole = [&header[..], &body].concat();
    /// assert_eq!(key.seal(&[1; 12], b"AAD", &mut whole)?, tag);
    /// assert_eq!(whole, sealed);
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::AadTooLong`], [`Error::LengthsDiffer`], which leave `ciphertext` unchanged.
    /// (If the iterator returns slices of other lengths when it is used a second time, `ciphertext` is filled with
    /// zeros.)
    pub fn seal_vectored<'n, 'a, 'p>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
        plaintext: impl IntoIterator<Item = &'p [u8], IntoIter: Clone>,
        ciphertext: &mut [u8],
    ) -> Result<Tag, Error> {
        let (nonce, aad, plaintext) = (nonce.into(), aad.into_iter(), plaintext.into_iter());
        check_slices(plaintext.clone(), ciphertext)?;
        limits::check(bytes_of(aad.clone()), ciphertext.len())?;
        let (mut tag, mut room) = ([0; TAG_BYTES], [0; MAX_JOINED]);
        let sealed = match (nonce.0, join(aad.clone(), &mut room)) {
            (Form::Bits96(nonce), Some(aad)) => self.keys().seal_gathered(nonce, aad, plaintext, ciphertext, &mut tag),
            _ => gather(plaintext, ciphertext)
                .and_then(|()| self.seal_in_stream(nonce, &mut { aad }, InOut::in_place(ciphertext), &mut tag)),
        };
        if sealed.is_err() {
            ciphertext.fill(0); // may contain plaintext
        }
        sealed.map(|()| tag)
    }

    /// Opens the bytes of all slices of `ciphertext`, one slice after the other, into `plaintext`. The length of
    /// `plaintext` must be the total length of the slices. If authentication fails, fills `plaintext` with zeros.
    ///
    /// ```
    /// use kasoku_engine::AesGcm;
    ///
    /// let key = AesGcm::new(&[7; 32])?;
    /// let mut sealed = *b"came in two segments";
    /// let tag = key.seal(&[1; 12], b"AAD", &mut sealed)?;
    ///
    /// let mut opened = [0; 20];
    /// let (first, second) = sealed.split_at(7);
    /// key.open_vectored(&[1; 12], [&b"AAD"[..]], [first, second], &mut opened, &tag)?;
    /// assert_eq!(&opened, b"came in two segments");
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]. [`Error::MessageTooLong`], [`Error::AadTooLong`] and [`Error::LengthsDiffer`],
    /// which leave `plaintext` unchanged.
    pub fn open_vectored<'n, 'a, 'p>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
        ciphertext: impl IntoIterator<Item = &'p [u8], IntoIter: Clone>,
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        let (nonce, aad, ciphertext) = (nonce.into(), aad.into_iter(), ciphertext.into_iter());
        check_slices(ciphertext.clone(), plaintext)?;
        limits::check(bytes_of(aad.clone()), plaintext.len())?;
        gather(ciphertext, plaintext)?;
        if let Some(aad) = join(aad.clone(), &mut [0; MAX_JOINED]) {
            return self.open(nonce, aad, plaintext, tag);
        }
        let mut computed = [0; TAG_BYTES];
        self.open_in_stream(nonce, &mut { aad }, InOut::in_place(plaintext), &mut computed)?;
        if are_equal(&computed, tag) { Ok(()) } else { refuse(InOut::in_place(plaintext)) }
    }
}

/// Returns the bytes of all slices as one slice: the only nonempty slice, or a copy of all slices in `room`. Returns
/// `None` if a copy does not fit in `room`.
fn join<'r, 'a: 'r>(
    slices: impl Iterator<Item = &'a [u8]> + Clone,
    room: &'r mut [u8; MAX_JOINED],
) -> Option<&'r [u8]> {
    let mut filled = slices.filter(|slice| !slice.is_empty());
    let first = filled.clone().next().unwrap_or_default();
    if filled.clone().nth(1).is_none() {
        return Some(first);
    }
    let mut bytes = 0;
    filled.try_for_each(|slice| {
        room.get_mut(bytes..)?.get_mut(..slice.len())?.copy_from_slice(slice);
        bytes += slice.len();
        Some(())
    })?;
    room.get(..bytes)
}
