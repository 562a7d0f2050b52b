//! The right-hand column of the README's table: each entry compiles here and does what its row says.

use std::error::Error;

use aead::inout::InOutBuf;
use aead::{AeadInOut, Generate, Tag};
use kasoku_aead::{Aes192Gcm, Aes256GcmSiv};

const README: &str = include_str!("../README.md");
const THIS_FILE: &str = include_str!("migration.rs");

#[test]
fn every_entry_of_the_readme_table_is_compiled_here() {
    let code: String = THIS_FILE.split_whitespace().collect();
    let rows =
        README.lines().skip_while(|line| !line.starts_with("| from |")).skip(2).take_while(|line| !line.is_empty());
    let entries: Vec<_> =
        rows.filter_map(|row| row.split('|').nth(3)).map(|cell| cell.replace(['`', ' '], "")).collect();
    assert_eq!(entries.len(), 11);
    for entry in entries {
        assert!(code.contains(&entry), "{entry} is in the README's table, but not in tests/migration.rs");
    }
}

#[test]
fn names_of_aes_gcm_are_here() -> Result<(), Box<dyn Error>> {
    use kasoku_aead::{Aes256Gcm, Key, KeyInit, Nonce};

    let key: &Key<Aes256Gcm> = &[7; 32].into();
    let (cipher, nonce) = (Aes256Gcm::new(key), Nonce::from([1; 12]));
    let tag: kasoku_aead::Tag = cipher.encrypt_inout_detached(&nonce, b"", (&mut [][..]).into())?;
    cipher.decrypt_inout_detached(&nonce, b"", (&mut [][..]).into(), &tag)?;
    let _: Aes192Gcm = Aes192Gcm::new(&[7; 24].into());
    Ok(())
}

#[cfg(feature = "aead-05")]
#[test]
fn names_of_aes_gcm_010_are_in_aead_05() {
    use kasoku_aead::aead_05::{AeadInPlace, Aes256Gcm, KeyInit};

    let cipher = Aes256Gcm::new(&[7; 32].into());
    assert!(cipher.encrypt_in_place_detached(&[1; 12].into(), b"", &mut []).is_ok());
}

#[test]
fn calls_of_ring_and_aws_lc_rs_have_replacements() -> Result<(), Box<dyn Error>> {
    use kasoku_aead::{Aes256Gcm, KeyInit, Nonce};

    let (key, bytes, aad) = ([7; 32], [1; 12], b"header");
    let cipher = Aes256Gcm::new_from_slice(&key)?;
    let nonce = Nonce::from(bytes);

    let mut data = b"to be kept secret".to_vec();
    cipher.encrypt_in_place(&nonce, aad, &mut data)?;
    let input = data[..17].to_vec();
    let mut slice = *b"to be kept secret";
    let slice = slice.as_mut_slice();
    let tag = cipher.encrypt_inout_detached(&nonce, aad, slice.into())?;
    assert_eq!(data[17..], tag[..]);

    cipher.decrypt_in_place(&nonce, aad, &mut data)?;
    assert_eq!(data, b"to be kept secret");
    let mut output = [0; 17];
    cipher.decrypt_inout_detached(&nonce, aad, InOutBuf::new(&input, &mut output)?, &tag)?;
    assert_eq!(data, output);

    let cipher = Aes256GcmSiv::new_from_slice(&key)?;
    let _: Tag<Aes256GcmSiv> = cipher.encrypt_inout_detached(&nonce, aad, (&mut [][..]).into())?;
    let (cipher, nonce) = (Aes256Gcm::new_from_slice(&key)?, Nonce::generate());
    cipher.encrypt_in_place(&nonce, aad, &mut data)?;
    Ok(())
}
