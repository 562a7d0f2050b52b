//! Data-independent timing (DIT), which AArch64 can be told to keep.

#![allow(unsafe_code, reason = "a bit of the CPU's state is read and written")]

use core::marker::PhantomData;

/// While it lives, this thread's instructions of the kinds that the engine uses take a time that does not depend on
/// their data, if the CPU can promise that (Arm's `FEAT_DIT`).
///
/// No backend needs it on a core known today: AES, products and exclusive or take the same time for all data. But Arm
/// promises so only while DIT is on, and Apple's cores guess addresses from data unless it is. Writing it costs some
/// tens of cycles, so no call of the engine does; it is for a thread that works with keys, or for a batch of messages:
///
/// ```
/// use kasoku_engine::cpu::Dit;
///
/// let timing = Dit::scope();
/// // … seal and open …
/// println!("data-independent timing was promised: {}", timing.is_on());
/// ```
///
/// Without such a bit nothing happens. On x86-64 only the operating system can request the same (Intel's DOITM).
#[derive(Debug)]
pub struct Dit {
    /// The bit's previous state; none if there is no such bit.
    before: Option<u64>,
    /// The bit belongs to the thread.
    of_thread: PhantomData<*const ()>,
}

impl Dit {
    /// Switches it on until the guard is dropped, which restores the previous state.
    #[must_use]
    pub fn scope() -> Self {
        Self { before: bit::set(), of_thread: PhantomData }
    }

    /// Whether the CPU keeps it now.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.before.is_some()
    }
}

impl Drop for Dit {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            bit::restore(before);
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod bit {
    use core::arch::asm;

    use crate::cpu::detection;

    /// Sets it, if there is one; returns its previous state.
    pub(super) fn set() -> Option<u64> {
        // SAFETY: the operating system says that the CPU has the register.
        detection::has_dit().then(|| unsafe { exchange(ON) })
    }

    /// Restores it.
    pub(super) fn restore(before: u64) {
        // SAFETY: what it was before was read from the register.
        unsafe { exchange(before) };
    }

    /// The bit in the register DIT (Arm Architecture Reference Manual, C5.2.5).
    pub(super) const ON: u64 = 1 << 24;

    /// Writes the register DIT; returns its previous value. Memory counts as written, so that nothing is moved past it.
    ///
    /// # Safety
    /// The CPU has it.
    pub(super) unsafe fn exchange(new: u64) -> u64 {
        let old;
        // SAFETY: the caller's; by its number, since assemblers want to be told of its name.
        unsafe {
            asm!(
                "mrs {old}, s3_3_c4_c2_5",
                "msr s3_3_c4_c2_5, {new}",
                old = out(reg) old, new = in(reg) new,
                options(nostack, preserves_flags),
            );
        }
        old
    }
}

#[cfg(not(target_arch = "aarch64"))]
mod bit {
    pub(super) fn set() -> Option<u64> {
        None
    }

    pub(super) fn restore(_: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_on_where_there_is_one() {
        let outer = Dit::scope();
        let is_on = outer.is_on();
        drop(Dit::scope());
        assert_eq!(Dit::scope().is_on(), is_on);
        #[cfg(target_arch = "aarch64")]
        assert_eq!(is_on, std::arch::is_aarch64_feature_detected!("dit"));
        #[cfg(not(target_arch = "aarch64"))]
        assert!(!is_on);
    }

    /// The emulator's widest CPU has the bit, though it does not say so where programs look.
    #[test]
    #[cfg(target_arch = "aarch64")]
    fn it_is_set_in_its_scope_and_as_before_behind_it() {
        let features: u64;
        const CPUID: u64 = 1 << 11;
        // SAFETY: Linux answers for the register where it says so.
        unsafe {
            if libc::getauxval(libc::AT_HWCAP) & CPUID == 0 {
                return;
            }
            core::arch::asm!("mrs {}, id_aa64pfr0_el1", out(reg) features, options(nomem, nostack));
        }
        if features >> 48 & 0xF == 0 {
            eprintln!("left out: this CPU has no DIT");
            return;
        }
        // SAFETY: the CPU has the register, says the other one.
        let exchange = |new| unsafe { bit::exchange(new) };
        exchange(0);
        let guard = Dit { before: Some(exchange(bit::ON)), of_thread: PhantomData };
        assert_eq!(exchange(bit::ON), bit::ON);
        let inner = Dit { before: Some(exchange(bit::ON)), of_thread: PhantomData };
        drop(inner);
        assert_eq!(exchange(bit::ON), bit::ON);
        drop(guard);
        assert_eq!(exchange(0), 0);
        eprintln!("DIT was set and reset");
    }
}
