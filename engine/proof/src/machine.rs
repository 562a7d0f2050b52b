//! State of the modelled CPU: registers, flags, and the polynomial degrees of their contents.

use std::rc::Rc;

use iced_x86::Register;

use crate::field::Bit;
use crate::flow::Degree;
use crate::memory::{Line, Memory};
use crate::refusal::Refusal;
use crate::symbols::{Symbols, known_byte};
use crate::word::Word;

#[derive(Clone, Debug)]
pub enum Flag {
    Bit(Bit),
    /// The flag is set if all contained bits are zero. These are at least two different symbolic bits.
    AreZero(Vec<Bit>),
    Undefined,
}

/// The CPU flags that conditional instructions read.
#[derive(Clone, Debug)]
pub struct Flags {
    pub carry: Flag,
    pub zero: Flag,
    pub sign: Flag,
    pub overflow: Flag,
    pub parity: Flag,
}

/// Upper bounds of the polynomial degrees (in the random field elements) of the bits in each register.
#[derive(Clone, Default)]
pub(crate) struct Degrees {
    pub(crate) integers: [Degree; 16],
    /// One polynomial degree for each 128-bit lane of a vector register.
    pub(crate) vectors: [[Degree; 4]; 32],
    pub(crate) masks: [Degree; 8],
    pub(crate) flags: Degree,
}

/// The modelled CPU and its memory during a call. Clones of a machine share memory contents until one clone changes
/// them.
#[derive(Clone)]
pub struct Machine {
    /// RAX to R15. `None` means undefined; on the first read, each bit of the register becomes a new random field
    /// element.
    pub(crate) integers: [Option<Word>; 16],
    /// ZMM0 to ZMM31. `None` means undefined; on the first read, each bit of the register becomes a new random field
    /// element.
    pub(crate) vectors: [Option<Rc<Line>>; 32],
    /// K0 to K7. `None` means undefined; on the first read, each bit of the register becomes a new random field
    /// element.
    pub(crate) masks: [Option<Word>; 8],
    pub flags: Flags,
    pub(crate) degrees: Degrees,
    /// Address of the instruction to execute next.
    pub next: u64,
    pub memory: Memory,
}

impl Machine {
    /// Creates a machine whose registers are undefined.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        let mut machine = Self {
            integers: Default::default(),
            vectors: Default::default(),
            masks: Default::default(),
            flags: Flags::undefined(),
            degrees: Degrees::default(),
            next: 0,
            memory,
        };
        machine.forget();
        machine
    }

    /// Makes the contents of all registers undefined.
    pub fn forget(&mut self) {
        (self.integers, self.vectors, self.masks) = Default::default();
        self.flags = Flags::undefined();
    }

    /// Makes the contents of all registers undefined, except for those registers that a function must preserve (System
    /// V ABI).
    pub fn forget_volatile(&mut self) {
        use Register::{R8, R9, R10, R11, RAX, RCX, RDI, RDX, RSI};
        for register in [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11] {
            self.integers[register.number()] = None;
        }
        (self.vectors, self.masks) = Default::default();
        self.flags = Flags::undefined();
    }

    pub fn integer(&mut self, register: Register, symbols: &mut Symbols) -> Word {
        let number = register.full_register().number();
        let (word, degree) = unknown_word(&mut self.integers[number], &mut self.degrees.integers[number], symbols);
        self.memory.flow.read(degree);
        word
    }

    pub fn set_integer(&mut self, register: Register, value: Word) {
        if register.full_register() == Register::RSP {
            // If the stack pointer is unknown, u64::MAX forbids every stack access.
            self.memory.set_stack_pointer(value.known().unwrap_or(u64::MAX));
        }
        let number = register.full_register().number();
        self.degrees.integers[number] = self.degree_of(&value);
        self.integers[number] = Some(value);
    }

    pub fn mask(&mut self, register: Register, symbols: &mut Symbols) -> Word {
        let number = register.number();
        let (word, degree) = unknown_word(&mut self.masks[number], &mut self.degrees.masks[number], symbols);
        self.memory.flow.read(degree);
        word
    }

    pub fn set_mask(&mut self, register: Register, value: Word) {
        self.degrees.masks[register.number()] = self.degree_of(&value);
        self.masks[register.number()] = Some(value);
    }

    /// Returns the polynomial degree of a word that the current instruction has computed: 0 if the word is concrete.
    fn degree_of(&self, word: &Word) -> Degree {
        if word.known().is_some() { Degree(0) } else { self.memory.flow.degree() }
    }

    /// Returns the polynomial degree of each 128-bit lane of a vector that the current instruction has computed.
    fn degrees_of(&self, value: &Line) -> [Degree; 4] {
        let lanes = value.as_chunks::<128>().0;
        std::array::from_fn(|lane| self.memory.flow.lane(lane).for_bits(&lanes[lane]))
    }

    /// Returns all 512 bits of a vector register. The current instruction uses only the first `bits` bits, so only
    /// their polynomial degrees are added to those of the instruction's operands ([`Flow`](crate::flow::Flow)).
    pub fn vector(&mut self, register: Register, bits: usize, symbols: &mut Symbols) -> Rc<Line> {
        let degrees = &mut self.degrees.vectors[register.number()];
        let line = self.vectors[register.number()].get_or_insert_with(|| {
            let mut line = [Bit::ZERO; 512];
            symbols.fill(&mut line);
            *degrees = [Degree::VARIABLE; 4];
            Rc::new(line)
        });
        let lanes = bits.div_ceil(128);
        self.memory.flow.read_lanes(std::array::from_fn(|lane| if lane < lanes { degrees[lane] } else { Degree(0) }));
        Rc::clone(line)
    }

    pub fn set_vector(&mut self, register: Register, value: Rc<Line>) {
        self.degrees.vectors[register.number()] = self.degrees_of(&value);
        self.vectors[register.number()] = Some(value);
    }

    /// Like [`Self::set_vector`], but copies the value instead of sharing it.
    pub fn copy_into_vector(&mut self, register: Register, value: &Line) {
        self.degrees.vectors[register.number()] = self.degrees_of(value);
        let vector = &mut self.vectors[register.number()];
        match vector.as_mut().and_then(Rc::get_mut) {
            Some(room) => *room = *value,
            None => *vector = Some(Rc::new(*value)),
        }
    }

    /// Returns the value of an integer register, which must be concrete. If the value is symbolic, refuses the
    /// instruction; `what` names the register's purpose in the refusal.
    pub fn known_integer(
        &mut self,
        register: Register,
        what: &'static str,
        symbols: &mut Symbols,
    ) -> Result<u64, Refusal> {
        self.integer(register, symbols).known().ok_or(Refusal::Secret(what))
    }
}

fn unknown_word(word: &mut Option<Word>, degree: &mut Degree, symbols: &mut Symbols) -> (Word, Degree) {
    let draw = || {
        let mut bits = [Bit::ZERO; 64];
        symbols.fill(&mut bits);
        *degree = Degree::VARIABLE;
        Word::from_bits(&bits)
    };
    let word = word.get_or_insert_with(draw).clone();
    (word, *degree)
}

impl Flags {
    /// Returns the CPU flags after an integer instruction: zero, sign and parity flag follow from `result`; carry and
    /// overflow flag are given.
    #[must_use]
    pub fn from_result(result: &Word, width: usize, carry: Flag, overflow: Flag) -> Self {
        let bits = result.bits();
        let parity = known_byte(&bits[..8]).map_or(Flag::Undefined, |byte| (byte.count_ones() % 2 == 0).into());
        Self { carry, zero: Flag::are_zero(&bits[..width]), sign: Flag::Bit(bits[width - 1]), overflow, parity }
    }

    /// Returns the CPU flags after an integer multiplication: carry and overflow flag are set if the product has
    /// overflowed; the other flags are undefined.
    #[must_use]
    pub fn from_product(has_overflowed: bool) -> Self {
        Self { carry: has_overflowed.into(), overflow: has_overflowed.into(), ..Self::undefined() }
    }

    #[must_use]
    pub fn undefined() -> Self {
        let undefined = || Flag::Undefined;
        Self { carry: undefined(), zero: undefined(), sign: undefined(), overflow: undefined(), parity: undefined() }
    }
}

impl From<bool> for Flag {
    fn from(is_set: bool) -> Self {
        Self::Bit(is_set.into())
    }
}

impl Flag {
    /// Returns a CPU flag that is set if all of `bits` are zero.
    #[must_use]
    pub fn are_zero(bits: &[Bit]) -> Self {
        let mut unknown: Vec<Bit> = bits.iter().copied().filter(|&bit| bit != Bit::ZERO).collect();
        if unknown.contains(&Bit::ONE) {
            return Self::Bit(Bit::ZERO);
        }
        unknown.sort_unstable();
        unknown.dedup();
        match unknown[..] {
            [] => Self::Bit(Bit::ONE),
            [only] => Self::Bit(only.inverted()),
            _ => Self::AreZero(unknown),
        }
    }
}
