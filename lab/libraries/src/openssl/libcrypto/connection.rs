//! A TLS client on libssl, which is loaded at run time, for measuring servers. Sockets are non-blocking: a call is
//! pending until its socket is readable or writable.

#![allow(unsafe_code)] // loads a library and calls its functions

use std::ffi::{CString, c_char, c_int, c_long, c_ulong, c_void};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::{NonNull, null, null_mut};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use super::{Owned, queued_error};
use crate::loaded::{functions, load, opaque, text_at};
use crate::{JobError, Result, Unavailable, install};
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::cipher_suite::Protocol;

/// File names of libssl to try, the newest first.
const NAMES: &[&str] = &["libssl.so.4", "libssl.so.3"];

/// Command of `SSL_CTX_ctrl` that the macro `SSL_CTX_set_min_proto_version` passes.
const SET_MIN_PROTOCOL: c_int = 123;
/// Command of `SSL_CTX_ctrl` that the macro `SSL_CTX_set_max_proto_version` passes.
const SET_MAX_PROTOCOL: c_int = 124;
/// Command of `SSL_CTX_ctrl` that the macro `SSL_CTX_set_mode` passes.
const SET_MODE: c_int = 33;
/// `SSL_MODE_RELEASE_BUFFERS`: a mode that frees the buffers of idle connections.
const RELEASE_BUFFERS: c_long = 0x10;
/// `SSL_OP_NO_ENCRYPT_THEN_MAC`: encrypt-then-MAC would prevent OpenSSL's one-pass code for AES-CBC and SHA-1.
const NO_ENCRYPT_THEN_MAC: u64 = 1 << 19;
/// `OPENSSL_INIT_NO_LOAD_CONFIG`: the client ignores OpenSSL's configuration, and so does not use the provider that the
/// server tests.
const NO_LOAD_CONFIG: u64 = 0x80;
const ZERO_RETURN: c_int = 6;
const WANT_READ: c_int = 2;
const WANT_WRITE: c_int = 3;

opaque! { Method SslCtx Ssl SslCipher }

// libssl also resolves the functions of libcrypto.
functions! {
    OPENSSL_init_ssl: fn(u64, *const c_void) -> c_int;
    ERR_get_error: fn() -> c_ulong;
    ERR_clear_error: fn();
    ERR_error_string_n: fn(c_ulong, *mut c_char, usize);
    TLS_client_method: fn() -> *const Method;
    SSL_CTX_new: fn(*const Method) -> *mut SslCtx;
    SSL_CTX_free: fn(*mut SslCtx);
    SSL_CTX_ctrl: fn(*mut SslCtx, c_int, c_long, *mut c_void) -> c_long;
    SSL_CTX_set_options: fn(*mut SslCtx, u64) -> u64;
    SSL_CTX_set_cipher_list: fn(*mut SslCtx, *const c_char) -> c_int;
    SSL_CTX_set_ciphersuites: fn(*mut SslCtx, *const c_char) -> c_int;
    SSL_new: fn(*mut SslCtx) -> *mut Ssl;
    SSL_free: fn(*mut Ssl);
    SSL_set_fd: fn(*mut Ssl, c_int) -> c_int;
    SSL_connect: fn(*mut Ssl) -> c_int;
    SSL_read: fn(*mut Ssl, *mut c_void, c_int) -> c_int;
    SSL_write: fn(*mut Ssl, *const c_void, c_int) -> c_int;
    SSL_get_error: fn(*const Ssl, c_int) -> c_int;
    SSL_get_version: fn(*const Ssl) -> *const c_char;
    SSL_get_current_cipher: fn(*const Ssl) -> *const SslCipher;
    SSL_CIPHER_get_name: fn(*const SslCipher) -> *const c_char;
}

/// A loaded libssl. It is never unloaded.
pub struct TlsLibrary {
    functions: Functions,
}

/// Settings for connections with exactly one cipher suite.
pub struct ClientSettings {
    libcrypto: Arc<TlsLibrary>,
    suite: CipherSuite,
    context: Owned<SslCtx>,
}

/// A TLS connection. Drop closes it without a close alert.
pub struct Connection {
    settings: Rc<ClientSettings>,
    pointer: NonNull<Ssl>,
    socket: OwnedFd,
}

impl TlsLibrary {
    pub fn open() -> Result<Arc<TlsLibrary>, Unavailable> {
        let refused = |why: String| Unavailable { why, install: Some(install::OPENSSL.to_owned()) };
        let handle = NAMES.iter().find_map(|name| load(name.as_ref()).ok());
        let handle = handle.ok_or_else(|| refused(format!("the loader finds none of {}", NAMES.join(", "))))?;
        // SAFETY: the SONAME guarantees the function types in the table. The library is never unloaded: see `forget`.
        let functions = unsafe { Functions::of(&handle) }.map_err(|name| refused(format!("libssl has no {name}")))?;
        std::mem::forget(handle);
        // SAFETY: the option is documented, and the settings may be null.
        if unsafe { (functions.OPENSSL_init_ssl)(NO_LOAD_CONFIG, null()) } != 1 {
            return Err(refused("OPENSSL_init_ssl failed".to_owned()));
        }
        Ok(Arc::new(TlsLibrary { functions }))
    }

    #[cold]
    fn failed(&self, call: &str) -> JobError {
        let reason = queued_error(self.functions.ERR_get_error, self.functions.ERR_error_string_n);
        // SAFETY: the function only clears the error queue of this thread.
        unsafe { (self.functions.ERR_clear_error)() };
        JobError::new(format!("{call} failed: {}", reason.as_deref().unwrap_or("the connection broke off")))
    }
}

impl ClientSettings {
    pub fn new(libcrypto: &Arc<TlsLibrary>, suite: CipherSuite) -> Result<Rc<ClientSettings>> {
        let functions = &libcrypto.functions;
        // SAFETY: `SSL_CTX_new` takes the library's own method, and `SSL_CTX_free` frees its result.
        let context =
            unsafe { Owned::new((functions.SSL_CTX_new)((functions.TLS_client_method)()), functions.SSL_CTX_free) };
        let context = context.ok_or_else(|| libcrypto.failed("SSL_CTX_new"))?;
        let pointer = context.as_ptr();
        let name = CString::new(suite.openssl_name()).map_err(|error| JobError::new(error.to_string()))?;
        let version = c_long::from(suite.protocol().number());
        for command in [SET_MIN_PROTOCOL, SET_MAX_PROTOCOL] {
            // SAFETY: the SSL_CTX is alive; the command takes a number and no pointer.
            if unsafe { (functions.SSL_CTX_ctrl)(pointer, command, version, null_mut()) } != 1 {
                return Err(libcrypto.failed("SSL_CTX_set_min_proto_version"));
            }
        }
        // SAFETY: the SSL_CTX is alive; the command takes a number and no pointer.
        unsafe { (functions.SSL_CTX_ctrl)(pointer, SET_MODE, RELEASE_BUFFERS, null_mut()) };
        // SAFETY: the SSL_CTX is alive.
        unsafe { (functions.SSL_CTX_set_options)(pointer, NO_ENCRYPT_THEN_MAC) };
        let is_set = match suite.protocol() {
            // SAFETY: the SSL_CTX is alive, and the name is a C string.
            Protocol::Tls12 => unsafe { (functions.SSL_CTX_set_cipher_list)(pointer, name.as_ptr()) },
            // SAFETY: the SSL_CTX is alive, and the name is a C string.
            Protocol::Tls13 => unsafe { (functions.SSL_CTX_set_ciphersuites)(pointer, name.as_ptr()) },
        };
        if is_set != 1 {
            return Err(libcrypto.failed(suite.openssl_name()));
        }
        Ok(Rc::new(ClientSettings { libcrypto: Arc::clone(libcrypto), suite, context }))
    }
}

impl Connection {
    /// Creates a connection over `socket`, which is connected or connecting.
    pub fn new(settings: &Rc<ClientSettings>, socket: OwnedFd) -> Result<Connection> {
        let libcrypto = &settings.libcrypto;
        // SAFETY: the SSL_CTX of the settings is alive.
        let pointer = NonNull::new(unsafe { (libcrypto.functions.SSL_new)(settings.context.as_ptr()) })
            .ok_or_else(|| libcrypto.failed("SSL_new"))?;
        let connection = Connection { settings: Rc::clone(settings), pointer, socket };
        // SAFETY: the SSL object is alive, and the connection keeps the socket open as long as the object.
        if unsafe { (libcrypto.functions.SSL_set_fd)(pointer.as_ptr(), connection.socket.as_raw_fd()) } != 1 {
            return Err(libcrypto.failed("SSL_set_fd"));
        }
        Ok(connection)
    }

    /// Continues the handshake. On completion, version and suite are those of the settings.
    pub fn shake_hands(&mut self) -> Result<Poll<()>> {
        // SAFETY: the SSL object is alive and has a socket.
        let result = unsafe { (self.settings.libcrypto.functions.SSL_connect)(self.pointer.as_ptr()) };
        if result != 1 {
            return Ok(self.transferred(result, "the handshake")?.map(drop));
        }
        let (version, cipher) = self.agreed();
        let suite = self.settings.suite;
        if (version.as_str(), cipher.as_str()) != (suite.protocol().name(), suite.openssl_name()) {
            let wanted = format!("{} {}", suite.protocol().name(), suite.openssl_name());
            return Err(JobError::new(format!("the server agreed on {version} {cipher} instead of {wanted}")));
        }
        Ok(Poll::Ready(()))
    }

    pub fn write(&mut self, text: &[u8]) -> Result<Poll<usize>> {
        let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
        let write = self.settings.libcrypto.functions.SSL_write;
        // SAFETY: the SSL object is alive, and `text` has at least `length` bytes.
        let result = unsafe { write(self.pointer.as_ptr(), text.as_ptr().cast(), length) };
        self.transferred(result, "sending the request")
    }

    /// Receives and decrypts to `buffer`. Returns 0 bytes at the end of the data.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Poll<usize>> {
        let length = c_int::try_from(buffer.len()).unwrap_or(c_int::MAX);
        let read = self.settings.libcrypto.functions.SSL_read;
        // SAFETY: the SSL object is alive, and `buffer` has at least `length` bytes.
        let result = unsafe { read(self.pointer.as_ptr(), buffer.as_mut_ptr().cast(), length) };
        self.transferred(result, "receiving")
    }

    /// Converts a call's `result` to the number of bytes transferred. 0 bytes mean that the server closed the
    /// connection.
    fn transferred(&self, result: c_int, call: &str) -> Result<Poll<usize>> {
        if let Ok(bytes @ 1..) = usize::try_from(result) {
            return Ok(Poll::Ready(bytes));
        }
        let libcrypto = &self.settings.libcrypto;
        // SAFETY: the SSL object is alive, and `result` comes from its last call.
        match unsafe { (libcrypto.functions.SSL_get_error)(self.pointer.as_ptr(), result) } {
            WANT_READ | WANT_WRITE => Ok(Poll::Pending),
            ZERO_RETURN => Ok(Poll::Ready(0)),
            _ => Err(libcrypto.failed(call)),
        }
    }

    fn agreed(&self) -> (String, String) {
        let functions = &self.settings.libcrypto.functions;
        // SAFETY: the SSL object is alive; the result is a static string of the library.
        let version = unsafe { text_at((functions.SSL_get_version)(self.pointer.as_ptr())) };
        // SAFETY: the SSL object is alive. Without a cipher, the name is a static string too.
        let cipher = unsafe {
            text_at((functions.SSL_CIPHER_get_name)((functions.SSL_get_current_cipher)(self.pointer.as_ptr())))
        };
        (version.unwrap_or_default(), cipher.unwrap_or_default())
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: only this connection owns the SSL object, and the socket is closed after it. Clears the error queue,
        // so that errors of this connection are not attributed to the next one.
        unsafe {
            (self.settings.libcrypto.functions.SSL_free)(self.pointer.as_ptr());
            (self.settings.libcrypto.functions.ERR_clear_error)();
        }
    }
}
