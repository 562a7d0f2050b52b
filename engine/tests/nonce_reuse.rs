//! No safe code uses a nonce twice by accident: types that hold the state under a nonce, or count messages, are not
//! `Clone`. (`PacketProtection`, `AesGcm` and `Streaming` take nonces from their callers, who may repeat one; they are
//! not `Clone` either.)

use std::marker::PhantomData;
use std::sync::Arc;

use kasoku_engine::packet::{FailedOpens, PacketProtection};
use kasoku_engine::{AesGcm, Opening, OpeningSequence, Sealing, SealingSequence, Streaming};

/// `Is::<T>::CLONE` tells whether `T` is `Clone`. (For a `Clone` type, the inherent constant hides that of the trait. A
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
fn types_that_hold_nonce_state_are_not_clone() {
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
        // Shows that the check detects `Clone` types.
        assert!(Is::<FailedOpens>::CLONE);
        assert!(Is::<Arc<AesGcm>>::CLONE);
    }
}
