//! Parses the lines of `openssl speed -mr`: a mark like `+F2`, then fields between colons.

use super::build_information::LibraryVersion;
use super::figure;
use super::names;
use super::row::{Bulk, MAX_SIZES, Operations, is_size, operations_of, parse_all};
use kasoku_model::library::VersionNumber;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineReadableLine<'l> {
    /// `+H`: sizes of the rows below.
    Sizes(Vec<usize>),
    /// `+F`: a row of throughputs.
    Bulk(Bulk<'l>),
    /// `+F2` to `+F8`: a row with figures per operation.
    Operations(Operations),
    /// A line that cannot be imported, with the reason.
    Unusable(&'static str),
}

/// Lowest figure, in operations per second, that cannot be the time of one operation in seconds.
const SURELY_A_RATE: f64 = 2.0;
/// The first release that printed rates instead of the seconds of one operation.
const FIRST_WITH_RATES: VersionNumber = (1, 1, 1);

/// Parses a line that `version` of openssl printed. Returns `None` for lines of other forms. Fails if fields are
/// missing, superfluous or impossible.
pub(super) fn read<'l>(
    line: &'l str,
    version: Option<&LibraryVersion>,
) -> Result<Option<MachineReadableLine<'l>>, String> {
    let mut fields = line.split(':');
    let mark = fields.next().unwrap_or_default();
    let fields: Vec<&str> = fields.collect();
    let kind = match mark {
        "+H" => {
            let size = |field: &&str| field.parse().ok().filter(|size| is_size(*size));
            let sizes: Option<Vec<usize>> = fields.iter().map(size).collect();
            let sizes = sizes.filter(|sizes| (1..=MAX_SIZES).contains(&sizes.len()));
            return Ok(Some(MachineReadableLine::Sizes(sizes.ok_or(CUT_OFF)?)));
        }
        "+F" => match fields.as_slice() {
            [index, name, figures @ ..] if is_number(index) && !name.is_empty() && !figures.is_empty() => {
                let row = Bulk { name: (*name).to_owned(), figures: figures.to_vec(), core: None };
                return Ok(Some(MachineReadableLine::Bulk(row)));
            }
            _ => return Err(CUT_OFF.to_owned()),
        },
        "+F2" => "rsa",
        "+F3" => "dsa",
        "+F4" => "ecdsa",
        "+F5" => "ecdh",
        "+F6" => "EdDSA",
        "+F7" => "SM2",
        "+F8" => "ffdh",
        "+F9" | "+F10" => {
            let why = "-mr does not name these algorithms; measure them without -mr";
            return Ok(Some(MachineReadableLine::Unusable(why)));
        }
        _ => return Ok(None),
    };
    operations(kind, &fields, version).map(Some)
}

fn operations(
    kind: &str,
    fields: &[&str],
    version: Option<&LibraryVersion>,
) -> Result<MachineReadableLine<'static>, String> {
    let [index, bits, rest @ ..] = fields else { return Err(CUT_OFF.to_owned()) };
    let (Ok(index), Ok(bits)) = (index.parse::<u32>(), bits.parse::<u32>()) else { return Err(CUT_OFF.to_owned()) };
    let (name, algorithm, figures) = match (kind, rest) {
        ("rsa" | "dsa" | "ffdh", figures) => {
            (format!("{kind} {bits}"), names::algorithm_with_bits(kind, bits), figures)
        }
        ("ecdsa" | "ecdh", figures) => {
            let algorithm = curve(index, bits).and_then(|curve| names::algorithm_on_curve(kind, curve));
            (format!("{kind} of {bits} bits"), algorithm, figures)
        }
        (_, [name, figures @ ..]) => ((*name).to_owned(), names::algorithm_on_curve(kind, name), figures),
        _ => return Err(CUT_OFF.to_owned()),
    };
    let figures = parse_all(&name, figures, figure::plain)?;
    let operations = operations_of(kind, figures.len());
    let has_rates = version.map(|version| version.is_from(FIRST_WITH_RATES));
    let rates = match (operations, figures.as_slice(), has_rates) {
        // A rate and the time of one operation; their order changed with 1.1.1.
        ([_], &[first, second], _) => match has_rates {
            Some(true) => vec![first],
            Some(false) => vec![second],
            None if first >= SURELY_A_RATE && second < 1.0 => vec![first],
            None if second >= SURELY_A_RATE && first < 1.0 => vec![second],
            None => return Ok(NO_VERSION),
        },
        _ if operations.len() == 1 || operations.len() != figures.len() => return Err(CUT_OFF.to_owned()),
        (.., Some(true)) => figures,
        (.., Some(false)) => {
            return Ok(MachineReadableLine::Unusable(
                "before OpenSSL 1.1.1, -mr gives only the seconds of one operation, rounded to a millionth; measure \
                 without -mr",
            ));
        }
        (.., None) if figures.iter().all(|figure| *figure >= SURELY_A_RATE) => figures,
        (.., None) => return Ok(NO_VERSION),
    };
    let figures = operations.iter().copied().zip(rates).collect();
    Ok(MachineReadableLine::Operations(Operations { name, algorithm, figures, subject: format!("{bits} bits") }))
}

const NO_VERSION: MachineReadableLine<'static> = MachineReadableLine::Unusable(
    "whether it gives rates or times depends on the version, which is not stated; put the output of `openssl version \
     -a` before it",
);

const CUT_OFF: &str = "the line has too few or too many fields; it may be truncated";

/// Returns the curve at `index` in openssl's list. Builds without the ten binary curves have lower indices for the
/// curves behind them, so the bits must agree, too.
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
        (256, 6 | 16) => "brainpoolP256r1",
        (256, 7 | 17) => "brainpoolP256t1",
        (384, 8 | 18) => "brainpoolP384r1",
        (384, 9 | 19) => "brainpoolP384t1",
        (512, 10 | 20) => "brainpoolP512r1",
        (512, 11 | 21) => "brainpoolP512t1",
        _ => return None,
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::workload::Operation;

    fn rates(line: &str, version: Option<&str>) -> Vec<(Operation, f64)> {
        let version = version.map(|version| LibraryVersion::read(&format!("version: {version}")).unwrap());
        match read(line, version.as_ref()).unwrap() {
            Some(MachineReadableLine::Operations(row)) => {
                assert!(row.algorithm.is_some(), "{line}");
                row.figures
            }
            Some(MachineReadableLine::Unusable(_)) => vec![],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn machine_readable_reads_rates_of_every_mark() {
        use Operation::{Decrypt, Derive, Encrypt, Sign, Verify};
        for (line, expected) in [
            ("+F2:0:512:9888.118812:168809.000000", &[(Sign, 9888.118812), (Verify, 168_809.0)][..]),
            ("+F3:1:1024:3978.217822:5326.470588", &[(Sign, 3978.217822), (Verify, 5326.470588)]),
            ("+F4:3:256:15131.683168:5027.450980", &[(Sign, 15_131.683168), (Verify, 5027.45098)]),
            ("+F5:3:256:6526.000000:0.000153", &[(Derive, 6526.0)]),
            ("+F6:0:253:Ed25519:9131.000000:3317.000000", &[(Sign, 9131.0), (Verify, 3317.0)]),
            ("+F7:0:256:CurveSM2:855.000000:860.396040", &[(Sign, 855.0), (Verify, 860.39604)]),
            ("+F8:0:2048:1010.000000:0.000990", &[(Derive, 1010.0)]),
        ] {
            for version in [None, Some("3.0.19"), Some("1.1.1")] {
                assert_eq!(rates(line, version), expected, "{line}");
            }
        }
        let four = "+F2:2:2048:656.700000:23043.500000:22322.500000:618.000000";
        let expected = [(Sign, 656.7), (Verify, 23_043.5), (Encrypt, 22_322.5), (Decrypt, 618.0)];
        assert_eq!(rates(four, Some("3.2.0")), expected);
        assert_eq!(read("+H:16:64", None).unwrap(), Some(MachineReadableLine::Sizes(vec![16, 64])));
        let bulk = Bulk { name: "AES-128-GCM".to_owned(), figures: vec!["614462208.00", "1.00"], core: None };
        let found = read("+F:25:AES-128-GCM:614462208.00:1.00", None).unwrap();
        assert_eq!(found, Some(MachineReadableLine::Bulk(bulk)));
    }

    #[test]
    fn machine_readable_does_not_take_seconds_for_rates() {
        assert_eq!(rates("+F2:0:512:0.000080:0.000004", Some("1.0.2u")), []);
        assert_eq!(rates("+F2:0:512:0.000080:0.000004", None), []);
        assert_eq!(rates("+F4:3:256:1.500000:0.900000", None), []);
        assert_eq!(rates("+F5:3:256:0.000153:6526.000000", Some("1.0.2u")), [(Operation::Derive, 6526.0)]);
        assert_eq!(rates("+F5:3:256:0.000153:6526.000000", None), [(Operation::Derive, 6526.0)]);
        assert_eq!(rates("+F5:3:256:0.500000:2.000000", Some("3.0.0")), [(Operation::Derive, 0.5)]);
        assert_eq!(rates("+F5:3:256:1.200000:0.833333", None), []);
    }

    #[test]
    fn machine_readable_leaves_ambiguous_curves_unknown() {
        for (index, bits) in [(12, 256), (5, 384), (30, 512), (6, 233), (0, 1000)] {
            let line = format!("+F5:{index}:{bits}:100.000000:0.010000");
            let Some(MachineReadableLine::Operations(row)) = read(&line, None).unwrap() else { panic!() };
            assert_eq!(row.algorithm, None, "{line}");
        }
    }

    #[test]
    fn machine_readable_rejects_truncated_lines() {
        let lines = "+H +H: +H:16: +H:x +H:0 +F +F:25 +F:25:AES-128-GCM +F:x:AES:1.00 +F2:0:512 +F2:0:512:1.000000 \
            +F2:0:512:1.000000:2.000000:3.000000 +F2:0:512:1.0:2.0 +F2:0:512:nan:nan +F5:3:256:6526.000000 \
            +F5:3:256:6526.000000:-0.000153 +F6:0:253:Ed25519 +F6:0:253";
        for line in lines.split_whitespace() {
            assert!(read(line, None).is_err(), "{line}");
        }
        assert_eq!(read("+F11:what", None).unwrap(), None);
    }
}
