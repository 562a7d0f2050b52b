//! Calls that create an object and store a pointer to it, compared with the engine.

use std::ffi::{CStr, c_char, c_int};

use kasoku::*;
use kasoku_engine::{Backend, Error};

use super::codes;
use super::script::Script;

/// Object of the C library, and the engine's equivalent object.
pub(crate) type Made<C, K> = Option<(*mut C, K)>;

/// Names that no backend has.
const UNKNOWN: [&CStr; 4] = [c"", c"vaes", c"PORTABLE", c"\xFF"];

/// Creates a key with `kasoku_…_create` if the script says so and the call succeeds, otherwise with `kasoku_…_new`.
pub(crate) fn make<C, K>(
    script: &mut Script<'_>,
    key: &[u8],
    new: impl Fn(*const u8) -> *mut C,
    create: impl FnOnce(*const u8, *const c_char, *mut *mut C) -> c_int,
    engine: impl Fn(Option<Backend>) -> Result<K, Error>,
) -> Made<C, K> {
    if script.byte() % 2 == 1 {
        let key = if script.once_in_sixteen() { std::ptr::null() } else { key.as_ptr() };
        let made = create_named(
            script,
            |name, place| create(key, name, place),
            |backend| match engine(backend) {
                Ok(_) if key.is_null() => Err(vec![KASOKU_ERR_NULL]),
                made => made.map_err(|error| vec![codes::code_of(error), KASOKU_ERR_NULL]),
            },
        );
        if made.is_some() {
            return made;
        }
    }
    assert!(new(std::ptr::null()).is_null());
    let made = new(key.as_ptr());
    let engine = engine(None).ok();
    assert_eq!(made.is_null(), engine.is_none());
    engine.map(|engine| (made, engine))
}

/// Calls a function that takes a backend's name or NULL, and checks that its code corresponds to the engine's error.
pub(crate) fn create_named<C, K>(
    script: &mut Script<'_>,
    create: impl FnOnce(*const c_char, *mut *mut C) -> c_int,
    engine: impl FnOnce(Option<Backend>) -> Result<K, Vec<c_int>>,
) -> Made<C, K> {
    let choice = usize::from(script.byte());
    let backend = Backend::ALL.get(choice % 16).copied();
    let unknown = UNKNOWN.get((choice % 16).wrapping_sub(Backend::ALL.len())).copied();
    let name = backend.map(Backend::c_name).or(unknown).map_or(std::ptr::null(), CStr::as_ptr);
    let mut expected = engine(backend);
    if unknown.is_some() {
        let refusals = expected.err().unwrap_or_default();
        expected = Err([refusals, vec![KASOKU_ERR_BACKEND_UNKNOWN]].concat());
    }
    store(script, |place| create(name, place), expected)
}

/// Calls a function that stores a pointer to a new object. Sometimes passes NULL instead of a place for the pointer.
pub(crate) fn store<C, K>(
    script: &mut Script<'_>,
    call: impl FnOnce(*mut *mut C) -> c_int,
    expected: Result<K, Vec<c_int>>,
) -> Made<C, K> {
    let untouched = std::ptr::dangling_mut();
    let mut stored = untouched;
    if script.once_in_sixteen() {
        let code = call(std::ptr::null_mut());
        assert!(code == KASOKU_ERR_NULL || expected.is_err_and(|refusals| refusals.contains(&code)), "{code}");
        return None;
    }
    let code = call(&mut stored);
    match expected {
        Ok(engine) => {
            assert_eq!(code, KASOKU_OK);
            assert!(!stored.is_null() && stored != untouched);
            Some((stored, engine))
        }
        Err(refusals) => {
            assert!(refusals.contains(&code), "{code} {refusals:?}");
            assert!(stored.is_null());
            None
        }
    }
}
