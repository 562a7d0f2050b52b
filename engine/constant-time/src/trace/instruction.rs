//! Decodes x86-64 instructions: which memory they access, and where execution continues.

use std::io;

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

use super::tracee::{MASKS, Registers};

/// Maximum width of the registers that an AES instruction uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AesWidth {
    #[default]
    None,
    Xmm,
    Ymm,
    Zmm,
}

pub(super) struct Instruction {
    mnemonic: Mnemonic,
    mask: Register,
    aes_width: AesWidth,
    touched: Vec<UsedMemory>,
    written: Vec<Register>,
    next_address: NextAddress,
    stack_change: i64,
    next: u64,
    calls: bool,
}

/// Address at which execution continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextAddress {
    /// The address of the next instruction in memory, or the only target of a jump or call.
    At(u64),
    /// The target of a conditional branch, or the following instruction.
    Either([u64; 2]),
    /// An address that is stored in memory. Contains the address of this memory.
    InMemory(u64),
    /// The return address on top of the stack.
    Return,
    Unknown,
}

impl Instruction {
    /// Decodes the instruction at the beginning of `bytes`, whose address is `address`.
    pub(super) fn decode(bytes: &[u8], address: u64) -> io::Result<Self> {
        let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        if instruction.is_invalid() {
            return Err(io::Error::other(format!("no instruction is known at {address:#x}")));
        }
        // The addresses of a gather are in a vector. A gather would be a table look-up; no backend has one.
        if instruction.is_vsib() {
            return Err(io::Error::other(format!("a gather or scatter at {address:#x}, whose addresses are not read")));
        }
        let mnemonic = instruction.mnemonic();
        let is_aes = matches!(mnemonic, Mnemonic::Aesenc | Mnemonic::Vaesenc);
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(&instruction);
        // These instructions have a memory operand, but do not access it.
        let touched = if matches!(mnemonic, Mnemonic::Lea | Mnemonic::Nop | Mnemonic::Endbr64) {
            Vec::new()
        } else {
            let mut touched = info.used_memory().to_vec();
            if touched.is_empty() && instruction.op_kinds().any(|kind| kind == OpKind::Memory) {
                touched.push(prefetched_operand(&instruction));
            }
            touched
        };
        let stack_change = stack_change(&instruction);
        let written = info
            .used_registers()
            .iter()
            .filter(|used| !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::None))
            .map(|used| used.register().full_register())
            .filter(|&register| register != Register::RSP || stack_change.is_none())
            .collect();
        // AVX's masked moves have the mask in a vector, which is not read.
        if matches!(
            mnemonic,
            Mnemonic::Vmaskmovps
                | Mnemonic::Vmaskmovpd
                | Mnemonic::Vpmaskmovd
                | Mnemonic::Vpmaskmovq
                | Mnemonic::Maskmovdqu
                | Mnemonic::Vmaskmovdqu
                | Mnemonic::Maskmovq
        ) {
            return Err(io::Error::other(format!(
                "a move under a mask in a vector at {address:#x}, which is not read"
            )));
        }
        let mask = if touched.is_empty() { Register::None } else { instruction.op_mask() };
        let register = instruction.op0_register();
        let aes_width = match (is_aes, register.is_zmm(), register.is_ymm()) {
            (false, ..) => AesWidth::None,
            (_, true, _) => AesWidth::Zmm,
            (_, _, true) => AesWidth::Ymm,
            _ => AesWidth::Xmm,
        };
        let next_address = next_address(&instruction);
        let stack_change = stack_change.unwrap_or(0);
        let next = instruction.next_ip();
        let calls = mnemonic == Mnemonic::Call;
        Ok(Self { mnemonic, mask, aes_width, touched, written, next_address, stack_change, next, calls })
    }

    pub(super) fn name(&self) -> String {
        format!("{:?}", self.mnemonic).to_lowercase()
    }

    pub(super) fn is_breakpoint(&self) -> bool {
        self.mnemonic == Mnemonic::Int3
    }

    pub(super) fn aes_width(&self) -> AesWidth {
        self.aes_width
    }

    pub(super) fn next_address(&self) -> NextAddress {
        self.next_address
    }

    /// Returns the address of the instruction that follows in memory.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn calls(&self) -> bool {
        self.calls
    }

    /// Returns the registers that the instruction writes. Excludes the stack pointer if the instruction changes it by a
    /// constant.
    pub(super) fn written(&self) -> impl Iterator<Item = Register> {
        self.written.iter().copied()
    }

    /// Returns the number of bytes that the instruction adds to the stack pointer, or zero if this number is not
    /// constant.
    pub(super) fn stack_change(&self) -> i64 {
        self.stack_change
    }

    /// Returns the registers from which the addresses and element masks of memory operands are computed.
    pub(super) fn address_registers(&self) -> impl Iterator<Item = Register> {
        let of_memory = self.touched.iter().flat_map(|memory| [memory.base(), memory.index(), memory.segment()]);
        of_memory.chain([self.mask]).map(Register::full_register)
    }

    /// Returns whether a mask register selects the elements of the instruction's memory operand.
    pub(super) fn has_mask(&self) -> bool {
        self.mask != Register::None
    }

    /// Returns address and element mask of each memory operand. The mask is the value of the mask register that selects
    /// elements, or all ones without such a register. `stack` is added to the stack pointer.
    pub(super) fn touched(
        &self,
        registers: &Registers,
        stack: i64,
        masks: Option<&[u64; MASKS]>,
    ) -> impl Iterator<Item = io::Result<(u64, u64)>> {
        let mask = match masks {
            Some(masks) if self.has_mask() => masks[self.mask.number() % MASKS],
            _ => u64::MAX,
        };
        self.touched.iter().map(move |memory| {
            let address = memory.virtual_address(0, |register, _, _| {
                let moved = if register == Register::RSP { stack as u64 } else { 0 };
                value(register, registers).map(|value| value.wrapping_add(moved))
            });
            address.map(|address| (address, mask)).ok_or_else(|| {
                io::Error::other(format!("the address {memory:?} of {:?} cannot be computed", self.mnemonic))
            })
        })
    }
}

/// Returns the memory operand of a prefetch instruction. A prefetch neither reads nor writes memory for the program,
/// but its address is visible in the cache.
fn prefetched_operand(instruction: &iced_x86::Instruction) -> UsedMemory {
    // A displacement relative to RIP already is an address.
    let base = if instruction.is_ip_rel_memory_operand() { Register::None } else { instruction.memory_base() };
    UsedMemory::new(
        instruction.memory_segment(),
        base,
        instruction.memory_index(),
        instruction.memory_index_scale(),
        instruction.memory_displacement64(),
        instruction.memory_size(),
        OpAccess::Read,
    )
}

fn next_address(instruction: &iced_x86::Instruction) -> NextAddress {
    let is_near = instruction.op0_kind() == OpKind::NearBranch64;
    match instruction.flow_control() {
        FlowControl::Next if !instruction.has_rep_prefix() && !instruction.has_repne_prefix() => {
            NextAddress::At(instruction.next_ip())
        }
        FlowControl::UnconditionalBranch | FlowControl::Call if is_near => {
            NextAddress::At(instruction.near_branch_target())
        }
        FlowControl::ConditionalBranch if is_near => {
            NextAddress::Either([instruction.near_branch_target(), instruction.next_ip()])
        }
        FlowControl::IndirectBranch | FlowControl::IndirectCall if instruction.is_ip_rel_memory_operand() => {
            NextAddress::InMemory(instruction.ip_rel_memory_address())
        }
        FlowControl::Return if instruction.mnemonic() == Mnemonic::Ret && instruction.op_count() == 0 => {
            NextAddress::Return
        }
        _ => NextAddress::Unknown,
    }
}

/// Returns the number of bytes that an instruction adds to the stack pointer, or `None` if this number depends on
/// values at run time.
fn stack_change(instruction: &iced_x86::Instruction) -> Option<i64> {
    let is_of_stack_pointer = instruction.op0_register() == Register::RSP
        && instruction.op_count() == 2
        && is_immediate(instruction.op1_kind());
    match instruction.mnemonic() {
        Mnemonic::Sub if is_of_stack_pointer => Some((instruction.immediate(1) as i64).wrapping_neg()),
        Mnemonic::Add if is_of_stack_pointer => Some(instruction.immediate(1) as i64),
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call if instruction.op0_register() != Register::RSP => {
            Some(i64::from(instruction.stack_pointer_increment()))
        }
        Mnemonic::Ret if instruction.op_count() == 0 => Some(8),
        _ => None,
    }
}

fn is_immediate(kind: OpKind) -> bool {
    matches!(kind, OpKind::Immediate8to64 | OpKind::Immediate32to64)
}

/// Returns the value of a register from which an address is computed.
fn value(register: Register, registers: &Registers) -> Option<u64> {
    let whole = match register.full_register() {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RBP => registers.rbp,
        Register::RSP => registers.rsp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::FS => registers.fs_base,
        Register::GS => registers.gs_base,
        // These segments have base zero in 64-bit mode.
        Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    };
    Some(if register.is_gpr32() { u64::from(whole as u32) } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(bytes: &[u8], registers: &Registers, masks: Option<&[u64; MASKS]>) -> Vec<(u64, u64)> {
        Instruction::decode(bytes, 0x1000).unwrap().touched(registers, 0, masks).collect::<io::Result<_>>().unwrap()
    }

    fn registers() -> Registers {
        // SAFETY: plain integers.
        #[allow(unsafe_code)]
        let mut registers: Registers = unsafe { std::mem::zeroed() };
        (registers.rax, registers.rdx, registers.rsp, registers.fs_base) = (0x5000, 3, 0x7000, 0x9000);
        registers
    }

    #[test]
    fn touched_returns_addresses_of_memory_operands() {
        let registers = registers();
        // movzx eax, byte [rax + rdx*4 + 0x10]
        assert_eq!(touched(&[0x0F, 0xB6, 0x44, 0x90, 0x10], &registers, None), [(0x501C, u64::MAX)]);
        // mov rax, fs:[0x28]
        assert_eq!(touched(&[0x64, 0x48, 0x8B, 4, 0x25, 0x28, 0, 0, 0], &registers, None), [(0x9028, u64::MAX)]);
        // push rax
        assert_eq!(touched(&[0x50], &registers, None), [(0x6FF8, u64::MAX)]);
        // mov rax, [rip + 0x20]
        assert_eq!(touched(&[0x48, 0x8B, 5, 0x20, 0, 0, 0], &registers, None), [(0x1027, u64::MAX)]);
        // lea rax, [rdx]: touches nothing
        assert_eq!(touched(&[0x48, 0x8D, 2], &registers, None), []);
        // prefetcht0 [rax]: brings a line into the cache, which can be seen
        assert_eq!(touched(&[0x0F, 0x18, 8], &registers, None), [(0x5000, u64::MAX)]);
    }

    #[test]
    fn touched_returns_value_of_mask_register_for_masked_load() {
        // vmovdqu8 zmm0{k1}{z}, [rax]
        let bytes = [0x62, 0xF1, 0x7F, 0xC9, 0x6F, 0];
        let mut masks = [0; MASKS];
        masks[1] = 0xFF;
        assert!(Instruction::decode(&bytes, 0).unwrap().has_mask());
        assert_eq!(touched(&bytes, &registers(), Some(&masks)), [(0x5000, 0xFF)]);
    }

    #[test]
    fn decode_rejects_gathers_vector_masks_and_invalid_code() {
        // vpgatherdd ymm0, [rax + ymm1*4], ymm2; vpmaskmovd ymm0, ymm1, [rax]
        assert!(Instruction::decode(&[0xC4, 0xE2, 0x6D, 0x90, 4, 0x88], 0).is_err());
        assert!(Instruction::decode(&[0xC4, 0xE2, 0x75, 0x8C, 0], 0).is_err());
        assert!(Instruction::decode(&[0x06], 0).is_err());
    }

    #[test]
    fn decode_recognises_width_of_aes_instructions() {
        // aesenc xmm0, xmm1; vaesenc ymm0, ymm1, ymm2; vaesenc zmm0, zmm1, zmm2
        let width = |bytes: &[u8]| Instruction::decode(bytes, 0).unwrap().aes_width();
        assert_eq!(width(&[0x66, 0x0F, 0x38, 0xDC, 0xC1]), AesWidth::Xmm);
        assert_eq!(width(&[0xC4, 0xE2, 0x75, 0xDC, 0xC2]), AesWidth::Ymm);
        assert_eq!(width(&[0x62, 0xF2, 0x75, 0x48, 0xDC, 0xC2]), AesWidth::Zmm);
        assert_eq!(width(&[0x90]), AesWidth::None);
    }
}
