//! Models of the library's environment: functions of libc, environment variables, and CPUID.

use std::arch::x86_64::CpuidResult;

use iced_x86::Register;

use crate::context::Context;
use crate::field::Bit;
use crate::flow::Flow;
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::refusal::Refusal;
use crate::word::Word;

#[derive(Default)]
pub struct Platform {
    /// Lowest free address of the modelled heap.
    heap: u64,
    /// Names of environment variables, each with the address of its value in memory.
    variables: Vec<(String, u64)>,
    pub(crate) cpu: Cpu,
    /// Whether the code may allocate memory now.
    pub(crate) allocates: bool,
    /// Whether the code must wipe memory before it frees it.
    pub(crate) refuses_secrets_in_freed_memory: bool,
}

/// Functions of libc that the prover models.
const MODELLED_FUNCTIONS: [&str; 12] = [
    "malloc",
    "calloc",
    "posix_memalign",
    "aligned_alloc",
    "free",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "strlen",
    "secure_getenv",
];

pub(crate) const HEAP_NAME: &str = "the heap";
const HEAP: u64 = 0x0000_2000_0000_0000;
const ENVIRONMENT: u64 = 0x0000_1F00_0000_0000;
/// Address that stands for the first of [`MODELLED_FUNCTIONS`]; the others follow, 16 bytes apart.
const FUNCTIONS: u64 = 0x0000_3000_0000_0000;

impl Default for Cpu {
    fn default() -> Self {
        Self::ZEN_4
    }
}

impl Platform {
    /// Creates a model of the CPU and of the environment variables. Adds the values of the environment variables to the
    /// memory of `machine`.
    #[must_use]
    pub fn new(variables: &[(&str, &str)], cpu: Cpu, machine: &mut Machine) -> Self {
        let mut new = Self { heap: HEAP, cpu, allocates: true, ..Self::default() };
        for (place, (name, value)) in variables.iter().enumerate() {
            let address = ENVIRONMENT + 0x1000 * place as u64;
            let bytes = value.bytes().chain([0]).collect::<Vec<_>>().into();
            machine.memory.add(Region::known("the environment", address, bytes, Access::READ));
            new.variables.push(((*name).to_owned(), address));
        }
        new
    }

    /// Allocates a region of `bytes` bytes on the modelled heap, and returns its address.
    fn allocate(&mut self, machine: &mut Machine, bytes: u64, alignment: u64) -> Result<u64, Refusal> {
        if !self.allocates {
            return Err(Refusal::Stuck("takes memory"));
        }
        // malloc's results get no better alignment than it guarantees.
        let start = self.heap.next_multiple_of(alignment.max(64)) + if alignment > 16 { 0 } else { 16 };
        self.heap = start + bytes + 0x1000;
        if bytes > 0 {
            machine.memory.add(Region::unknown(HEAP_NAME, start, bytes, Access::BOTH).with_write_counts());
        }
        Ok(start)
    }
}

/// Returns the address that stands for a function of libc, or `None` if the prover does not model the function.
#[must_use]
pub fn function_address(name: &[u8]) -> Option<u64> {
    let place = MODELLED_FUNCTIONS.iter().position(|known| known.as_bytes() == name)?;
    Some(FUNCTIONS + 16 * place as u64)
}

/// Executes the model of the libc function for which `address` stands, up to the function's return to its caller.
pub fn call_external(machine: &mut Machine, context: &mut Context, address: u64) -> Result<(), Refusal> {
    machine.memory.symbolic_offset = [0; 3];
    machine.memory.flow = Flow::default();
    let place = address.checked_sub(FUNCTIONS).filter(|distance| distance % 16 == 0).map(|distance| distance / 16);
    let name = place.and_then(|place| MODELLED_FUNCTIONS.get(place as usize).copied());
    let name = name.ok_or(Refusal::Outside(address))?;
    let top = machine.known_integer(Register::RSP, "the stack pointer", &mut context.symbols)?;
    if top % 16 != 8 {
        return Err(Refusal::Stuck("calls a function with a stack that is not aligned"));
    }
    machine.memory.forget_below(top);
    let mut arguments = [const { Word::Known(0) }; 3];
    for (argument, register) in arguments.iter_mut().zip([Register::RDI, Register::RSI, Register::RDX]) {
        *argument = machine.integer(register, &mut context.symbols);
    }
    let known = |place: usize| arguments[place].known().ok_or(Refusal::Secret("what a function is given"));
    let result = match name {
        "malloc" => context.platform.allocate(machine, known(0)?, 16)?,
        "calloc" => {
            let bytes = known(0)?.saturating_mul(known(1)?);
            let start = context.platform.allocate(machine, bytes, 16)?;
            machine.memory.poke(start, &vec![Bit::ZERO; 8 * bytes as usize])?;
            start
        }
        "aligned_alloc" => context.platform.allocate(machine, known(1)?, known(0)?)?,
        "posix_memalign" => {
            let start = context.platform.allocate(machine, known(2)?, known(1)?)?;
            machine.memory.write(known(0)?, &Word::Known(start).bits())?;
            0
        }
        "free" => {
            let start = known(0)?;
            if start != 0 {
                if context.platform.refuses_secrets_in_freed_memory {
                    machine.memory.expect_wiped(HEAP_NAME, start..=start)?;
                }
                machine.memory.deallocate(HEAP_NAME, start)?;
            }
            0
        }
        "memcpy" | "memmove" => {
            let (to, from, bytes) = (known(0)?, known(1)?, known(2)?);
            if name == "memcpy" && to != from && to.abs_diff(from) < bytes {
                return Err(Refusal::Stuck("copies by memcpy what overlaps"));
            }
            let mut bits = vec![Bit::ZERO; 8 * bytes as usize];
            if !bits.is_empty() {
                machine.memory.read(from, &mut bits, &mut context.symbols)?;
                machine.memory.write(to, &bits)?;
            }
            to
        }
        "memset" if machine.memory.windowed.is_some_and(|whole| Some(whole.start) == arguments[0].known()) => {
            let length = context
                .symbols
                .affine_forms
                .recognise(&arguments[2], 64)
                .ok_or(Refusal::Secret("what a function is given"))?;
            machine.memory.clear_windowed(known(0)?, length, known(1)?)?;
            known(0)?
        }
        "memset" => {
            let byte = &arguments[1].bits()[..8];
            if known(2)? > 0 {
                machine.memory.write(known(0)?, &byte.repeat(known(2)? as usize))?;
            }
            known(0)?
        }
        "memcmp" | "bcmp" => {
            let bytes = known(2)? as usize;
            let one = machine.memory.read_known(known(0)?, bytes, &mut context.symbols)?;
            let other = machine.memory.read_known(known(1)?, bytes, &mut context.symbols)?;
            one.cmp(&other) as i32 as u32 as u64
        }
        "strlen" => read_c_string(machine, context, known(0)?)?.len() as u64,
        "secure_getenv" => {
            let name = read_c_string(machine, context, known(0)?)?;
            let variable = context.platform.variables.iter().find(|(variable, _)| variable.as_bytes() == name);
            variable.map_or(0, |(_, address)| *address)
        }
        _ => return Err(Refusal::Outside(address)),
    };
    let mut back = [Bit::ZERO; 64];
    machine.memory.read(top, &mut back, &mut context.symbols)?;
    machine.next = Word::from_bits(&back).known().ok_or(Refusal::Secret("where a call returns to"))?;
    machine.forget_volatile();
    machine.set_integer(Register::RSP, Word::Known(top + 8));
    machine.set_integer(Register::RAX, Word::Known(result));
    Ok(())
}

/// Reads a NUL-terminated string from memory. Returns the string without the NUL.
fn read_c_string(machine: &mut Machine, context: &mut Context, address: u64) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    loop {
        let byte = machine.memory.read_known(address + bytes.len() as u64, 1, &mut context.symbols)?;
        match byte[..] {
            [0] | [] => return Ok(bytes),
            _ => bytes.extend(byte),
        }
    }
}

/// Identification and some features of a modelled CPU. The CPU has all other features that the library's backends need.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    vendor: &'static [u8; 12],
    /// CPU family, model and stepping, as in EAX of CPUID leaf 1.
    version: u32,
    has_vaes: bool,
    has_avx512: bool,
}

impl Cpu {
    /// A CPU for which the library chooses the backend `vaes512` with the instruction schedule `karatsuba`.
    pub const ZEN_4: Self = Self { vendor: b"AuthenticAMD", version: 0xA1_0F11, has_vaes: true, has_avx512: true };
    /// A CPU for which the library chooses the backend `vaes512` with the instruction schedule `schoolbook`.
    pub const SAPPHIRE_RAPIDS: Self =
        Self { vendor: b"GenuineIntel", version: 0x08_06F8, has_vaes: true, has_avx512: true };
    /// A CPU for which the library chooses the backend `vaes256`.
    pub const ZEN_3: Self = Self { vendor: b"AuthenticAMD", version: 0xA0_0F11, has_vaes: true, has_avx512: false };
    /// A CPU for which the library chooses the backend `aesni`.
    pub const ZEN_2: Self = Self { vendor: b"AuthenticAMD", version: 0x83_0F10, has_vaes: false, has_avx512: false };

    /// Returns the result of XGETBV: a bit for each register set that the operating system saves.
    #[must_use]
    pub fn xcr0(&self) -> u64 {
        if self.has_avx512 { 0b1110_0111 } else { 0b111 }
    }

    #[must_use]
    pub fn cpuid(&self, leaf: u32, subleaf: u32) -> CpuidResult {
        let bits = |places: &[u32]| places.iter().fold(0, |bits, place| bits | 1 << place);
        let bits_if = |is_there: bool, places: &[u32]| if is_there { bits(places) } else { 0 };
        let mut cpuid = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
        match (leaf, subleaf) {
            (0, _) => {
                let [ebx, edx, ecx] =
                    [0, 4, 8].map(|at| u32::from_le_bytes(std::array::from_fn(|place| self.vendor[at + place])));
                cpuid = CpuidResult { eax: 7, ebx, ecx, edx };
            }
            // PCLMULQDQ, SSSE3, SSE4.1, AES, XSAVE, OSXSAVE, AVX; SSE2.
            (1, _) => {
                cpuid.eax = self.version;
                cpuid.ecx = bits(&[1, 9, 19, 25, 26, 27, 28]);
                cpuid.edx = bits(&[26]);
            }
            // AVX2, BMI2; AVX512F, DQ, BW, VL; VAES, VPCLMULQDQ.
            (7, 0) => {
                cpuid.ebx = bits(&[5, 8]) | bits_if(self.has_avx512, &[16, 17, 30, 31]);
                cpuid.ecx = bits_if(self.has_vaes, &[9, 10]);
            }
            _ => {}
        }
        cpuid
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::memory::Memory;

    #[test]
    fn free_accepts_allocated_pointers_once_and_null() {
        const TOP: u64 = 0x1808;
        let mut machine = Machine::new(Memory::default());
        machine.memory.begin_stack("the stack", 0x1000, 0x1000);
        let mut context = Context { platform: Platform::new(&[], Cpu::ZEN_4, &mut machine), ..Context::default() };
        let mut call_external = |context: &mut Context, name: &str, arguments: [u64; 3], top: u64| {
            let address = function_address(name.as_bytes()).unwrap();
            for (register, value) in [Register::RDI, Register::RSI, Register::RDX].into_iter().zip(arguments) {
                machine.set_integer(register, Word::Known(value));
            }
            machine.set_integer(Register::RSP, Word::Known(top));
            machine.memory.poke(top, &Word::Known(7).bits()).unwrap();
            super::call_external(&mut machine, context, address)?;
            machine.known_integer(Register::RAX, "what is returned", &mut context.symbols)
        };
        let place = call_external(&mut context, "malloc", [64, 0, 0], TOP).unwrap();
        assert!(call_external(&mut context, "free", [place + 8, 0, 0], TOP).is_err());
        assert!(call_external(&mut context, "free", [place, 0, 0], TOP - 8).is_err(), "the stack is not aligned");
        assert!(call_external(&mut context, "free", [place, 0, 0], TOP).is_ok());
        assert!(call_external(&mut context, "free", [place, 0, 0], TOP).is_err(), "twice");
        assert!(call_external(&mut context, "free", [0; 3], TOP).is_ok());
        context.platform.allocates = false;
        assert!(call_external(&mut context, "malloc", [64, 0, 0], TOP).is_err());
    }
}
