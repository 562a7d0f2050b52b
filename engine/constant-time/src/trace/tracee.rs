//! A child process that the tracer executes one instruction at a time with ptrace.

#![allow(unsafe_code, reason = "calls ptrace")]

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::instruction::Instruction;

pub(super) type Registers = libc::user_regs_struct;

pub(super) const MASKS: usize = 8;

/// The traced child process. It is killed when this value is dropped or when the tracer ends.
pub(super) struct Tracee {
    child: Child,
    memory: File,
    executable: String,
    masks_at: usize,
    code: HashMap<u64, u8>,
}

impl Tracee {
    /// Starts `program` and stops it before its first instruction.
    pub(super) fn start(program: &mut Command) -> io::Result<Self> {
        // SAFETY: between fork and exec there is a system call and nothing that allocates or locks.
        unsafe {
            program.pre_exec(|| check(libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0)));
        }
        stay_on_one_cpu()?;
        let child = program.spawn()?;
        let process = child.id();
        let memory = OpenOptions::new().read(true).write(true).open(format!("/proc/{process}/mem"))?;
        let executable = fs::read_link(format!("/proc/{process}/exe"))?.display().to_string();
        let mut tracee = Self { child, memory, executable, masks_at: masks_at(), code: HashMap::new() };
        tracee.wait()?;
        // SAFETY: the child is stopped at its exec and traced by this thread.
        check(unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, tracee.id(), 0, libc::PTRACE_O_EXITKILL) })?;
        Ok(tracee)
    }

    /// Runs the child process to its next breakpoint and returns the registers there. Returns `None` if the process
    /// ended with success.
    pub(super) fn run_to_breakpoint(&mut self) -> io::Result<Option<Registers>> {
        self.go_on(libc::PTRACE_CONT)?;
        if self.wait()? { Ok(Some(self.registers()?)) } else { Ok(None) }
    }

    /// Executes one instruction of the child process, and returns the registers after this instruction.
    pub(super) fn step(&mut self) -> io::Result<Registers> {
        self.go_on(libc::PTRACE_SINGLESTEP)?;
        if self.wait()? { self.registers() } else { Err(io::Error::other("the program ended inside a call")) }
    }

    /// Runs the child process to a breakpoint at one of the addresses `ends`, and returns the registers there.
    pub(super) fn run_to(&mut self, ends: &[u64]) -> io::Result<Registers> {
        const BREAKPOINT: u8 = 0xCC;
        let mut kept = [0_u8; 2];
        for (&end, kept) in ends.iter().zip(&mut kept) {
            *kept = self.byte(end)?;
            self.memory.write_all_at(&[BREAKPOINT], end)?;
        }
        self.go_on(libc::PTRACE_CONT)?;
        if !self.wait()? {
            return Err(io::Error::other("the program ended inside a call"));
        }
        for (&end, kept) in ends.iter().zip(&kept) {
            self.memory.write_all_at(&[*kept], end)?;
        }
        let mut registers = self.registers()?;
        registers.rip -= 1; // the breakpoint was executed
        if !ends.contains(&registers.rip) {
            return Err(io::Error::other(format!("stopped at {:#x} instead of {ends:#x?}", registers.rip)));
        }
        let place = offset_of!(libc::user, regs) + offset_of!(Registers, rip);
        // SAFETY: the child is stopped; `place` is the offset of the instruction pointer.
        check(unsafe { libc::ptrace(libc::PTRACE_POKEUSER, self.id(), place, registers.rip) })?;
        Ok(registers)
    }

    /// Reads eight bytes of the child process's memory.
    pub(super) fn word(&self, address: u64) -> io::Result<u64> {
        let mut word = [0; 8];
        self.memory.read_exact_at(&mut word, address)?;
        Ok(u64::from_le_bytes(word))
    }

    /// Reads a byte of the child process's code. Bytes of code are cached, because they do not change.
    fn byte(&mut self, address: u64) -> io::Result<u8> {
        if let Some(&known) = self.code.get(&address) {
            return Ok(known);
        }
        let mut byte = 0;
        self.memory.read_exact_at(std::slice::from_mut(&mut byte), address)?;
        self.code.insert(address, byte);
        Ok(byte)
    }

    pub(super) fn registers(&self) -> io::Result<Registers> {
        let mut registers = MaybeUninit::<Registers>::uninit();
        // SAFETY: the child is stopped; the kernel fills the structure, or fails.
        unsafe {
            check(libc::ptrace(libc::PTRACE_GETREGS, self.id(), 0, registers.as_mut_ptr()))?;
            Ok(registers.assume_init())
        }
    }

    pub(super) fn masks(&self) -> io::Result<[u64; MASKS]> {
        let mut state = vec![0_u8; 16 << 10];
        let mut all = libc::iovec { iov_base: state.as_mut_ptr().cast(), iov_len: state.len() };
        // SAFETY: the child is stopped; the kernel writes no more than the length that it is given.
        check(unsafe { libc::ptrace(libc::PTRACE_GETREGSET, self.id(), XSTATE, &raw mut all) })?;
        let bytes = state
            .get(self.masks_at..self.masks_at + 8 * MASKS)
            .filter(|_| self.masks_at > 0 && self.masks_at + 8 * MASKS <= all.iov_len)
            .ok_or_else(|| io::Error::other("the kernel keeps no mask registers"))?;
        let mut masks = [0; MASKS];
        for (mask, bytes) in masks.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *mask = u64::from_ne_bytes(*bytes);
        }
        Ok(masks)
    }

    pub(super) fn decode(&self, address: u64) -> io::Result<Instruction> {
        let mut bytes = [0; 15];
        let count = self.memory.read_at(&mut bytes, address)?;
        Instruction::decode(&bytes[..count], address)
    }

    /// Describes an address as a mapped file and an offset in this file, which is the format that symbolisers expect.
    pub(super) fn place(&self, address: u64) -> String {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.child.id())).unwrap_or_default();
        let mapped = maps.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (from, to) = words.next()?.split_once('-')?;
            let (from, to) = (u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?);
            let file = words.nth(4)?;
            (from..to).contains(&address).then(|| (file.to_owned(), from))
        });
        let Some((file, _)) = mapped else { return format!("{address:#x}") };
        // Symbols are relative to the first mapping of the file.
        let base = maps
            .lines()
            .find(|line| line.ends_with(&file))
            .and_then(|line| u64::from_str_radix(line.split_once('-')?.0, 16).ok())
            .unwrap_or(0);
        let name = if file == self.executable { "the program" } else { file.rsplit('/').next().unwrap_or(&file) };
        format!("{name} + {:#x}", address - base)
    }

    fn id(&self) -> libc::pid_t {
        self.child.id() as libc::pid_t
    }

    fn go_on(&self, how: libc::c_uint) -> io::Result<()> {
        // SAFETY: the child is stopped and traced by this thread; no signal is handed on.
        check(unsafe { libc::ptrace(how, self.id(), 0, 0) })
    }

    /// Waits until the child process reaches a breakpoint or has executed a step. Returns `false` if the process ended
    /// with success.
    fn wait(&mut self) -> io::Result<bool> {
        let mut status = 0;
        // SAFETY: the pointer is to a live local variable.
        if unsafe { libc::waitpid(self.id(), &raw mut status, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP {
            return Ok(true);
        }
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
            return Ok(false);
        }
        Err(io::Error::other(format!("the stepped program stopped or ended with wait status {status:#x}")))
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        // Both calls fail if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Identifier that ptrace has for the extended state (`NT_X86_XSTATE`), which contains the mask registers.
const XSTATE: usize = 0x202;

/// Returns the offset in bytes of the mask registers in the extended state, or zero if this CPU has no mask registers.
fn masks_at() -> usize {
    const MASK_STATE: u32 = 5;
    if std::arch::is_x86_feature_detected!("avx512f") {
        core::arch::x86_64::__cpuid_count(0xD, MASK_STATE).ebx as usize
    } else {
        0
    }
}

/// Keeps this thread and its child process on one CPU core, because waking another core takes longer than a step.
/// Consecutive calls choose different cores.
fn stay_on_one_cpu() -> io::Result<()> {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the sets are plain bits, and the calls read or write no other memory.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        check(libc::sched_getaffinity(0, size_of_val(&allowed), &raw mut allowed).into())?;
        let cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &allowed)).collect();
        let Some(&cpu) = cpus.get(STARTED.fetch_add(1, Ordering::Relaxed) % cpus.len().max(1)) else { return Ok(()) };
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut one);
        check(libc::sched_setaffinity(0, size_of_val(&one), &raw const one).into())
    }
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
