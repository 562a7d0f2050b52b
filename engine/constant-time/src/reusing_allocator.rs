//! An allocator that gives each key the address of the previous, freed key, so that traces can be compared.
//!
//! With the system's allocator, consecutive keys may have different addresses. This is not a leak, but every trace
//! would differ.

#![allow(unsafe_code, reason = "implements GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// Allocator that keeps freed blocks and reuses them, the lowest address first, for allocations of the same layout.
/// Equal sequences of allocations therefore get equal addresses, in whatever order earlier blocks were freed.
pub struct ReusingAllocator {
    kept: Mutex<[Option<(usize, Layout)>; MAX_KEPT_BLOCKS]>,
}

/// Maximum number of freed blocks to keep. The traced program `stepped` frees blocks of fewer different layouts.
const MAX_KEPT_BLOCKS: usize = 64;

impl ReusingAllocator {
    #[must_use]
    #[allow(clippy::new_without_default, reason = "a static needs a const function")]
    pub const fn new() -> Self {
        Self { kept: Mutex::new([None; MAX_KEPT_BLOCKS]) }
    }
}

// SAFETY: blocks come from the system's allocator. A kept block was freed with the same layout for which it is
// returned, and is removed from the list then.
unsafe impl GlobalAlloc for ReusingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let same_layout = kept.iter_mut().filter(|place| place.is_some_and(|(_, kept)| kept == layout));
        if let Some((address, _)) =
            same_layout.min_by_key(|place| place.map(|(address, _)| address)).and_then(Option::take)
        {
            return ptr::with_exposed_provenance_mut(address);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter_mut().find(|place| place.is_none()) {
            *place = Some((block.expose_provenance(), layout));
            return;
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}
