//! Defines the methods of all classes by a macro, because PyO3 allows only one block of methods for a class and no
//! methods of a trait.

/// Adds the methods to a class whose field `key` is an [`Aead`](crate::aead::Aead).
macro_rules! message_methods {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// Returns the ciphertext of data, followed by a tag of 16 bytes.
            ///
            /// Never use a nonce for two messages under one key.
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

            /// Returns the plaintext of data, which ends with the tag. Raises InvalidTag if anything was changed.
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

            /// Writes ciphertext and tag into buf, which is 16 bytes longer than data and may begin where data does.
            /// Returns the number of bytes written.
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

            /// Writes the plaintext into buf, which is 16 bytes shorter than data and may begin where data does.
            /// Returns the number of bytes written. After InvalidTag buf is all zeros, or unchanged if data is shorter
            /// than a tag.
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

            /// Encrypts many messages. Returns a list of ciphertexts, each with its tag.
            ///
            /// nonces and messages are lists or tuples of equal length, or buffers that are cut into equal parts, one
            /// for each message. associated_data is None, one buffer for all messages, or a list or tuple.
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

            /// Decrypts many messages. Returns a list of plaintexts.
            ///
            /// Raises InvalidTag if a message was changed. The exception's argument is the index of the first such
            /// message.
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

            /// Encrypts many messages into one buffer, one ciphertext with its tag after the other. Returns the number
            /// of bytes written. buf must not overlap any input.
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

            /// Decrypts many messages into one buffer, one plaintext after the other. Returns the number of bytes
            /// written. After InvalidTag buf is all zeros.
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
