//! The lines of `openssl speed -mr`: a mark, then fields between colons.

use super::build_information::LibraryVersion;
use super::error::ImportError;
use super::figure;
use super::names;
use super::row::Operations;
use kasoku_model::algorithm::{Algorithm, Quoted};
use kasoku_model::printable::printable;
use kasoku_model::workload::Operation;

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineReadableLine<'l> {
    /// `+H`: the sizes of the rows that follow.
    Sizes(Vec<usize>),
    /// `+F`: a bulk row.
    Bulk {
        /// The name of what was measured.
        name: &'l str,
        /// The figures as they stand.
        figures: Vec<&'l str>,
    },
    /// `+F2` to `+F8`: a row with figures per operation.
    Operations(Operations),
    /// What is printed, but cannot be kept.
    Unusable(&'static str),
}

/// Below two operations a second, rates and times look alike.
const SURELY_A_RATE: f64 = 2.0;
/// The last release that printed seconds per operation.
const FIRST_WITH_RATES: (u32, u32, u32) = (1, 1, 1);

/// What a line that begins with `+` says, printed by `version` if that is known; nothing if it is no such line.
///
/// # Errors
/// If fields are missing, too many, or impossible.
pub(super) fn read<'l>(
    line: &'l str,
    number: usize,
    version: Option<&LibraryVersion>,
) -> Result<Option<MachineReadableLine<'l>>, ImportError> {
    let mut fields = line.split(':');
    let mark = fields.next().unwrap_or_default();
    let fields: Vec<&str> = fields.collect();
    match mark {
        "+H" => sizes(&fields, number).map(Some),
        "+F" => match fields.as_slice() {
            [index, name, figures @ ..] if is_number(index) && !name.is_empty() && !figures.is_empty() => {
                Ok(Some(MachineReadableLine::Bulk { name, figures: figures.to_vec() }))
            }
            _ => Err(cut_off(number)),
        },
        "+F2" | "+F3" | "+F4" | "+F5" | "+F6" | "+F7" | "+F8" => operations(mark, &fields, number, version).map(Some),
        "+F9" | "+F10" => {
            Ok(Some(MachineReadableLine::Unusable("-mr does not name these algorithms; measure them without -mr")))
        }
        _ => Ok(None),
    }
}

fn sizes<'l>(fields: &[&str], number: usize) -> Result<MachineReadableLine<'l>, ImportError> {
    let sizes: Option<Vec<usize>> = fields.iter().map(|field| field.parse().ok()).collect();
    match sizes {
        Some(sizes)
            if !sizes.is_empty() && sizes.len() <= 64 && sizes.iter().all(|size| (1..=1 << 30).contains(size)) =>
        {
            Ok(MachineReadableLine::Sizes(sizes))
        }
        _ => Err(cut_off(number)),
    }
}

fn operations<'l>(
    mark: &str,
    fields: &[&str],
    number: usize,
    version: Option<&LibraryVersion>,
) -> Result<MachineReadableLine<'l>, ImportError> {
    let [index, bits, rest @ ..] = fields else { return Err(cut_off(number)) };
    let (Ok(index), Ok(bits)) = (index.parse::<u32>(), bits.parse::<u32>()) else { return Err(cut_off(number)) };
    let (name, algorithm, figures): (String, Option<Algorithm>, &[&str]) = match (mark, rest) {
        ("+F2", figures) => (format!("rsa {bits}"), names::of_bits("rsa", bits), figures),
        ("+F3", figures) => (format!("dsa {bits}"), names::of_bits("dsa", bits), figures),
        ("+F4", figures) => {
            let curve = curve(index, bits).and_then(names::curve);
            (format!("ecdsa of {bits} bits"), curve.and_then(|(_, signature)| signature), figures)
        }
        ("+F5", figures) => {
            (format!("ecdh of {bits} bits"), curve(index, bits).and_then(names::curve).map(|(first, _)| first), figures)
        }
        ("+F8", figures) => (format!("ffdh {bits}"), names::of_bits("ffdhe", bits), figures),
        ("+F7", [name, figures @ ..]) => {
            let algorithm = names::twisted_curve(name).filter(|name| *name == Algorithm::Quoted(Quoted::Sm2));
            ((*name).to_owned(), algorithm, figures)
        }
        (_, [name, figures @ ..]) => ((*name).to_owned(), names::twisted_curve(name), figures),
        _ => return Err(cut_off(number)),
    };
    let figures: Vec<f64> = figures
        .iter()
        .map(|text| {
            figure::plain(text).map_err(|why| {
                ImportError::transcript(number, printable(&format!("the figure {text} of \"{name}\" {why}")))
            })
        })
        .collect::<Result<_, _>>()?;
    let of = |operations: &[Operation], figures: &[f64]| {
        let figures = operations.iter().zip(figures).map(|(operation, figure)| (algorithm, *operation, *figure));
        let subject = format!("{bits} bits");
        MachineReadableLine::Operations(Operations { name: name.clone(), figures: figures.collect(), subject })
    };
    let has_rates = version.map(|version| version.is_from(FIRST_WITH_RATES));
    if matches!(mark, "+F5" | "+F8") {
        // A rate and the time of one, in an order that changed with 1.1.1.
        let [first, second] = figures.as_slice() else { return Err(cut_off(number)) };
        let rate = match has_rates {
            Some(true) => Some(first),
            Some(false) => Some(second),
            None if *first >= SURELY_A_RATE && *second < 1.0 => Some(first),
            None if *second >= SURELY_A_RATE && *first < 1.0 => Some(second),
            None => None,
        };
        return Ok(rate.map_or(NO_VERSION, |rate| of(&[Operation::Derive], &[*rate])));
    }
    let operations: &[Operation] = match (mark, figures.len()) {
        ("+F2", 4) => &[Operation::Sign, Operation::Verify, Operation::Encrypt, Operation::Decrypt],
        (_, 2) => &[Operation::Sign, Operation::Verify],
        _ => return Err(cut_off(number)),
    };
    Ok(match has_rates {
        Some(true) => of(operations, &figures),
        Some(false) => MachineReadableLine::Unusable(
            "before OpenSSL 1.1.1, -mr gives only the seconds of one operation, rounded to a millionth; measure \
             without -mr",
        ),
        None if figures.iter().all(|figure| *figure >= SURELY_A_RATE) => of(operations, &figures),
        None => NO_VERSION,
    })
}

const NO_VERSION: MachineReadableLine<'static> = MachineReadableLine::Unusable(
    "whether it gives rates or times depends on the version, which is not stated; put the output of `openssl version \
     -a` before it",
);

/// The curve in openssl's order. The builds that leave some curves out move those after them, so the bits must agree.
fn curve(index: u32, bits: u32) -> Option<&'static str> {
    Some(match (bits, index) {
        (160, _) => "secp160r1",
        (192, _) => "nistp192",
        (224, _) => "nistp224",
        (256, 0..=3) => "nistp256",
        (384, 0..=4) => "nistp384",
        (521, _) => "nistp521",
        (253, _) => "X25519",
        (448, _) => "X448",
        (163, 6) => "nistk163",
        (233, 7) => "nistk233",
        (283, 8) => "nistk283",
        (409, 9) => "nistk409",
        (571, 10) => "nistk571",
        (163, 11) => "nistb163",
        (233, 12) => "nistb233",
        (283, 13) => "nistb283",
        (409, 14) => "nistb409",
        (571, 15) => "nistb571",
        (256, 16) => "brainpoolP256r1",
        (256, 17) => "brainpoolP256t1",
        (384, 18) => "brainpoolP384r1",
        (384, 19) => "brainpoolP384t1",
        (512, 20) => "brainpoolP512r1",
        (512, 21) => "brainpoolP512t1",
        // Without the binary curves.
        (256, 6) => "brainpoolP256r1",
        (256, 7) => "brainpoolP256t1",
        (384, 8) => "brainpoolP384r1",
        (384, 9) => "brainpoolP384t1",
        (512, 10) => "brainpoolP512r1",
        (512, 11) => "brainpoolP512t1",
        _ => return None,
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn cut_off(number: usize) -> ImportError {
    ImportError::transcript(number, "the line has too few or too many fields; it may be truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(line: &str, version: Option<&str>) -> Vec<(Operation, f64)> {
        let version = version.map(|version| LibraryVersion::read(&format!("version: {version}")).unwrap());
        match read(line, 1, version.as_ref()).unwrap() {
            Some(MachineReadableLine::Operations(row)) => {
                assert!(row.figures.iter().all(|(algorithm, ..)| algorithm.is_some()), "{line}");
                row.figures.iter().map(|(_, operation, figure)| (*operation, *figure)).collect()
            }
            Some(MachineReadableLine::Unusable(_)) => vec![],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_of_3_0_are_read() {
        use Operation::{Decrypt, Derive, Encrypt, Sign, Verify};
        for version in [None, Some("3.0.19"), Some("1.1.1")] {
            assert_eq!(
                rates("+F2:0:512:9888.118812:168809.000000", version),
                [(Sign, 9888.118812), (Verify, 168_809.0)]
            );
            assert_eq!(rates("+F3:1:1024:3978.217822:5326.470588", version).len(), 2);
            assert_eq!(rates("+F4:3:256:15131.683168:5027.450980", version).len(), 2);
            assert_eq!(rates("+F5:3:256:6526.000000:0.000153", version), [(Derive, 6526.0)]);
            assert_eq!(rates("+F6:0:253:Ed25519:9131.000000:3317.000000", version).len(), 2);
            assert_eq!(rates("+F7:0:256:CurveSM2:855.000000:860.396040", version).len(), 2);
            assert_eq!(rates("+F8:0:2048:1010.000000:0.000990", version), [(Derive, 1010.0)]);
        }
        assert_eq!(
            rates("+F2:2:2048:656.700000:23043.500000:22322.500000:618.000000", Some("3.2.0"))
                .iter()
                .map(|(operation, _)| *operation)
                .collect::<Vec<_>>(),
            [Sign, Verify, Encrypt, Decrypt]
        );
        assert_eq!(read("+H:16:64", 1, None).unwrap(), Some(MachineReadableLine::Sizes(vec![16, 64])));
        assert_eq!(
            read("+F:25:AES-128-GCM:614462208.00:1.00", 1, None).unwrap(),
            Some(MachineReadableLine::Bulk { name: "AES-128-GCM", figures: vec!["614462208.00", "1.00"] })
        );
    }

    #[test]
    fn seconds_are_not_taken_for_rates() {
        assert_eq!(rates("+F2:0:512:0.000080:0.000004", Some("1.0.2u")), []);
        assert_eq!(rates("+F2:0:512:0.000080:0.000004", None), []);
        assert_eq!(rates("+F4:3:256:1.500000:0.900000", None), []);
        assert_eq!(rates("+F5:3:256:0.000153:6526.000000", Some("1.0.2u")), [(Operation::Derive, 6526.0)]);
        assert_eq!(rates("+F5:3:256:0.000153:6526.000000", None), [(Operation::Derive, 6526.0)]);
        assert_eq!(rates("+F5:3:256:0.500000:2.000000", Some("3.0.0")), [(Operation::Derive, 0.5)]);
        assert_eq!(rates("+F5:3:256:1.200000:0.833333", None), []);
    }

    #[test]
    fn curves_that_an_index_leaves_open_are_not_named() {
        for (index, bits) in [(12, 256), (5, 384), (30, 512), (6, 233), (0, 1000)] {
            let line = format!("+F5:{index}:{bits}:100.000000:0.010000");
            let Some(MachineReadableLine::Operations(row)) = read(&line, 1, None).unwrap() else { panic!() };
            assert_eq!(row.figures[0].0, None, "{line}");
        }
    }

    #[test]
    fn lines_that_are_cut_off_are_refused() {
        for line in [
            "+H",
            "+H:",
            "+H:16:",
            "+H:x",
            "+H:0",
            "+F",
            "+F:25",
            "+F:25:AES-128-GCM",
            "+F:x:AES:1.00",
            "+F2:0:512",
            "+F2:0:512:1.000000",
            "+F2:0:512:1.000000:2.000000:3.000000",
            "+F2:0:512:1.0:2.0",
            "+F2:0:512:nan:nan",
            "+F5:3:256:6526.000000",
            "+F5:3:256:6526.000000:-0.000153",
            "+F6:0:253:Ed25519",
            "+F6:0:253",
        ] {
            assert!(read(line, 3, None).is_err(), "{line}");
        }
        assert_eq!(read("+F11:what", 1, None).unwrap(), None);
    }
}
