//! State that all calls with one key share.

use crate::code::Code;
use crate::memo::Memo;
use crate::platform::Platform;
use crate::symbols::Symbols;

#[derive(Default)]
pub struct Context {
    pub code: Code,
    pub symbols: Symbols,
    /// Cache of earlier carry-less products.
    pub products: Memo,
    pub platform: Platform,
}
