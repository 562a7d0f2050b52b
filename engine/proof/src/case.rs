//! Calls that seal or open one message, and checks of the calls' results against the standard.

mod stream;
mod vectored;
mod wiping;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use crate::abi::{STACK_END, call_function, check_returned_code, enter_function};
use crate::code::Code;
use crate::context::Context;
use crate::execution::{Stop, run};
use crate::explanation;
use crate::field::Bit;
use crate::flow::Tally;
use crate::library::Library;
use crate::machine::{Flag, Machine};
use crate::memory::{Access, Memory, Region};
use crate::platform::{Cpu, HEAP_NAME, Platform};
use crate::reference::{self, Block, Direction, Reference};
use crate::refusal::Refusal;
use crate::symbols::{RandomPoint, Symbols};
use crate::theorem::EXHAUSTIVE_TEXT_BYTES;
use crate::word::Word;

pub use stream::StreamCase;
pub use vectored::VectoredCase;
pub(crate) use wiping::expect_wiped_by;

/// A code path of the library: a backend and an instruction schedule (order in which AES and GHASH are interleaved),
/// with the names that the environment variables have for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePath {
    /// Name of the backend: value of the environment variable `KASOKU_BACKEND`.
    pub backend: &'static str,
    /// Name of the instruction schedule (order in which AES and GHASH are interleaved): value of the environment
    /// variable `KASOKU_SCHEDULE`.
    pub schedule: &'static str,
}

/// All code paths (backend and instruction schedule) that the prover verifies.
pub const CODE_PATHS: [CodePath; 4] = [
    CodePath { backend: "vaes512", schedule: "karatsuba" },
    CodePath { backend: "vaes512", schedule: "schoolbook" },
    CodePath { backend: "vaes256", schedule: "karatsuba" },
    CodePath { backend: "aesni", schedule: "karatsuba" },
];

/// Describes how the library makes a key before the calls to be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySetup {
    pub path: CodePath,
    /// Whether the library chooses its code path by CPUID. Otherwise, environment variables choose the code path.
    pub is_default: bool,
    /// Whether the process has made another key before this key.
    pub is_second: bool,
    /// Whether the caller supplies the memory for the key object, as for `kasoku_gcm_init`.
    pub is_lent: bool,
    /// Whether packets use the keys that `kasoku_quic_on_path` makes for a path ID other than 0.
    pub is_on_path: bool,
    /// Length in bytes of a message that the library seals with the key before the calls to be proven; 0 for no
    /// message. The library expands more powers of H when the message is longer.
    pub sealed_bytes: usize,
    /// Number of the random point at which the calls are proven ([`RandomPoint::number`]).
    pub point: u8,
}

/// Length in bytes of a message long enough that the library, on every code path, expands all powers of H to seal it.
pub const BYTES_FOR_ALL_POWERS: usize = 8200;

impl KeySetup {
    /// Returns the CPU model for which the library runs. If environment variables choose the code path, the CPU model
    /// has all instructions that the backends use.
    fn cpu(self) -> Cpu {
        match (self.path.backend, self.path.schedule) {
            _ if !self.is_default => Cpu::ZEN_4,
            ("vaes512", "schoolbook") => Cpu::SAPPHIRE_RAPIDS,
            ("vaes512", _) => Cpu::ZEN_4,
            ("vaes256", _) => Cpu::ZEN_3,
            _ => Cpu::ZEN_2,
        }
    }

    /// Returns the number of keys that the process makes, including the key of the calls to be proven.
    pub(crate) fn keys(self) -> usize {
        if self.is_second { 2 } else { 1 }
    }
}

impl From<CodePath> for KeySetup {
    fn from(path: CodePath) -> Self {
        let sealed_bytes = BYTES_FOR_ALL_POWERS;
        Self { path, is_default: false, is_second: false, is_lent: false, is_on_path: false, sealed_bytes, point: 0 }
    }
}

impl fmt::Display for KeySetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if self.is_default { " by default" } else { "" };
        let second = if self.is_second { ", second key" } else { "" };
        let lent = if self.is_lent { ", in lent memory" } else { "" };
        let on_path = if self.is_on_path { ", on another network path" } else { "" };
        write!(f, "{}{default}{second}{lent}{on_path}", self.path)?;
        match self.sealed_bytes {
            0 => f.write_str(", new key"),
            bytes if bytes >= EXHAUSTIVE_TEXT_BYTES => Ok(()),
            bytes => write!(f, ", key after {bytes} bytes"),
        }
    }
}

/// A call that seals or opens a whole message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub direction: Direction,
    /// Length of the text in bytes.
    pub bytes: usize,
    /// Length of the AAD in bytes.
    pub aad_bytes: usize,
    /// Whether input and output are the same buffer.
    pub is_in_place: bool,
}

/// Proves calls that use one key, which the library's own code has expanded from symbolic key bytes.
pub struct MessageProver {
    pub(crate) context: Context,
    /// The modelled machine after key set-up. The code must not write to the key object during calls, except for new
    /// powers of H if `may_grow` is true.
    machine: Machine,
    /// Arguments that pass the key to a call. For a key object: its address. For a one-shot function: address and
    /// number of the key bytes.
    key: Vec<u64>,
    /// Whether the code may write new powers of H to the key object during a call.
    may_grow: bool,
    /// Nonce that the caller passes. For XAES-256-GCM, this nonce is longer than the nonce of the derived AES-GCM
    /// message.
    nonce: Vec<Bit>,
    /// Addresses of two library functions: the first seals a whole message, the second opens one.
    entries: [u64; 2],
    vectored: [u64; 2],
    streams: [stream::StreamEntryPoints; 2],
    /// Address of the function that wipes the key object, and frees it if the library has allocated it.
    end: u64,
    pub(crate) reference: Reference,
}

/// Algorithm of a key, and the C function that makes the key.
struct KeyKind<'a> {
    /// Name of the algorithm as it appears in the names of its C functions, such as `gcm`.
    name: &'static str,
    /// Suffix of the name of the C function that makes the key: `create` or `init`.
    create: &'static str,
    /// Arguments of the C function that makes the key.
    arguments: &'a [u64],
    key_bytes: usize,
    nonce_bytes: usize,
    /// Number of keys to make. The calls to be proven use the last of these keys.
    keys: usize,
    /// Length in bytes of a message that the library seals with the key before the calls to be proven
    /// ([`KeySetup::sealed_bytes`]).
    sealed_bytes: usize,
}

pub(crate) const KEY: u64 = 0x0000_1000_0000_0000;
/// Address of the key bytes passed to the library; unaligned, to include code that depends on alignment.
pub(crate) const KEY_BYTES: u64 = KEY + 3;
pub(crate) const RESULT: u64 = KEY + 0x1000;
/// Address of memory for a key object that the caller supplies. The address is a multiple of 16 but not of 32 bytes, as
/// an address from `malloc` may be.
const LENT: u64 = KEY + 0xA_0010;
const LENT_BYTES: u64 = 8192;
const NONCE: u64 = KEY + 0x2000;
const AAD: u64 = KEY + 0x3000;
pub(crate) const TAG: u64 = KEY + 0x4000;
pub(crate) const INPUT: u64 = KEY + 0x10_0000;
const OUTPUT: u64 = KEY + 0x20_0000;

/// Maximum AAD length in bytes of a [`Case`].
pub const MAX_AAD_BYTES: usize = 1024;
/// Maximum text length in bytes of a [`Case`].
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Value of the C constant `KASOKU_OK`.
pub(crate) const OK: u32 = 0;
/// Value of the C constant `KASOKU_ERR_AUTHENTICATION`.
pub(crate) const AUTHENTICATION_FAILED: u32 = (-7_i32).cast_unsigned();

impl MessageProver {
    /// Executes the library's key set-up for symbolic key bytes. Before that, `change` may alter the library's code and
    /// constants.
    ///
    /// # Errors
    /// If the library cannot be loaded. The inner error means that the prover refuses the library's key set-up.
    pub fn new(
        library: &Path,
        setup: impl Into<KeySetup>,
        key_bytes: usize,
        change: impl FnOnce(&mut Library, &mut Code),
    ) -> io::Result<Result<Self, Refusal>> {
        let setup = setup.into();
        let (library, context, machine) = load(library, setup, change)?;
        let (create, arguments) = if setup.is_lent {
            ("init", &[LENT, LENT_BYTES, KEY_BYTES, key_bytes as u64, RESULT][..])
        } else {
            ("create", &[KEY_BYTES, key_bytes as u64, 0, RESULT][..])
        };
        let kind = KeyKind {
            name: "gcm",
            create,
            arguments,
            key_bytes,
            nonce_bytes: 12,
            keys: setup.keys(),
            sealed_bytes: setup.sealed_bytes,
        };
        Self::make(&library, (context, machine), &kind, |key, nonce, _| (key.to_vec(), nonce.to_vec()))
    }

    /// Like [`Self::new`], for one-shot functions, which take key bytes instead of a key object. The returned prover
    /// supports [`Self::prove`] only.
    pub fn once(library: &Path, setup: impl Into<KeySetup>, key_bytes: usize) -> io::Result<Result<Self, Refusal>> {
        // Making a key reads the environment variables that select the code path.
        let prover = Self::new(library, setup, key_bytes, |_, _| ())?;
        let symbols = Library::load(library)?;
        let entries = [symbols.symbol("kasoku_gcm_seal_once")?, symbols.symbol("kasoku_gcm_open_once")?];
        Ok(prover.map(|mut prover| {
            prover.machine.memory.set_access("the key's bytes", Access::READ);
            Self { entries, key: vec![KEY_BYTES, key_bytes as u64], ..prover }
        }))
    }

    /// Like [`Self::new`], for XAES-256-GCM. The returned prover supports [`Self::prove`] only.
    pub fn xaes(
        library: &Path,
        setup: impl Into<KeySetup>,
        change: impl FnOnce(&mut Library, &mut Code),
    ) -> io::Result<Result<Self, Refusal>> {
        let setup = setup.into();
        let (library, context, machine) = load(library, setup, change)?;
        let arguments = [KEY_BYTES, 0, RESULT];
        let kind = KeyKind {
            name: "xaes",
            create: "create",
            arguments: &arguments,
            key_bytes: 32,
            nonce_bytes: 24,
            keys: setup.keys(),
            sealed_bytes: BYTES_FOR_ALL_POWERS,
        };
        Self::make(&library, (context, machine), &kind, |key, nonce, symbols| {
            (reference::xaes_key(key, &nonce[..96], symbols), nonce[96..].to_vec())
        })
    }

    /// Makes the keys that `kind` describes. The function `message` derives, from key and nonce of a call, the key and
    /// nonce of the AES-GCM message that the call seals.
    fn make(
        library: &Library,
        (mut context, mut machine): (Context, Machine),
        kind: &KeyKind<'_>,
        message: impl FnOnce(&[Bit], &[Bit], &mut Symbols) -> (Vec<Bit>, Vec<Bit>),
    ) -> io::Result<Result<Self, Refusal>> {
        let of_kind = |name: &str| library.symbol(&format!("kasoku_{}_{name}", kind.name));
        let entries = [of_kind("seal")?, of_kind("open")?];
        let create = of_kind(kind.create)?;
        let end = of_kind(if kind.create == "init" { "wipe" } else { "free" })?;
        let vectored = [library.symbol("kasoku_gcm_seal_vectored")?, library.symbol("kasoku_gcm_open_vectored")?];
        let streams = [
            stream::StreamEntryPoints::find(library, Direction::Sealing)?,
            stream::StreamEntryPoints::find(library, Direction::Opening)?,
        ];

        let mut unknown = |bytes: usize| {
            let mut bits = vec![Bit::ZERO; 8 * bytes];
            context.symbols.fill(&mut bits);
            bits
        };
        let [nonce, aad, text] = [kind.nonce_bytes, MAX_AAD_BYTES, MAX_TEXT_BYTES].map(&mut unknown);
        let keys: Vec<_> = (0..kind.keys).map(|_| unknown(kind.key_bytes)).collect();
        let mut make_one = |key: &Vec<Bit>| {
            let places = [(KEY_BYTES, &key[..])];
            const LENT_NAME: &str = "memory of the caller";
            if kind.create == "init" {
                let lent = Region::unknown(LENT_NAME, LENT, LENT_BYTES, Access::BOTH).with_write_counts();
                machine.memory.remove(HEAP_NAME);
                machine.memory.replace(lent);
            }
            let made = make_key(&mut machine, &mut context, create, kind.arguments, &places)?;
            machine.memory.rename(LENT_NAME, HEAP_NAME);
            Ok((made, key.clone()))
        };
        let made = keys.iter().map(&mut make_one).collect::<Result<Vec<_>, _>>();
        let last = made.and_then(|mut made| made.pop().ok_or(Refusal::Stuck("makes no key")));
        let may_grow = kind.sealed_bytes < EXHAUSTIVE_TEXT_BYTES;
        let last = last.and_then(|(made, key)| {
            // Keys of XAES have no powers of H: each message derives its own key.
            if kind.name == "gcm" && kind.sealed_bytes > 0 {
                seal_before(&mut machine, &mut context, entries[0], made, kind.sealed_bytes)?;
            }
            Ok((made, key))
        });
        Ok(last.map(|(made, key)| {
            freeze(&mut machine, &mut context);
            if may_grow {
                machine.memory.set_access(HEAP_NAME, Access::BOTH);
            }
            let (message_key, message_nonce) = message(&key, &nonce, &mut context.symbols);
            let reference = Reference::new(&message_key, message_nonce, aad, text, &mut context.symbols);
            context.symbols.share_variables();
            Self { context, machine, key: vec![made], may_grow, nonce, entries, vectored, streams, end, reference }
        }))
    }

    /// Returns the addresses of the instructions executed since the last call of this method ([`Code::take_executed`]).
    pub fn take_executed(&mut self) -> Vec<u64> {
        self.context.code.take_executed()
    }

    /// Returns the encodings of the instructions executed since the last call of this method
    /// ([`Code::take_instruction_forms`]).
    pub fn take_instruction_forms(&mut self) -> BTreeSet<Vec<u8>> {
        self.context.code.take_instruction_forms()
    }

    /// Returns the numbers from which the bound of the prover's error probability for one call is computed. The numbers
    /// of comparisons and look-ups are those of key set-up plus the maximum over all calls. The polynomial degrees are
    /// the maxima over key set-up and all calls.
    #[must_use]
    pub fn compared(&self) -> Tally {
        self.context.symbols.compared()
    }

    pub fn code(&mut self) -> &mut Code {
        &mut self.context.code
    }

    /// Executes the call that `case` describes, and compares the call's results with the standard.
    ///
    /// # Errors
    /// The first difference from the standard.
    pub fn prove(&mut self, case: &Case) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        let aad = self.reference.aad(case.aad_bytes).to_vec();
        let expected = self.reference.message(case.direction, &aad, case.bytes, &mut self.context.symbols);
        let mut tag = [Bit::ZERO; 128];
        self.context.symbols.fill(&mut tag);
        let mut call = self.begin(case, &tag)?;
        match case.direction {
            Direction::Sealing => call.expect_return(self, OK)?,
            Direction::Opening => {
                let mut forged = call.branch_on_verdict(self, &expected.tag, &tag)?;
                forged.expect_return(self, AUTHENTICATION_FAILED)?;
                let zeros = vec![Bit::ZERO; 8 * case.bytes];
                forged.expect_bytes(self, OUTPUT_NAME, forged.output, &zeros, |_, _| {
                    "of a forgery nothing may be left".to_owned()
                })?;
                call.expect_return(self, OK)?;
            }
        }
        call.expect_bytes(self, OUTPUT_NAME, call.output, &expected.text, |prover, wrong| {
            explanation::explain_text(&mut prover.reference, case, wrong, &mut prover.context.symbols)
        })?;
        if case.direction == Direction::Sealing {
            call.expect_bytes(self, TAG_NAME, call.tag, &expected.tag, |prover, wrong| {
                explanation::explain_tag(&mut prover.reference, case, &expected, wrong)
            })?;
            call.expect_written_once(TAG_NAME)?;
        }
        if self.may_grow {
            call.expect_key_kept(self)?;
        }
        call.expect_written_once(OUTPUT_NAME)
    }

    /// Sets up registers and memory for the call that `case` describes, without executing an instruction.
    fn begin(&mut self, case: &Case, tag: &Block) -> Result<Call, Refusal> {
        // Buffers have a different alignment in each case.
        let shift = |by: usize| ((case.bytes * by + case.aad_bytes * (by + 6)) % 64) as u64;
        let input = INPUT + shift(7);
        let output = if case.is_in_place { input } else { OUTPUT + shift(11) };
        let bytes = Word::Known(case.bytes as u64);
        let shifts = [shift(5), shift(29), shift(3), input, output];
        let mut call = self.begin_at(case.direction, (&bytes, case.aad_bytes), shifts, tag)?;
        let (memory, text) = (&mut call.machine.memory, self.reference.text(case.bytes));
        if case.is_in_place {
            memory.add_buffer(OUTPUT_NAME, output, text, Access::BOTH)?;
        } else {
            memory.add_buffer("the input", input, text, Access::READ)?;
            memory.add_buffer(OUTPUT_NAME, output, text, Access::WRITE)?;
        }
        Ok(call)
    }

    /// Like [`Self::begin`], but does not add the text buffers to memory. `nonce`, `aad` and `tag_at` are offsets from
    /// the default addresses of nonce, AAD and tag; `input` and `output` are addresses.
    pub(crate) fn begin_at(
        &mut self,
        direction: Direction,
        (bytes, aad_bytes): (&Word, usize),
        [nonce, aad, tag_at, input, output]: [u64; 5],
        tag: &Block,
    ) -> Result<Call, Refusal> {
        let seals = direction == Direction::Sealing;
        let mut machine = self.machine.clone();
        let (nonce, aad, tag_at) = (NONCE + nonce, AAD + aad, TAG + tag_at);
        let memory = &mut machine.memory;
        memory.add_buffer("the nonce", nonce, &self.nonce, Access::READ)?;
        memory.add_buffer("the AAD", aad, self.reference.aad(aad_bytes), Access::READ)?;
        memory.add_buffer(TAG_NAME, tag_at, tag, if seals { Access::WRITE } else { Access::READ })?;
        let (first, second) = if seals { (output, tag_at) } else { (tag_at, output) };
        let nonce_bytes = self.nonce.len() as u64 / 8;
        let message = [nonce, nonce_bytes, aad, aad_bytes as u64, input, 0, first, second];
        let arguments = [&self.key[..], &message].concat();
        let entry = self.entries[direction as usize];
        let saved = enter_function(&mut machine, &mut self.context, entry, &arguments)?;
        // The text length, which may be symbolic, is an argument on the stack.
        let place = 8 * (self.key.len() as u64 + 5 - 6);
        machine.memory.poke(STACK_END + 16 + place, &bytes.bits())?;
        Ok(Call { machine, saved, output, tag: tag_at })
    }
}

/// Writes bits to memory, then executes `create`, a function that makes a key. `places` lists the bits with their
/// addresses. Returns the address of the key object.
pub(crate) fn make_key(
    machine: &mut Machine,
    context: &mut Context,
    create: u64,
    arguments: &[u64],
    places: &[(u64, &[Bit])],
) -> Result<u64, Refusal> {
    machine.memory.rename(HEAP_NAME, "the heap of another key");
    machine.memory.remove("the key's bytes");
    for (address, bits) in places {
        machine.memory.add_buffer("the key's bytes", *address, bits, Access::READ)?;
    }
    make_object(machine, context, create, arguments)
}

/// Calls a function of the library that stores the address of a new object at [`RESULT`], and returns this address.
pub(crate) fn make_object(
    machine: &mut Machine,
    context: &mut Context,
    create: u64,
    arguments: &[u64],
) -> Result<u64, Refusal> {
    machine.memory.remove("the place of the key");
    machine.memory.add(Region::unknown("the place of the key", RESULT, 8, Access::WRITE));
    call_function(machine, context, create, arguments, OK)?;
    let mut address = [Bit::ZERO; 64];
    machine.memory.peek(RESULT, &mut address, &mut context.symbols)?;
    Word::from_bits(&address).known().ok_or(Refusal::Secret("where the key is"))
}

/// Seals a message of `bytes` bytes in place, so that the library expands the powers of H for this length.
fn seal_before(machine: &mut Machine, context: &mut Context, seal: u64, key: u64, bytes: usize) -> Result<(), Refusal> {
    let regions = [("the nonce", NONCE, 12, Access::READ), (TAG_NAME, TAG, 16, Access::WRITE)];
    let text = (OUTPUT_NAME, INPUT, bytes as u64, Access::BOTH);
    for (name, address, bytes, access) in regions.into_iter().chain([text]) {
        machine.memory.add(Region::unknown(name, address, bytes, access));
    }
    let arguments = [key, NONCE, 12, 0, 0, INPUT, bytes as u64, INPUT, TAG];
    call_function(machine, context, seal, &arguments, OK)?;
    for name in ["the nonce", TAG_NAME, OUTPUT_NAME] {
        machine.memory.remove(name);
    }
    Ok(())
}

/// Loads the library into a new machine, with the CPU model and the environment variables that `setup` describes.
pub(crate) fn load(
    library: &Path,
    setup: KeySetup,
    change: impl FnOnce(&mut Library, &mut Code),
) -> io::Result<(Library, Context, Machine)> {
    let mut library = Library::load(library)?;
    let mut code = Code::new(&library);
    change(&mut library, &mut code);
    let mut memory = Memory::default();
    library.regions().for_each(|region| memory.add(region));
    let mut machine = Machine::new(memory);
    let variables = [("KASOKU_BACKEND", setup.path.backend), ("KASOKU_SCHEDULE", setup.path.schedule)];
    let variables = if setup.is_default { &[][..] } else { &variables };
    let platform = Platform::new(variables, setup.cpu(), &mut machine);
    let symbols = Symbols::at_point(RandomPoint { library_sha256: library.sha256(), number: setup.point });
    Ok((library, Context { code, platform, symbols, ..Context::default() }, machine))
}

/// Ends key set-up: makes all memory read-only. From then on, the code must not allocate memory, or read key bytes or
/// environment variables.
pub(crate) fn freeze(machine: &mut Machine, context: &mut Context) {
    machine.memory.make_read_only();
    context.platform.allocates = false;
    for name in ["the key's bytes", "the environment"] {
        machine.memory.set_access(name, Access::NONE);
    }
}

/// State of a call during its execution.
pub(crate) struct Call {
    pub(crate) machine: Machine,
    /// Values of the callee-saved registers before the call.
    pub(crate) saved: Vec<Word>,
    pub(crate) output: u64,
    pub(crate) tag: u64,
}

pub(crate) const OUTPUT_NAME: &str = "the output";
pub(crate) const TAG_NAME: &str = "the tag";

impl Call {
    /// Executes up to the branch on whether `computed`, the computed tag, equals `given`, the tag passed to the call.
    /// This is the only branch that may depend on secrets. Returns a copy of the call that continues as if the tags
    /// differed; `self` continues as if they were equal.
    fn branch_on_verdict(
        &mut self,
        prover: &mut MessageProver,
        computed: &Block,
        given: &Block,
    ) -> Result<Self, Refusal> {
        let Stop::Verdict(asked) = run(&mut self.machine, &mut prover.context)? else {
            return Err(Refusal::wrong("it returned without asking whether the tags are the same"));
        };
        let difference: Block = std::array::from_fn(|place| computed[place] ^ given[place]);
        if !verdict_conditions(&difference).contains(&asked) {
            return Err(Refusal::Wrong(format!(
                "it asks whether {} secret bits are zero, which are not those by which the tags differ",
                asked.len()
            ))
            .at_instruction(prover.context.code.describe(self.machine.next)));
        }
        let mut other = Self { machine: self.machine.clone(), saved: self.saved.clone(), ..*self };
        other.machine.flags.zero = Flag::Bit(Bit::ZERO);
        self.machine.flags.zero = Flag::Bit(Bit::ONE);
        Ok(other)
    }

    /// Executes to the end of the call. Checks that the call returns `code` and follows the System V ABI.
    pub(crate) fn expect_return(&mut self, prover: &mut MessageProver, code: u32) -> Result<(), Refusal> {
        let context = &mut prover.context;
        let Stop::Returned = run(&mut self.machine, context)? else {
            return Err(Refusal::Secret("a branch").at_instruction(context.code.describe(self.machine.next)));
        };
        check_returned_code(&mut self.machine, context, &self.saved, code)
    }

    /// Compares the buffer `name` at `address` with the expected bits. `explain` describes a difference.
    fn expect_bytes(
        &mut self,
        prover: &mut MessageProver,
        name: &str,
        address: u64,
        expected: &[Bit],
        explain: impl FnOnce(&mut MessageProver, &explanation::Wrong<'_>) -> String,
    ) -> Result<(), Refusal> {
        if expected.is_empty() {
            return Ok(());
        }
        let mut found = vec![Bit::ZERO; expected.len()];
        self.machine.memory.peek(address, &mut found, &mut prover.context.symbols)?;
        let Some(bit) = (0..expected.len()).find(|&bit| found[bit] != expected[bit]) else { return Ok(()) };
        let explained = explain(prover, &explanation::Wrong { found: &found, bit });
        let (byte, bit) = (bit / 8, bit % 8);
        Err(Refusal::Wrong(format!("byte {byte} of {name} is wrong (bit {bit}): {explained}")))
    }

    /// Checks that the call has overwritten nothing in the key object except concrete numbers, such as the number of
    /// powers of H.
    fn expect_key_kept(&self, prover: &mut MessageProver) -> Result<(), Refusal> {
        let before = &prover.machine.memory;
        match self.machine.memory.overwritten_secret(before, HEAP_NAME, &mut prover.context.symbols) {
            None => Ok(()),
            Some(address) => Err(Refusal::Wrong(format!("it overwrites a part of the key at {address:#x}"))),
        }
    }

    /// Checks that the code has written each byte of the buffer `name` exactly once.
    pub(crate) fn expect_written_once(&self, name: &str) -> Result<(), Refusal> {
        let writes = self.machine.memory.write_counts(name);
        match writes.iter().position(|&count| count != 1) {
            None => Ok(()),
            Some(byte) => Err(Refusal::Wrong(format!("byte {byte} of {name} is written {} times", writes[byte]))),
        }
    }
}

/// Returns the three sets of bits with which machine code may test whether a block of 128 bits is zero:
///
/// * all 128 bits
/// * the OR of the block's two halves
/// * one bit for each byte, set if that byte is nonzero
pub(crate) fn verdict_conditions(difference: &Block) -> [Vec<Bit>; 3] {
    let (low, high) = difference.split_at(64);
    let halves = low.iter().zip(high).map(|(&low, &high)| low.or(high)).collect();
    let byte = |bits: &[Bit; 8]| bits.iter().fold(Bit::ONE, |all, bit| all.and(bit.inverted())).inverted();
    let bytes = difference.as_chunks::<8>().0.iter().map(byte).collect();
    [difference.to_vec(), halves, bytes].map(|mut bits: Vec<Bit>| {
        bits.sort_unstable();
        bits
    })
}

impl FromStr for CodePath {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = CODE_PATHS.map(|path| path.to_string());
        let of_name = CODE_PATHS.into_iter().zip(&names).find(|(_, given)| *given == name);
        of_name.map(|(path, _)| path).ok_or_else(|| format!("{name} is none of {}", names.join(", ")))
    }
}

impl fmt::Display for CodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.backend {
            "vaes512" => write!(f, "{}/{}", self.backend, self.schedule),
            _ => f.write_str(self.backend),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, bytes, aad_bytes, is_in_place } = self;
        let place = place_in_words(*is_in_place);
        write!(f, "{direction} {bytes} bytes {place} with AAD of {aad_bytes}")
    }
}

/// Returns "in place" if input and output are one buffer, otherwise "from buffer to buffer".
pub(crate) fn place_in_words(is_in_place: bool) -> &'static str {
    if is_in_place { "in place" } else { "from buffer to buffer" }
}
