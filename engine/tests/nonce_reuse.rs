//! No safe code uses a nonce twice by the way: what goes on under a nonce, or counts, is not copied.
//! (`PacketProtection`, `AesGcm` and `Streaming` are told nonces by their callers, who may say one twice; but they,
//! too, are what they were told once.)

use std::marker::PhantomData;
use std::sync::Arc;

use kasoku_engine::packet::{FailedOpens, PacketProtection};
use kasoku_engine::{AesGcm, Opening, OpeningSequence, Sealing, SealingSequence, Streaming};

/// `Is::<T>::CLONE`: whether `T` is `Clone`. (Where it is, the constant of the type itself hides that of the trait. A
/// `Copy` type is `Clone`.)
struct Is<T>(PhantomData<T>);

trait Otherwise {
    const CLONE: bool = false;
}

impl<T> Otherwise for Is<T> {}

impl<T: Clone> Is<T> {
    const CLONE: bool = true;
}

#[test]
fn nothing_that_goes_on_under_a_nonce_can_be_copied() {
    const {
        assert!(!Is::<Sealing<&AesGcm>>::CLONE);
        assert!(!Is::<Sealing<Arc<AesGcm>>>::CLONE);
        assert!(!Is::<Opening<&AesGcm>>::CLONE);
        assert!(!Is::<Opening<Arc<AesGcm>>>::CLONE);
        assert!(!Is::<Streaming>::CLONE);
        assert!(!Is::<SealingSequence>::CLONE);
        assert!(!Is::<OpeningSequence>::CLONE);
        assert!(!Is::<PacketProtection>::CLONE);
        assert!(!Is::<AesGcm>::CLONE);
        // What is would be seen.
        assert!(Is::<FailedOpens>::CLONE);
        assert!(Is::<Arc<AesGcm>>::CLONE);
    }
}
