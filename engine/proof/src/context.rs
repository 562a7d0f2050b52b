//! State that all calls with one key share.

use crate::code::Code;
use crate::memo::Memo;
use crate::platform::Platform;
use crate::symbols::Symbols;

#[derive(Default)]
pub struct Context {
    pub code: Code,
    pub symbols: Symbols,
    /// Cache of carry-less products, by their factors.
    pub products: Memo,
    pub platform: Platform,
}
