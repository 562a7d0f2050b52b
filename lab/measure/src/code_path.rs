//! Observes which code path a library takes, from the instructions that it executes.
//!
//! A timer interrupts the library some thousand times a second and notes the address of the interrupted instruction.
//! The library certainly executes the machine code from there to the next jump, whatever it says of itself. These
//! instructions name the code path. Nothing is guessed across a jump, so a neighbouring routine is never counted. On
//! x86-64, some samples are also single-stepped through the next instructions and jumps.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "elsewhere nothing is sampled yet"))]

#[cfg(any(target_arch = "aarch64", test))]
mod aarch64;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod sampling;
#[cfg(any(target_arch = "x86_64", test))]
mod x86_64;

use std::collections::BTreeMap;
use std::time::Duration;

use kasoku_model::code_path::{Class, Family, UNKNOWN};

/// Whether to single-step the instructions after some of the samples. Each single-stepped instruction costs a trap of
/// some microseconds. It is meant for short messages: an interrupt seldom meets their few cryptographic instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleStepping {
    Sampled,
    Off,
}

/// Calls `run` repeatedly on this thread for at least `duration`, and returns the name of its code path.
///
/// The name joins the cryptographic instructions by `+` (`vaes512+vclmul512`, `aesni`, `sha-ni`, `armv8-aes+pmull`…).
/// Without any, it is the widest vector instructions with a notable share of the samples (`avx2`, `ssse3`, `neon`…).
/// Otherwise it is `adx` or `bmi2` for big-number arithmetic, else `scalar`.
///
/// The name is [`UNKNOWN`] if there are too few samples: on other systems than Linux, on other CPUs than x86-64 and
/// AArch64, under an emulator, or with a closed `/proc`.
///
/// Two milliseconds are enough. Slow traps or a busy machine extend the observation to at most twenty times `duration`.
pub fn observe<E>(
    mut run: impl FnMut() -> Result<(), E>,
    duration: Duration,
    following: SingleStepping,
) -> Result<String, E> {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        #[cfg(target_arch = "x86_64")]
        use x86_64::decode_block;

        #[cfg(target_arch = "aarch64")]
        use aarch64::decode_block;

        if crate::machine::is_emulated() {
            run()?;
            return Ok(UNKNOWN.to_owned());
        }
        let samples = sampling::samples(sampling::Interval::USUAL, &mut run, duration, following)?;
        Ok(name_path(
            samples.iter().map(|sample| (sample.address, &sample.followed[..])),
            &sampling::code(),
            &decode_block,
        ))
    }
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    {
        let _ = (duration, following);
        run()?;
        Ok(UNKNOWN.to_owned())
    }
}

/// Minimum number of samples in readable code.
const MIN_SAMPLES: usize = 8;

/// Minimum share of the samples near which a group of cryptographic instructions (such as AES) must run to name the
/// path. It is small because messages of one block spend most of their time in other code than the cipher.
const MIN_SHARE: f64 = 0.02;

/// Minimum number of samples with cryptographic instructions. A single one may come from a key expansion or a random
/// number generator.
const MIN_HITS: usize = 2;

/// Minimum share that the widest instructions of a group (such as AES) must have within the group to name it. The last
/// blocks of a message often use narrower instructions, but wide ones never occur by chance.
const MIN_SHARE_OF_FAMILY: f64 = 0.10;

/// Minimum share of the executed instructions that vector instructions must have to name the code path. The share of a
/// scalar cipher is below this minimum: it only copies buffers or clears registers with vector instructions. OpenSSL's
/// AVX2 SHA-256, whose rounds are scalar, is above it with 9 %, and so counts as AVX2.
const MIN_VECTOR_SHARE: f64 = 0.05;

/// Minimum share that the widest vector instructions must have of all vector instructions to name the path.
const MIN_SHARE_OF_VECTOR: f64 = 0.10;

const MAX_BYTES: u64 = 8192;

/// Maximum length of an instruction in bytes (x86: 15).
const MAX_INSTRUCTION: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    /// Address of the next instruction in memory.
    end: u64,
    /// Class of the instruction; `None` if the instruction does not matter for the code path.
    class: Option<Class>,
    /// Whether execution may continue elsewhere than at `end`. This is false for calls, since they return.
    leaves: bool,
    target: Option<u64>,
}

/// Reads code at an address into a buffer, and returns the number of bytes read.
type ReadCode<'a> = dyn Fn(u64, &mut [u8]) -> usize + 'a;

/// Decodes instructions from an address up to and including the first jump or return.
type DecodeBlock<'a> = dyn Fn(&[u8], u64) -> Vec<Instruction> + 'a;

/// Names the code path from samples. Each holds the address of an interrupt and the addresses of the single-stepped
/// instructions after it.
fn name_path<'a>(
    samples: impl Iterator<Item = (u64, &'a [u64])>,
    code: &ReadCode,
    decode_block: &DecodeBlock,
) -> String {
    let mut hits = BTreeMap::<Class, usize>::new();
    let mut shares = BTreeMap::<Class, f64>::new();
    let mut count = 0_usize;
    let mut blocks = BTreeMap::<u64, Vec<Option<Class>>>::new();
    let mut steps = BTreeMap::<u64, Option<Class>>::new();
    for (address, followed) in samples {
        let classes = if followed.is_empty() {
            blocks.entry(address).or_insert_with(|| executed_classes(address, code, decode_block)).clone()
        } else {
            let mut class = |&step: &u64| *steps.entry(step).or_insert_with(|| class_at(step, code, decode_block));
            followed.iter().map(&mut class).collect()
        };
        if classes.is_empty() {
            continue;
        }
        count += 1;
        let mut nearest = BTreeMap::<Family, Class>::new();
        for class in classes.iter().copied().flatten() {
            nearest.entry(class.family()).or_insert(class);
            *shares.entry(class).or_default() += 1.0 / classes.len() as f64;
        }
        for class in nearest.into_values() {
            *hits.entry(class).or_default() += 1;
        }
    }
    if count < MIN_SAMPLES {
        return UNKNOWN.to_owned();
    }

    let widest = |family: Family| {
        let members = || hits.iter().filter(|(class, _)| class.family() == family);
        let total: usize = members().map(|(_, &hits)| hits).sum();
        if total < MIN_HITS || (total as f64) < count as f64 * MIN_SHARE {
            return None;
        }
        members().find(|&(_, &hits)| hits as f64 >= total as f64 * MIN_SHARE_OF_FAMILY).map(|(class, _)| class.name())
    };
    let cryptographic: Vec<&str> =
        [Family::Aes, Family::Clmul, Family::Sha, Family::Gfni].into_iter().filter_map(widest).collect();
    if !cryptographic.is_empty() {
        return cryptographic.join("+");
    }

    let vector = || shares.iter().filter(|(class, _)| class.family() == Family::Vector);
    let total: f64 = vector().map(|(_, share)| share).sum();
    if total >= count as f64 * MIN_VECTOR_SHARE {
        // Classes are ordered by width, the widest first.
        if let Some((class, _)) = vector().find(|&(_, &share)| share >= total * MIN_SHARE_OF_VECTOR) {
            return class.name().to_owned();
        }
    }
    widest(Family::Integer).unwrap_or("scalar").to_owned()
}

/// Returns the classes of the instructions from `address` up to the next jump. If that jump closes a loop without
/// another jump, adds the part of the loop before `address`. Returns none if the code cannot be read.
fn executed_classes(address: u64, code: &ReadCode, decode_block: &DecodeBlock) -> Vec<Option<Class>> {
    let mut instructions = decode_block(&read(address, MAX_BYTES, code), address);
    let jump = instructions.last().and_then(|instruction| instruction.target);
    if let Some(start) = jump.filter(|&start| start < address && address - start <= MAX_BYTES) {
        let before = decode_block(&read(start, address - start, code), start);
        let is_whole = before.last().is_some_and(|instruction| instruction.end == address && !instruction.leaves);
        if is_whole {
            instructions.extend(before);
        }
    }
    instructions.into_iter().map(|instruction| instruction.class).collect()
}

fn class_at(address: u64, code: &ReadCode, decode_block: &DecodeBlock) -> Option<Class> {
    decode_block(&read(address, MAX_INSTRUCTION, code), address).first()?.class
}

fn read(from: u64, length: u64, code: &ReadCode) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let had = code(from, &mut bytes);
    bytes.truncate(had);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 0x40_0000;

    /// Names the code path of samples at `offsets` into the x86-64 code `bytes`.
    fn code_path_of(bytes: &[u8], offsets: &[u64]) -> String {
        let code = |address: u64, buffer: &mut [u8]| {
            let Some(rest) = address.checked_sub(BASE).and_then(|offset| bytes.get(offset as usize..)) else {
                return 0;
            };
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            length
        };
        name_path(offsets.iter().map(|offset| (BASE + offset, &[][..])), &code, &x86_64::decode_block)
    }

    const AESENC: [u8; 5] = [0x66, 0x0f, 0x38, 0xdc, 0xc1]; // aesenc xmm0, xmm1
    const PCLMULQDQ: [u8; 6] = [0x66, 0x0f, 0x3a, 0x44, 0xc1, 0x00]; // pclmulqdq xmm0, xmm1, 0
    const VAESENC_ZMM: [u8; 6] = [0x62, 0xf2, 0x7d, 0x48, 0xdc, 0xc1]; // vaesenc zmm0, zmm0, zmm1
    const VMOVDQU64_ZMM: [u8; 6] = [0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06]; // vmovdqu64 zmm0, [rsi]
    const VPADDD_ZMM: [u8; 6] = [0x62, 0xf1, 0x7d, 0x48, 0xfe, 0xc1]; // vpaddd zmm0, zmm0, zmm1
    const VPXOR_SAME: [u8; 4] = [0xc5, 0xfd, 0xef, 0xc0]; // vpxor ymm0, ymm0, ymm0
    const PSHUFB: [u8; 5] = [0x66, 0x0f, 0x38, 0x00, 0xc1]; // pshufb xmm0, xmm1
    const PXOR: [u8; 4] = [0x66, 0x0f, 0xef, 0xc1]; // pxor xmm0, xmm1
    const ROL: [u8; 3] = [0xc1, 0xc0, 0x05]; // rol eax, 5
    const MULX: [u8; 5] = [0xc4, 0xe2, 0xfb, 0xf6, 0xc1]; // mulx rax, rax, rcx
    const ADCX: [u8; 6] = [0x66, 0x48, 0x0f, 0x38, 0xf6, 0xc1]; // adcx rax, rcx
    const RET: [u8; 1] = [0xc3];
    const NEVER_RETURNS: [u8; 2] = [0x0f, 0x0b]; // ud2

    fn looped(body: &[u8]) -> Vec<u8> {
        let back = -(body.len() as i8 + 2);
        [body, &[0x75, back as u8]].concat()
    }

    #[test]
    fn path_is_unknown_below_eight_samples() {
        let code = looped(&AESENC);
        assert_eq!(code_path_of(&code, &[0; 7]), UNKNOWN);
        assert_eq!(code_path_of(&code, &[0; 8]), "aesni");
        assert_eq!(code_path_of(&code, &[0x1000; 100]), UNKNOWN); // not readable
    }

    #[test]
    fn sample_in_a_loop_counts_the_whole_loop() {
        let code = looped(&[&AESENC[..], &PCLMULQDQ, &ROL, &ROL].concat());
        for offset in [0, 5, 11, 14, 17] {
            assert_eq!(code_path_of(&code, &[offset; 10]), "aesni+clmul", "from {offset}");
        }
    }

    #[test]
    fn code_after_a_call_counts_but_not_after_a_jump_or_return() {
        for end in [&RET[..], &NEVER_RETURNS, &[0xcc], &[0xeb, 0x10], &[0x74, 0x10], &[0xff, 0xe0]] {
            let code = [&ROL, end, &AESENC, &AESENC, &RET].concat();
            assert_eq!(code_path_of(&code, &[0; 100]), "scalar", "after {end:02x?}");
        }
        let code = [&ROL[..], &[0xe8, 0, 0, 0, 0], &AESENC, &RET].concat();
        assert_eq!(code_path_of(&code, &[0; 10]), "aesni");
    }

    #[test]
    fn in_a_loop_with_an_inner_jump_only_instructions_after_the_sampled_one_count() {
        // The AES instruction may be jumped over, and no sample is on it.
        let code = looped(&[&ROL[..], &[0x74, 0x05], &AESENC, &ROL].concat());
        assert_eq!(code_path_of(&code, &[10; 20]), "scalar");
        assert_eq!(code_path_of(&code, &[5; 20]), "aesni");
    }

    #[test]
    fn single_aes_sample_does_not_name_the_path() {
        let code = [&looped(&ROL)[..], &AESENC, &RET].concat();
        let mut offsets = vec![0; 99];
        offsets.push(5);
        assert_eq!(code_path_of(&code, &offsets), "scalar");
        offsets.extend([5; 2]);
        assert_eq!(code_path_of(&code, &offsets), "aesni");
    }

    #[test]
    fn code_path_has_the_widest_instructions_with_a_tenth_of_the_samples() {
        let code = [looped(&VAESENC_ZMM), looped(&AESENC)].concat();
        assert_eq!(code_path_of(&code, &[[0; 30], [8; 30]].concat()), "vaes512");
        assert_eq!(code_path_of(&code, &[vec![0; 4], vec![8; 30]].concat()), "vaes512");
        assert_eq!(code_path_of(&code, &[vec![0; 1], vec![8; 30]].concat()), "aesni");
    }

    #[test]
    fn vector_moves_and_clears_do_not_count_as_arithmetic() {
        let copy = looped(&[&VMOVDQU64_ZMM[..], &VPXOR_SAME, &ROL].concat());
        assert_eq!(code_path_of(&copy, &[0; 20]), "scalar");
        assert_eq!(code_path_of(&looped(&VPADDD_ZMM), &[0; 20]), "avx512");
    }

    #[test]
    fn few_vector_instructions_do_not_name_the_path() {
        for (body, expected) in [
            ([&ROL.repeat(38)[..], &PXOR].concat(), "scalar"),
            ([&PXOR.repeat(3)[..], &PSHUFB].concat(), "ssse3"),
            ([&PXOR.repeat(20)[..], &PSHUFB].concat(), "sse2"),
            ([&MULX[..], &ROL].concat(), "bmi2"),
            ([&ADCX[..], &MULX].concat(), "adx"),
        ] {
            assert_eq!(code_path_of(&looped(&body), &[0; 20]), expected, "{body:02x?}");
        }
    }
}
