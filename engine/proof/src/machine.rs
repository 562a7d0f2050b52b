//! The CPU: its registers, and the way from one instruction to the next.

use std::rc::Rc;

use iced_x86::{Decoder, DecoderOptions, FastFormatter, Instruction, Register};

use crate::field::Bit;
use crate::library::Library;
use crate::memory::{Line, Memory};
use crate::outside::Outside;
use crate::refusal::Refusal;
use crate::semantics;
use crate::symbols::Symbols;
use crate::word::Word;

/// A flag.
#[derive(Clone, Debug)]
pub enum Flag {
    /// A bit, known or not.
    Bit(Bit),
    /// Whether all of these, of which no single one decides, are zero.
    AreZero(Vec<Bit>),
    /// Nobody knows.
    Undefined,
}

/// The flags that conditions ask for.
#[derive(Clone, Debug)]
pub struct Flags {
    /// Carry.
    pub carry: Flag,
    /// Zero.
    pub zero: Flag,
    /// Sign.
    pub sign: Flag,
    /// Overflow.
    pub overflow: Flag,
    /// Parity.
    pub parity: Flag,
}

/// A CPU in the middle of a call. A copy shares what neither side has changed.
#[derive(Clone)]
pub struct Machine {
    /// RAX to R15; those that are absent hold what nobody knows.
    integers: [Option<Word>; 16],
    /// ZMM0 to ZMM31, as above.
    vectors: [Option<Rc<Line>>; 32],
    /// K0 to K7, as above.
    masks: [Option<Word>; 8],
    /// The flags.
    pub flags: Flags,
    /// The next instruction.
    pub next: u64,
    /// What can be read and written.
    pub memory: Memory,
}

/// What all calls share.
pub struct World {
    /// The code.
    pub code: Code,
    /// The values of what is unknown.
    pub symbols: Symbols,
    /// What the library calls.
    pub outside: Outside,
}

/// The library's instructions.
pub struct Code {
    /// Where the file's first byte lies.
    base: u64,
    start: u64,
    bytes: Vec<u8>,
    /// For each byte the number of the instruction that begins there, once it was decoded, and one more.
    numbers: Vec<u32>,
    decoded: Vec<Rc<Instruction>>,
    executed: Vec<bool>,
}

/// Why an execution has stopped.
pub enum Stop {
    /// The call has returned.
    Returned,
    /// The next instruction asks whether these are all zero.
    Verdict(Vec<Bit>),
}

/// Where a call returns to: nothing is there.
pub const RETURN: u64 = 0x7FFF_0000_0000_0000;

/// The most instructions that a call may have: many times those of the longest.
const MOST_STEPS: u64 = 1_000_000;

impl Machine {
    /// One that knows nothing but its memory.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        let mut machine = Self {
            integers: Default::default(),
            vectors: Default::default(),
            masks: Default::default(),
            flags: Flags::undefined(),
            next: RETURN,
            memory,
        };
        machine.forget();
        machine
    }

    /// Forgets all registers.
    pub fn forget(&mut self) {
        (self.integers, self.vectors, self.masks) = Default::default();
        self.flags = Flags::undefined();
    }

    /// Forgets what a function of the System V ABI may change.
    pub fn forget_volatile(&mut self) {
        use Register::{R8, R9, R10, R11, RAX, RCX, RDI, RDX, RSI};
        for register in [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11] {
            self.integers[register.number()] = None;
        }
        (self.vectors, self.masks) = Default::default();
        self.flags = Flags::undefined();
    }

    /// Goes on until the call has returned.
    pub fn run(&mut self, world: &mut World) -> Result<Stop, Refusal> {
        for _ in 0..MOST_STEPS {
            if self.next == RETURN {
                return Ok(Stop::Returned);
            }
            let at = self.next;
            let step = match world.code.instruction(at) {
                Some(instruction) => {
                    self.next = instruction.next_ip();
                    semantics::execute(self, world, &instruction)
                }
                None => crate::outside::call(self, world, at),
            };
            match step {
                Ok(()) => {}
                Err(Refusal::Verdict(bits)) => {
                    self.next = at;
                    return Ok(Stop::Verdict(bits));
                }
                Err(why) => return Err(Refusal::At { place: world.code.describe(at), why: Box::new(why) }),
            }
        }
        Err(Refusal::At { place: world.code.describe(self.next), why: Box::new(Refusal::Stuck("does not end")) })
    }

    /// An integer register, all of its 64 bits.
    pub fn integer(&mut self, register: Register, symbols: &mut Symbols) -> Word {
        unknown_word(&mut self.integers[register.full_register().number()], symbols)
    }

    /// Writes all of an integer register.
    pub fn set_integer(&mut self, register: Register, value: Word) {
        self.integers[register.full_register().number()] = Some(value);
    }

    /// A mask register.
    pub fn mask(&mut self, register: Register, symbols: &mut Symbols) -> Word {
        unknown_word(&mut self.masks[register.number()], symbols)
    }

    /// Writes a mask register.
    pub fn set_mask(&mut self, register: Register, value: Word) {
        self.masks[register.number()] = Some(value);
    }

    /// A vector register, all of its 512 bits.
    pub fn vector(&mut self, register: Register, symbols: &mut Symbols) -> Rc<Line> {
        let line = self.vectors[register.number()].get_or_insert_with(|| {
            let mut line = [Bit::ZERO; 512];
            symbols.fill(&mut line);
            Rc::new(line)
        });
        Rc::clone(line)
    }

    /// Writes all of a vector register.
    pub fn set_vector(&mut self, register: Register, value: Rc<Line>) {
        self.vectors[register.number()] = Some(value);
    }

    /// A known integer register: `what` says what for.
    pub fn known(&mut self, register: Register, what: &'static str, world: &mut World) -> Result<u64, Refusal> {
        self.integer(register, &mut world.symbols).known().ok_or(Refusal::Secret(what))
    }
}

fn unknown_word(word: &mut Option<Word>, symbols: &mut Symbols) -> Word {
    let draw = || {
        let mut bits = [Bit::ZERO; 64];
        symbols.fill(&mut bits);
        Word::of_bits(&bits)
    };
    word.get_or_insert_with(draw).clone()
}

impl Flags {
    /// Flags of which nothing is known.
    #[must_use]
    pub fn undefined() -> Self {
        let undefined = || Flag::Undefined;
        Self { carry: undefined(), zero: undefined(), sign: undefined(), overflow: undefined(), parity: undefined() }
    }
}

impl Flag {
    /// Whether all bits are zero.
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

impl World {
    /// One in which there is nothing, for single instructions.
    #[must_use]
    pub fn of_nothing() -> Self {
        let code = Code {
            base: 0,
            start: 0,
            bytes: Vec::new(),
            numbers: Vec::new(),
            decoded: Vec::new(),
            executed: Vec::new(),
        };
        Self { code, symbols: Symbols::default(), outside: Outside::default() }
    }
}

impl Code {
    /// That of a library.
    #[must_use]
    pub fn new(library: &Library) -> Self {
        let (start, bytes) = library.code();
        let length = bytes.len();
        Self {
            base: library.base(),
            start,
            bytes,
            numbers: vec![0; length],
            decoded: Vec::new(),
            executed: vec![false; length],
        }
    }

    /// The instruction at an address, if that is the library's.
    pub fn instruction(&mut self, address: u64) -> Option<Rc<Instruction>> {
        let offset = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let number = self.numbers.get_mut(offset)?;
        if *number == 0 {
            let bytes = &self.bytes[offset..];
            let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
            self.decoded.push(Rc::new(instruction));
            *number = self.decoded.len() as u32;
        }
        self.executed[offset] = true;
        Some(Rc::clone(&self.decoded[*number as usize - 1]))
    }

    /// The instruction in words, and its address in the file, as objdump has it.
    pub fn describe(&mut self, address: u64) -> String {
        let Some(offset) = address.checked_sub(self.start) else { return format!("{address:#x}") };
        let was_executed = self.executed.get(offset as usize).copied();
        let Some(instruction) = self.instruction(address) else { return format!("{address:#x}") };
        self.executed[offset as usize] = was_executed.unwrap_or(false);
        format!("{} at {:#x}", Self::in_words(&instruction), address - self.base)
    }

    /// An instruction in words.
    #[must_use]
    pub fn in_words(instruction: &Instruction) -> String {
        let mut text = String::new();
        FastFormatter::new().format(instruction, &mut text);
        text
    }

    /// Where the file's first byte lies.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The bytes of an instruction.
    #[must_use]
    pub fn bytes(&self, instruction: &Instruction) -> &[u8] {
        let offset = (instruction.ip() - self.start) as usize;
        &self.bytes[offset..offset + instruction.len()]
    }

    /// Puts other bytes into the code.
    pub fn patch(&mut self, address: u64, bytes: &[u8]) {
        let offset = (address - self.start) as usize;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        // An instruction that was decoded may reach into the change.
        self.numbers.fill(0);
        self.decoded.clear();
    }

    /// The instructions that were executed since this was asked last.
    pub fn take_executed(&mut self) -> Vec<u64> {
        let mut addresses = Vec::new();
        for (offset, executed) in self.executed.iter_mut().enumerate() {
            if std::mem::take(executed) {
                addresses.push(self.start + offset as u64);
            }
        }
        addresses
    }
}
