//! The methods that all classes have. (PyO3 takes one block of methods a class, and none of a trait.)

/// The methods of a class whose field `key` is an [`Aead`](crate::aead::Aead), behind its own.
macro_rules! message_methods {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// The ciphertext of data, and behind it 16 bytes of tag.
            ///
            /// A nonce is used for one message only under one key.
            #[pyo3(signature = (nonce, data, associated_data))]
            fn encrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                $crate::aead::encrypt(py, &self.key, [nonce, data, associated_data])
            }

            /// The plaintext of data, which ends in the tag; InvalidTag if anything was changed.
            #[pyo3(signature = (nonce, data, associated_data))]
            fn decrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                $crate::aead::decrypt(py, &self.key, [nonce, data, associated_data])
            }

            /// Writes ciphertext and tag into buf, which is 16 bytes longer than data and may begin where data does;
            /// how many bytes that are.
            #[pyo3(signature = (nonce, data, associated_data, buf))]
            fn encrypt_into<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                $crate::aead::encrypt_into(py, &self.key, [nonce, data, associated_data, buf])
            }

            /// Writes the plaintext into buf, which is 16 bytes shorter than data and may begin where data does; how
            /// many bytes that are. After InvalidTag it is all zeros, but as it was if data is shorter than a tag.
            #[pyo3(signature = (nonce, data, associated_data, buf))]
            fn decrypt_into<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                $crate::aead::decrypt_into(py, &self.key, [nonce, data, associated_data, buf])
            }

            /// encrypt for many messages: a list of ciphertexts, each with its tag.
            ///
            /// nonces and messages are lists or tuples of equal length, or one buffer of nonces, and one of messages,
            /// cut into equal parts. associated_data is None, one buffer for all, or a list or tuple.
            #[pyo3(signature = (nonces, messages, associated_data))]
            fn encrypt_many<'py>(
                &self,
                py: Python<'py>,
                nonces: &Bound<'py, PyAny>,
                messages: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, pyo3::types::PyList>> {
                let read = [nonces, messages, associated_data];
                $crate::batch::into_list(py, &self.key, $crate::batch::Direction::Seal, read)
            }

            /// decrypt for many messages: a list of plaintexts.
            ///
            /// If any was changed there is none: the argument of InvalidTag says which is the first.
            #[pyo3(signature = (nonces, messages, associated_data))]
            fn decrypt_many<'py>(
                &self,
                py: Python<'py>,
                nonces: &Bound<'py, PyAny>,
                messages: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, pyo3::types::PyList>> {
                let read = [nonces, messages, associated_data];
                $crate::batch::into_list(py, &self.key, $crate::batch::Direction::Open, read)
            }

            /// encrypt_many into one buffer, each ciphertext with its tag behind the other; how many bytes that are.
            /// buf overlaps nothing that is read.
            #[pyo3(signature = (nonces, messages, associated_data, buf))]
            fn encrypt_many_into<'py>(
                &self,
                py: Python<'py>,
                nonces: &Bound<'py, PyAny>,
                messages: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                let read = [nonces, messages, associated_data];
                $crate::batch::into_buffer(py, &self.key, $crate::batch::Direction::Seal, read, buf)
            }

            /// decrypt_many into one buffer, one plaintext behind the other; how many bytes that are. After InvalidTag
            /// it is all zeros.
            #[pyo3(signature = (nonces, messages, associated_data, buf))]
            fn decrypt_many_into<'py>(
                &self,
                py: Python<'py>,
                nonces: &Bound<'py, PyAny>,
                messages: &Bound<'py, PyAny>,
                associated_data: &Bound<'py, PyAny>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                let read = [nonces, messages, associated_data];
                $crate::batch::into_buffer(py, &self.key, $crate::batch::Direction::Open, read, buf)
            }
        }
    };
}
pub(crate) use message_methods;
