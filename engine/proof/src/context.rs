//! Prover state shared by all calls with one key.

use crate::code::Code;
use crate::memo::Memo;
use crate::platform::Platform;
use crate::symbols::Symbols;

#[derive(Default)]
pub struct Context {
    pub code: Code,
    pub symbols: Symbols,
    /// Cache of carry-less products, with pairs of factors as keys.
    pub products: Memo,
    pub platform: Platform,
}
