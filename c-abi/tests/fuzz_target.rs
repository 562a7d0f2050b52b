//! The fuzz targets' bodies over inputs made here, so that they are always checked, and known to build.

#[path = "../fuzz/bodies.rs"]
mod bodies;

/// SplitMix64 (Steele, Lea, Flood 2014): the same inputs in every run.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

#[test]
fn generated_inputs() {
    let mut generator = Generator(1);
    for number in 0..100_000 {
        let bytes: Vec<u8> = (0..number % 400).map(|_| generator.next() as u8).collect();
        bodies::boundary::run(&bytes);
        bodies::quic::run(&bytes);
    }
}
