//! Macros shared by the kernels for x86-64 and AArch64.

/// Calls a CPU intrinsic in a method of a vector type.
macro_rules! intrinsic {
    ($call:expr) => {
        // SAFETY: a vector requires a proof or another vector, and a proof exists only if the CPU has the features.
        unsafe { $call }
    };
}

/// Repeats a block of code without a loop, for `$index` from 0 up to `$count`. `$count` is at most 9; `of N` sets
/// another maximum. (LLVM would leave some such loops rolled, and then keep their vectors in memory.)
macro_rules! unroll {
    ($index:ident < $count:expr, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7 8)
    };
    ($index:ident < $count:expr, of 4, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3)
    };
    ($index:ident < $count:expr, of 8, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7)
    };
    ($index:ident < $count:expr, of 13, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12)
    };
    ($index:ident < $count:expr, of 14, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
    };
    ($index:ident < $count:expr, of 17, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    (@ $index:ident < $count:expr, $body:block, $($literal:literal)*) => {{
        $({
            const INDEX: usize = $literal;
            #[allow(unused_variables)]
            let $index = INDEX;
            if $index < $count $body
        })*
    }};
}
