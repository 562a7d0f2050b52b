//! The draining client: a child process on a core of its own that fetches files over many connections at once. Each
//! handshake is libssl's; what comes behind it is counted and thrown away by the kernel, so that the time goes to the
//! server.

mod draining;
mod fetching;
pub(crate) mod lines;
mod socket;

pub(super) use socket::now_ns;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::rc::Rc;
use std::sync::Arc;

use kasoku_libraries::openssl::connection::{ClientSettings, TlsLibrary};
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use lines::{ClientAnswer, ClientRequest};

/// Answers requests, one line each, until `input` ends.
///
/// # Errors
/// If the lines cannot be read or written.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let library = TlsLibrary::open().map_err(|unavailable| unavailable.why);
    let mut settings = HashMap::new();
    for line in input.lines() {
        let answer = serde_json::from_str::<ClientRequest>(&line?)
            .map_err(|error| format!("invalid request: {error}"))
            .and_then(|request| answer(&library, &mut settings, &request))
            .unwrap_or_else(|why| ClientAnswer { error: Some(why), ..ClientAnswer::default() });
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(
    library: &Result<Arc<TlsLibrary>, String>,
    settings: &mut HashMap<Algorithm, Rc<ClientSettings>>,
    request: &ClientRequest,
) -> Result<ClientAnswer, String> {
    let library = library.as_ref().map_err(Clone::clone)?;
    let target = match request {
        ClientRequest::Check => return Ok(ClientAnswer::default()),
        ClientRequest::Fetch(fetch) => &fetch.target,
        ClientRequest::Load(load) => &load.target,
    };
    let suite = CipherSuite::of(target.suite).ok_or_else(|| format!("{} is not a cipher suite", target.suite))?;
    let settings = match settings.get(&target.suite) {
        Some(known) => known,
        None => {
            let made = ClientSettings::new(library, suite).map_err(|error| error.what)?;
            settings.entry(target.suite).or_insert(made)
        }
    };
    match request {
        ClientRequest::Check => Ok(ClientAnswer::default()),
        ClientRequest::Fetch(fetch) => fetching::fetch(settings, fetch),
        ClientRequest::Load(load) => draining::load(settings, load),
    }
}
