//! Data-independent timing (DIT) on AArch64, switched on for a scope.

#![allow(unsafe_code, reason = "a bit of the CPU's state is read and written")]

use core::marker::PhantomData;

/// A guard that switches data-independent timing on for this thread. While the guard lives, the instructions that the
/// engine uses take a time that does not depend on their data, if the CPU has Arm's `FEAT_DIT`.
///
/// No backend needs the guard on a core known today: AES, products and exclusive or take the same time for all data.
/// But Arm promises this only while DIT is on, and Apple's cores guess addresses from data unless it is on. Writing the
/// DIT register costs some tens of cycles, so no call of the engine does it. Use the guard for a thread that works with
/// keys, or for a batch of messages:
///
/// ```
/// use kasoku_engine::cpu::Dit;
///
/// let timing = Dit::scope();
/// // … seal and open …
/// println!("data-independent timing was promised: {}", timing.is_on());
/// ```
///
/// On a CPU without DIT the guard does nothing. On x86-64 only the operating system can request such timing (Intel's
/// DOITM).
#[derive(Debug)]
pub struct Dit {
    /// Previous value of the DIT register. `None` if the CPU does not have this register.
    before: Option<u64>,
    /// Keeps the guard on its thread, since each thread has its own DIT register.
    thread_bound: PhantomData<*const ()>,
}

impl Dit {
    /// Switches DIT on until the guard is dropped. Dropping the guard restores the previous state.
    #[must_use]
    pub fn scope() -> Self {
        Self { before: bit::set(), thread_bound: PhantomData }
    }

    /// Returns whether the CPU currently promises data-independent timing.
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

    /// Switches DIT on if the CPU has it, and returns the previous value of the DIT register.
    pub(super) fn set() -> Option<u64> {
        // SAFETY: the operating system says that the CPU has the register.
        detection::has_dit().then(|| unsafe { exchange(ON) })
    }

    pub(super) fn restore(before: u64) {
        // SAFETY: `before` was read from the register, so the register exists.
        unsafe { exchange(before) };
    }

    /// Mask of the bit DIT in the DIT register (Arm Architecture Reference Manual, C5.2.5).
    pub(super) const ON: u64 = 1 << 24;

    /// Writes the DIT register and returns its previous value. The compiler moves no memory access past this write.
    ///
    /// # Safety
    /// The CPU has the DIT register.
    pub(super) unsafe fn exchange(new: u64) -> u64 {
        let old;
        // SAFETY: the caller guarantees the register. The assembly names it by number, since assemblers accept the
        // name DIT only if the feature is enabled.
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
    fn dit_scope_is_on_if_the_cpu_has_dit() {
        let outer = Dit::scope();
        let is_on = outer.is_on();
        drop(Dit::scope());
        assert_eq!(Dit::scope().is_on(), is_on);
        #[cfg(target_arch = "aarch64")]
        assert_eq!(is_on, std::arch::is_aarch64_feature_detected!("dit"));
        #[cfg(not(target_arch = "aarch64"))]
        assert!(!is_on);
    }

    /// Restores the DIT register. (QEMU's CPU model `max` has this register without reporting the feature.)
    #[test]
    #[cfg(target_arch = "aarch64")]
    fn dit_scope_restores_the_previous_state() {
        let features: u64;
        const CPUID: u64 = 1 << 11;
        // SAFETY: Linux emulates the read of this register if HWCAP_CPUID is set.
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
        // SAFETY: ID_AA64PFR0_EL1 says that the CPU has the register DIT.
        let exchange = |new| unsafe { bit::exchange(new) };
        exchange(0);
        let guard = Dit { before: Some(exchange(bit::ON)), thread_bound: PhantomData };
        assert_eq!(exchange(bit::ON), bit::ON);
        let inner = Dit { before: Some(exchange(bit::ON)), thread_bound: PhantomData };
        drop(inner);
        assert_eq!(exchange(bit::ON), bit::ON);
        drop(guard);
        assert_eq!(exchange(0), 0);
        eprintln!("DIT was set and reset");
    }
}
