//! Documents with figures that other programs printed: a device of a published table, and a machine of a transcript.

use kasoku_model::acceleration::Acceleration::{self, Off, On};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::document::{Document, Machine, Origin, OriginKind, Run, SCHEMA, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::workload::Operation::{self, *};
use kasoku_model::workload::Workload;

use super::HOSTILE;

pub(crate) fn published() -> Document {
    let mut series = Vec::new();
    for (algorithm, operation, kilobytes) in [
        (Aes128Cbc, Encrypt, 2_514_769.24),
        (Aes256Cbc, Encrypt, 1_843_789.82),
        (Aes128Gcm, Seal, 9_862_949.55),
        (Aes256Gcm, Seal, 8_402_228.57),
        (ChaCha20Poly1305, Seal, 3_092_370.77),
        (Sha1, Hash, 2_800_670.04),
        (Sha256, Hash, 2_503_999.49),
        (Sha512, Hash, 1_103_631.70),
        (Blake2s256, Hash, 858_537.98),
        (Blake2b512, Hash, 1_385_687.72),
    ] {
        series.push(one(algorithm, operation, On, 16_384, kilobytes * 1e3));
    }
    for (algorithm, operation, bytes, rate) in [
        (X25519, Derive, 0, 48_450.4),
        (X448, Derive, 0, 10_018.8),
        (Ed25519, Sign, 32, 41_534.3),
        (Ed25519, Verify, 32, 16_154.8),
        (Ed448, Sign, 32, 8_346.3),
        (Ed448, Verify, 32, 9_498.0),
    ] {
        series.push(one(algorithm, operation, On, bytes, rate));
    }
    let mut document = document("published-i7-13700", OriginKind::Published, "openssl_perf", series);
    document.machine.name = Some("i7-13700".to_owned());
    document.machine.cpu = "Intel i7-13700 2.10/5.10GHz 16C24T".to_owned();
    document.machine.os = Some("Linux (Ubuntu)".to_owned());
    document
}

pub(crate) fn transcript() -> Document {
    let sizes = [16, 64, 256, 1024, 8192];
    let mut all = Vec::new();
    for (algorithm, state, kilobytes) in [
        (DesEde3Cbc, On, [20_369.30, 20_810.84, 20_913.41, 20_885.16, 20_995.08]),
        (BlowfishCbc, On, [74_977.91, 81_826.65, 85_267.20, 86_458.48, 86_436.52]),
        (Aes256Cbc, Off, [55_840.73, 58_654.36, 59_740.07, 141_040.98, 142_798.34]),
        (Camellia256Cbc, On, [82_854.92, 104_024.62, 111_749.97, 114_186.92, 114_657.96]),
        (Aes256Cbc, On, [252_170.02, 341_556.71, 386_134.44, 395_323.59, 397_369.34]),
    ] {
        let series = sizes.iter().zip(kilobytes);
        all.extend(series.map(|(bytes, figure)| one(algorithm, Encrypt, state, *bytes, figure * 1e3)));
    }
    let mut document = document("20140811-opteron", OriginKind::Transcript, "opteron.txt", all);
    document.machine.name = Some("AMD Opteron(R) 6276 2.3GHz".to_owned());
    document.series.iter_mut().for_each(|series| series.library_version = "OpenSSL 1.0.1i".to_owned());
    document
}

pub(crate) fn hostile() -> Document {
    let mut document = transcript();
    document.run.origin = Some(Origin {
        kind: OriginKind::Transcript,
        source: HOSTILE.to_owned(),
        address: Some("javascript:alert(1)".to_owned()),
        note: Some(HOSTILE.to_owned()),
    });
    document.machine.name = Some(HOSTILE.to_owned());
    document.machine.cpu = HOSTILE.to_owned();
    for (series, figure) in document.series.iter_mut().zip([f64::NAN, f64::INFINITY, -1.0, f64::MAX]) {
        series.median = Some(figure);
        series.library_version = HOSTILE.to_owned();
    }
    document
}

fn document(id: &str, kind: OriginKind, source: &str, series: Vec<Series>) -> Document {
    let origin = Origin { kind, source: source.to_owned(), address: None, note: None };
    let run = Run { id: id.to_owned(), complete: true, origin: Some(origin), ..Run::default() };
    let machine = Machine { arch: "x86_64".to_owned(), ..Machine::default() };
    Document { schema: SCHEMA, run, machine, series }
}

fn one(algorithm: Algorithm, operation: Operation, acceleration: Acceleration, bytes: usize, figure: f64) -> Series {
    let workload = Workload::new(operation, algorithm, bytes);
    let unit = if algorithm.kind().is_bulk() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    let one = Series::empty(Level::Primitives, &workload, "openssl", String::new(), acceleration, unit);
    Series { median: Some(figure), ..one }
}
