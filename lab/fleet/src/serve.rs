//! The host with the web servers: it serves files to clients with the token and reports what its servers use.

mod entrance;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

use super::identity;
use super::lines::{Join, LineStream, Named, ServerAnswer, ServerDescription, ServerQuestion, TO_PROVE, Used};
use super::token::Token;
use super::{MAX_FILE, MIN_FILE, boot};
use entrance::{Entering, Entrance};
use kasoku_measure::plan::TlsPlan;
use kasoku_measure::tls::cores;
use kasoku_measure::tls::serving::{Name, Serving, Watched};
use kasoku_model::algorithm::Algorithm;

/// The most connections at once after the handshake.
const MAX_CONNECTIONS: usize = 512;

/// Web servers that listen, and the port at which whoever knows the token asks.
pub struct ServingHost {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    identity: Arc<rustls::ServerConfig>,
    description: ServerDescription,
    names: HashMap<Named, Name>,
    /// `None` once it is at its end.
    serving: Mutex<Option<Serving>>,
    /// Held by who makes a file, which takes its time and holds nothing else.
    making: Mutex<()>,
    is_over: AtomicBool,
    /// The run that the servers belong to now, its connections, and the size of its file.
    run: Mutex<Option<(Token, usize, u64)>>,
    /// Connections after the handshake.
    connections: AtomicUsize,
    entrance: Arc<Entrance>,
}

impl ServingHost {
    /// Starts the servers of `plan` at `address`, and listens at `port` for who knows `token`; the servers have the
    /// ports behind that. With port 0 all have any that are free.
    ///
    /// # Errors
    /// Why one does not start.
    pub fn start(plan: &TlsPlan, address: IpAddr, port: u16, token: Token) -> Result<ServingHost, String> {
        let listener = TcpListener::bind((address, port))
            .map_err(|error| format!("{}: {error}", SocketAddr::from((address, port))))?;
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        let random = || Token::random().map_err(|error| error.to_string());
        let (id, folder) = (random()?, random()?.to_string());
        let serving = Serving::start(plan, address, port.checked_add(1).filter(|_| port > 0), &folder)?;
        let (mut names, mut servers) = (HashMap::new(), Vec::new());
        for (name, ports) in serving.servers() {
            let named = Named { library: name.0.to_owned(), acceleration: name.1, workers: name.2 };
            servers.push((
                named.clone(),
                ports.iter().map(|&(suite, port)| (Algorithm::CipherSuite(suite), port)).collect(),
            ));
            names.insert(named, name);
        }
        let description = ServerDescription {
            id,
            boot: boot(),
            nginx: plan.nginx.version.clone(),
            openssl: plan.nginx.openssl.clone(),
            cpu: kasoku_measure::machine::this().cpu,
            cores: cores::usable(),
            connections_of_a_worker: serving.connections_of_a_worker(),
            folder,
            servers,
        };
        let shared = Shared {
            identity: identity::server(&token).map_err(|error| error.to_string())?,
            description,
            names,
            serving: Mutex::new(Some(serving)),
            making: Mutex::new(()),
            is_over: AtomicBool::new(false),
            run: Mutex::new(None),
            connections: AtomicUsize::new(0),
            entrance: Arc::default(),
        };
        Ok(ServingHost { listener, shared: Arc::new(shared) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The web servers, and the port of each suite.
    pub fn servers(&self) -> &[(Named, Vec<(Algorithm, u16)>)] {
        &self.shared.description.servers
    }

    /// Answers until `is_over`, which is asked ten times a second; `tell` gets the news.
    pub fn serve(&self, is_over: &dyn Fn() -> bool, tell: fn(&str)) {
        const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        while !is_over() {
            let mut sockets = [PollFd::new(&self.listener, PollFlags::IN)];
            let _ = poll(&mut sockets, Some(&LOOK_AGAIN)); // whatever it says, accepting shows it
            match self.listener.accept() {
                Ok((stream, from)) => self.answer(stream, from, tell),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                // Out of files, say: it may pass.
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    fn answer(&self, stream: TcpStream, from: SocketAddr, tell: fn(&str)) {
        let shared = Arc::clone(&self.shared);
        let Some(entering) = shared.entrance.enter(from.ip()) else { return };
        let session = move || {
            if let Err(error) = shared.session(stream, from, entering, tell) {
                tell(&format!("{from}: {error}"));
            }
        };
        // Too many threads for the moment; that ends nobody who is measured here.
        if let Err(error) = std::thread::Builder::new().spawn(session) {
            tell(&format!("{from}: {error}"));
        }
    }
}

impl Drop for ServingHost {
    fn drop(&mut self) {
        // The threads of open connections may hold the rest for a while; the servers end now, or when the piece of a
        // file is written that is being made.
        self.shared.is_over.store(true, Ordering::Relaxed);
        let serving = held(&self.shared.serving).take();
        let _nobody_makes_a_file = held(&self.shared.making);
        drop(serving);
    }
}

/// The connection of one client, as far as it has come: dropped, the run has one less.
struct OfRun<'s>(&'s Shared);

impl Drop for OfRun<'_> {
    fn drop(&mut self) {
        let mut run = held(&self.0.run);
        if let Some((_, connections, _)) = run.as_mut() {
            *connections -= 1;
            if *connections == 0 {
                *run = None;
                held(&self.0.serving).iter().for_each(|serving| serving.files().remove());
            }
        }
    }
}

impl Shared {
    fn session(&self, stream: TcpStream, from: SocketAddr, entering: Entering, tell: fn(&str)) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        let until = Instant::now() + TO_PROVE;
        let mut lines = match LineStream::to_client(stream, self.identity.clone(), until) {
            Ok(lines) => lines,
            // Somebody looked whether the port is open.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) if identity::is_other_token(&error) => {
                return Err(io::Error::other("refused: does not know the token"));
            }
            Err(error) => return Err(error),
        };
        let Some(Join { run }) = lines.receive(Some(until), &mut || ())? else { return Ok(()) };
        let _place = Place::of(&self.connections);
        drop(entering);
        if self.connections.load(Ordering::Relaxed) > MAX_CONNECTIONS {
            return lines.send(&ServerAnswer::Refused("too many connections".to_owned()));
        }
        let _of_run = match self.join(run) {
            Ok(of_run) => of_run,
            Err(why) => return lines.send(&ServerAnswer::Refused(why)),
        };
        tell(&format!("{from}: knows the token"));
        lines.send(&ServerAnswer::Here(self.description.clone()))?;
        let mut watched: Option<Watched> = None;
        loop {
            let mut look = || watched.iter_mut().for_each(Watched::look);
            let Some(question) = lines.receive::<ServerQuestion>(None, &mut look)? else { return Ok(()) };
            let answer = match question {
                ServerQuestion::File(bytes) => self.make_file(bytes),
                ServerQuestion::Watch(named) => {
                    watched = self.watch(&named);
                    if watched.is_some() { Ok(ServerAnswer::Done) } else { Err("no such server here".to_owned()) }
                }
                ServerQuestion::Use => self.used(watched.take()),
            };
            lines.send(&answer.unwrap_or_else(ServerAnswer::Refused))?;
        }
    }

    /// Takes in a client of `run`.
    fn join(&self, run: Token) -> Result<OfRun<'_>, String> {
        let mut current = held(&self.run);
        match current.as_mut() {
            Some((own, connections, _)) if *own == run => *connections += 1,
            Some(_) => return Err("another run is using this server".to_owned()),
            None => *current = Some((run, 1, 0)),
        }
        Ok(OfRun(self))
    }

    /// The first of a run's clients that asks has it made; the others find it made.
    fn make_file(&self, bytes: u64) -> Result<ServerAnswer, String> {
        if !(MIN_FILE..=MAX_FILE).contains(&bytes) {
            return Err(format!("a file must have from {MIN_FILE} to {MAX_FILE} bytes"));
        }
        // Whoever asks here is a client of the run, so that it does not end meanwhile; others hear at once that it has
        // the server.
        let _making = held(&self.making);
        if self.made(|made| std::mem::replace(made, if *made == bytes { bytes } else { 0 }))? != bytes {
            let files = held(&self.serving).as_ref().ok_or(AT_ITS_END)?.files().clone();
            let bytes_here = usize::try_from(bytes).map_err(|error| error.to_string())?;
            files.make(bytes_here, &|| self.is_over.load(Ordering::Relaxed))?;
            self.made(|made| *made = bytes)?;
        }
        Ok(ServerAnswer::Done)
    }

    /// What `change` does with the size of the file that the run has.
    fn made<T>(&self, change: impl FnOnce(&mut u64) -> T) -> Result<T, String> {
        held(&self.run).as_mut().map(|(_, _, made)| change(made)).ok_or_else(|| "the run is over".to_owned())
    }

    fn watch(&self, named: &Named) -> Option<Watched> {
        held(&self.serving).as_ref()?.watch(*self.names.get(named)?)
    }

    fn used(&self, watched: Option<Watched>) -> Result<ServerAnswer, String> {
        let watched = watched.ok_or("no server is being watched")?;
        let serving = held(&self.serving);
        let (workers, pressures, provided, is_whole) = serving.as_ref().ok_or(AT_ITS_END)?.used(watched);
        Ok(ServerAnswer::Used(Used { workers, pressures, provided, is_whole }))
    }
}

/// A connection after the handshake: dropped, there is one less.
struct Place<'s>(&'s AtomicUsize);

impl Place<'_> {
    fn of(all: &AtomicUsize) -> Place<'_> {
        all.fetch_add(1, Ordering::Relaxed);
        Place(all)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const AT_ITS_END: &str = "the server is shutting down";

/// What a mutex holds. A thread that panicked has changed nothing by halves in any of them.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
