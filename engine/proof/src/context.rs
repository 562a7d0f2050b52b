//! What all calls with one key share.

use crate::code::Code;
use crate::memo::Memo;
use crate::platform::Platform;
use crate::symbols::Symbols;

/// What all calls share.
#[derive(Default)]
pub struct Context {
    /// The code.
    pub code: Code,
    /// The values of what is unknown.
    pub symbols: Symbols,
    /// Carry-less products of what was multiplied before.
    pub products: Memo,
    /// What the library calls.
    pub platform: Platform,
}
