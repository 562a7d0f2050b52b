//! What all calls with one key share.

use std::rc::Rc;

use crate::code::Code;
use crate::memo::Memo;
use crate::memory::Line;
use crate::outside::Outside;
use crate::symbols::Symbols;

/// What all calls share.
#[derive(Default)]
pub struct World {
    /// The code.
    pub code: Code,
    /// The values of what is unknown.
    pub symbols: Symbols,
    /// Carry-less products of what was multiplied before.
    pub products: Memo,
    /// What the library calls.
    pub outside: Outside,
    /// Room for vectors.
    pub(crate) lines: Lines,
}

/// Room that nobody uses any more: every instruction needs some kilobytes, which the allocator would cut anew.
#[derive(Default)]
pub(crate) struct Lines(Vec<Rc<Line>>);

impl Lines {
    pub(crate) fn take(&mut self, line: &Line) -> Rc<Line> {
        let mut room = self.0.pop();
        match room.as_mut().and_then(Rc::get_mut) {
            Some(place) => *place = *line,
            None => room = None,
        }
        room.unwrap_or_else(|| Rc::new(*line))
    }

    pub(crate) fn give_back(&mut self, line: Rc<Line>) {
        if Rc::strong_count(&line) == 1 {
            self.0.push(line);
        }
    }
}
