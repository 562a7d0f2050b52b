//! What all calls with one key share.

use crate::code::Code;
use crate::outside::Outside;
use crate::symbols::Symbols;

/// What all calls share.
#[derive(Default)]
pub struct World {
    /// The code.
    pub code: Code,
    /// The values of what is unknown.
    pub symbols: Symbols,
    /// What the library calls.
    pub outside: Outside,
}
