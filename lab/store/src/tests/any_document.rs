//! Stores documents with any content and compares what comes back.

use proptest::prelude::*;

use super::*;

#[path = "../../../model/fuzz/edited.rs"]
mod edited;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn store_returns_any_document_bit_for_bit(
        script in prop::collection::vec(any::<u8>(), 0..200), text in any::<String>(), bytes in any::<usize>(),
        count in any::<u64>(), process in any::<u32>(),
        figure in prop::num::f64::POSITIVE | prop::num::f64::NEGATIVE | prop::num::f64::NORMAL
            | prop::num::f64::SUBNORMAL,
    ) {
        let read = serde_json::from_value::<Document>(edited::edited(&script));
        prop_assume!(read.is_ok());
        let mut document = read.unwrap();
        // Values that the script does not choose.
        document.run.id = format!("r{text}");
        document.run.seconds = Some(figure);
        document.machine.cpu.clone_from(&text);
        document.machine.cores = bytes;
        if let Some(series) = document.series.first_mut() {
            (series.bytes, series.median, series.ci95) = (bytes, Some(figure), Some([figure, f64::MAX]));
            series.library_version = text;
            for sample in &mut series.samples {
                (sample.process, sample.iterations, sample.cpu_ns, sample.core_hz) = (process, count, !count, Some(figure));
            }
        }
        let (_folder, mut store) = store();
        store.add_documents([&document]).unwrap();
        let back = store.load(&document.run.id).unwrap();
        prop_assert_eq!(&back, &document);
        // Equal figures may differ in the sign of zero; their shortest decimal forms do not.
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&document).unwrap());
    }
}
