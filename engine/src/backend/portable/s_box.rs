//! The S-box of AES as a circuit of AND and XOR gates on 64-bit words. Each bit of a word belongs to another byte.

/// Applies the S-box, without adding its constant 0x63, to 64 bytes. `bits` has the eight bits of the bytes, the least
/// significant bit first.
///
/// The constant passes through ShiftRows and MixColumns unchanged: a column of four equal bytes is mapped to itself,
/// since 2 + 3 + 1 + 1 = 1 in GF(2^8). So the next round key can contain the constant.
///
/// The circuit is that of Boyar and Peralta: "A new combinational logic minimization technique with applications to
/// cryptology" (SEA 2010, eprint 2009/191), in the form of 113 gates that they and Calik published as the straight-line
/// program SLP_AES_113. 32 gates are AND. Four gates are XNOR, and become XOR without the constant. A later circuit of
/// depth 16 (eprint 2011/332) has 128 gates; depth matters in hardware, but in software only the number of gates does.
/// The names `u`, `y`, `t` and `tc` are those of the program, so that the code can be checked line by line.
///
/// The circuit represents the field of 256 elements by pairs of 4-bit values (nibbles). The inverse of a pair is its
/// conjugate times the inverse of its norm, and the norm is a nibble. This takes three products of nibbles, one for the
/// norm and two for the result. Each product uses Karatsuba's method, with nine AND gates.
#[inline(always)]
pub(super) fn substitute(bits: [u64; 8]) -> [u64; 8] {
    let pair = split(bits);
    let norm = and(&pair.left, &pair.right);
    let inverse = invert_norm(&norm, &pair.linear);
    join(&and(&inverse, &pair.left), &and(&inverse, &pair.right))
}

/// Operands of the first AND gates of the S-box circuit, which are XOR sums of the bits of a byte. Each AND gate has
/// one operand in `left` and one in `right`.
struct Pair {
    /// Left factors of the nine AND gates that multiply two elements of GF(2^4) by Karatsuba's method: the bits y2, y4,
    /// y3 and y5 of Boyar and Peralta's circuit, and five XOR sums of these bits.
    left: [u64; 9],
    /// Right factors of the nine AND gates whose left factors are in `left`, in the same order: the bits y7, u7, y6 and
    /// y1 of the circuit, and five XOR sums of these bits.
    right: [u64; 9],
    /// The terms `y20 y19 y21 y18` of the byte's norm (see [`substitute`]). They are XOR sums of the byte's bits, since
    /// squaring is linear.
    linear: [u64; 4],
}

/// Computes the operands of the first AND gates from the bits of a byte. This is the top part of the S-box circuit, 23
/// gates.
#[inline(always)]
fn split(bits: [u64; 8]) -> Pair {
    let [u7, u6, u5, u4, u3, u2, u1, u0] = bits;
    let y14 = u3 ^ u5;
    let y13 = u0 ^ u6;
    let y9 = u0 ^ u3;
    let y8 = u0 ^ u5;
    let t0 = u1 ^ u2;
    let y1 = t0 ^ u7;
    let y4 = y1 ^ u3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ u0;
    let y5 = y1 ^ u6;
    let y3 = y5 ^ y8;
    let t1 = u4 ^ y12;
    let y15 = t1 ^ u5;
    let y20 = t1 ^ u1;
    let y6 = y15 ^ u7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = u7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = u0 ^ y16;
    Pair {
        left: [y12, y3, y4, y13, y5, y2, y9, y14, y8],
        right: [y15, y6, u7, y16, y1, y7, y11, y17, y10],
        linear: [y20, y19, y21, y18],
    }
}

/// Returns the AND of each pair of operands, which takes nine gates.
#[inline(always)]
fn and(a: &[u64; 9], b: &[u64; 9]) -> [u64; 9] {
    core::array::from_fn(|i| a[i] & b[i])
}

/// Computes the inverse of a byte's norm (see [`substitute`]). This is the middle part of the S-box circuit: 14 gates
/// compute the norm (`t21` to `t24`), and 21 gates compute its inverse. `products` are the ANDs of the operands in
/// [`Pair`]. Returns the nibble `t29 t33 t37 t40` and five XOR sums of its bits, in the order of the operands in
/// [`Pair`].
#[inline(always)]
fn invert_norm(products: &[u64; 9], linear: &[u64; 4]) -> [u64; 9] {
    let [t2, t3, t5, t7, t8, t10, t12, t13, t15] = *products;
    let [y20, y19, y21, y18] = *linear;
    let t14 = t13 ^ t12;
    let t16 = t15 ^ t12;
    let t21 = t3 ^ t2 ^ y20 ^ t14;
    let t22 = t5 ^ t2 ^ t16 ^ y19;
    let t23 = t8 ^ t7 ^ t14 ^ y21;
    let t24 = t10 ^ t7 ^ t16 ^ y18;

    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    [t44, t37, t33, t43, t40, t29, t42, t45, t41]
}

/// Converts the AND products `left` and `right` to the bits of the S-box's output, without the constant 0x63. This is
/// the bottom part of the S-box circuit, 28 gates. In the published program, `right` has the names `z0` to `z8`, and
/// `left` the names `z9` to `z17`.
#[inline(always)]
fn join(left: &[u64; 9], right: &[u64; 9]) -> [u64; 8] {
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8] = *right;
    let [z9, z10, z11, z12, z13, z14, z15, z16, z17] = *left;
    let tc1 = z15 ^ z16;
    let tc2 = z10 ^ tc1;
    let tc3 = z9 ^ tc2;
    let tc4 = z0 ^ z2;
    let tc5 = z1 ^ z0;
    let tc6 = z3 ^ z4;
    let tc7 = z12 ^ tc4;
    let tc8 = z7 ^ tc6;
    let tc9 = z8 ^ tc7;
    let tc10 = tc8 ^ tc9;
    let tc11 = tc6 ^ tc5;
    let tc12 = z3 ^ z5;
    let tc13 = z13 ^ tc1;
    let tc14 = tc4 ^ tc12;
    let s3 = tc3 ^ tc11;
    let tc16 = z6 ^ tc8;
    let tc17 = z14 ^ tc10;
    let tc18 = tc13 ^ tc14;
    let s7 = z12 ^ tc18;
    let tc20 = z15 ^ tc16;
    let tc21 = tc2 ^ z11;
    let s0 = tc3 ^ tc16;
    let s6 = tc10 ^ tc18;
    let s4 = tc14 ^ s3;
    let s1 = s3 ^ tc16;
    let tc26 = tc17 ^ tc20;
    let s2 = tc26 ^ z17;
    let s5 = tc21 ^ tc17;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}
