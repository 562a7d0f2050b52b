//! Where the bytes come from and go to: files, pipes, devices.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use kasoku_file::{Destination, DestinationError};

use kasoku_libraries::command::refusal;
use kasoku_libraries::interruption;
use kasoku_model::printable::escaped;

use super::super::Failure;

/// What is read: a file, or standard input.
pub struct Input {
    path: Option<PathBuf>,
    file: Option<File>,
    /// What was read ahead of its turn.
    ahead: Vec<u8>,
    taken: usize,
}

impl Input {
    /// The file at `path`; without one, or with `-`, standard input.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let path = path.filter(|path| *path != Path::new("-"));
        let file = path
            .map(|path| match File::open(path) {
                Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_dir()) => {
                    Err(Failure::new(format!("{}: is a folder; name a file", path.display())))
                }
                Ok(file) => Ok(file),
                Err(error) => Err(Failure::new(format!("{}: {error}", path.display()))),
            })
            .transpose()?;
        Ok(Input { path: path.map(Path::to_owned), file, ahead: Vec::new(), taken: 0 })
    }

    /// The first bytes, at most `bytes`, which stay to be read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn peek(&mut self, bytes: usize) -> Result<&[u8], Failure> {
        let mut beginning = Vec::with_capacity(bytes);
        let read = match &mut self.file {
            Some(file) => file.take(bytes as u64).read_to_end(&mut beginning),
            None => io::stdin().lock().take(bytes as u64).read_to_end(&mut beginning),
        };
        read.map_err(|error| Failure::in_the_middle(format!("cannot read {self}: {error}")))?;
        self.ahead = beginning;
        Ok(&self.ahead)
    }

    /// Leaves out that number of the bytes that were peeked at.
    pub fn skip(&mut self, bytes: usize) {
        self.taken = (self.taken + bytes).min(self.ahead.len());
    }

    /// The file, if it is a regular one.
    pub fn regular(&self) -> Option<&File> {
        self.file.as_ref().filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))
    }

    /// How many bytes there are, where that is known.
    pub fn length(&self) -> Option<u64> {
        self.regular()?.metadata().ok().map(|metadata| metadata.len())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.ahead[self.taken..];
        if !rest.is_empty() {
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.taken += count;
            return Ok(count);
        }
        match &mut self.file {
            Some(file) => file.read(buffer),
            None => io::stdin().lock().read(buffer),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => f.write_str(&escaped(&path.to_string_lossy())),
            None => f.write_str("standard input"),
        }
    }
}

/// What is written to.
pub enum OutputTarget {
    /// Standard output; or with its path a device or a pipe. None has a second name beside it, so it is written to as
    /// it is.
    Stream(Option<PathBuf>, File),
    /// A file, which gets its name when it is whole.
    File(PathBuf, Destination),
    /// Nowhere: the input is only verified.
    Nowhere,
}

impl OutputTarget {
    /// The file at `path`; without one, or with `-`, standard output. A new file of plaintext is for its owner
    /// alone.
    ///
    /// # Errors
    /// If there is something that may not be replaced or written to, or none can be made; if encrypted bytes would go
    /// to a terminal.
    pub fn open(path: Option<&Path>, may_replace: bool, is_encrypted: bool) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            if is_encrypted && io::stdout().is_terminal() {
                return Err(Failure::new("refusing to write encrypted data to a terminal; use -o FILE or a pipe"));
            }
            let output = standard_output().map_err(|error| Failure::new(format!("standard output: {error}")))?;
            return Ok(OutputTarget::Stream(None, output));
        };
        let is_file = |metadata: &Metadata| metadata.is_file() || metadata.is_dir();
        if let Some(metadata) = std::fs::metadata(path).ok().filter(|metadata| !is_file(metadata)) {
            let refused = |why: &dyn fmt::Display| Failure::new(format!("{}: {why}", path.display()));
            // Looked at before, since opening may wait for somebody, and again, since it may be another by then.
            may_be_written(&metadata, may_replace).map_err(|why| refused(&why))?;
            let file = File::options().write(true).open(path).map_err(|error| refused(&error))?;
            let metadata = file.metadata().map_err(|error| refused(&error))?;
            if is_file(&metadata) {
                return Err(refused(&"changed while it was opened; try again"));
            }
            may_be_written(&metadata, may_replace).map_err(|why| refused(&why))?;
            return Ok(OutputTarget::Stream(Some(path.to_owned()), file));
        }
        let begin = if is_encrypted { Destination::new } else { Destination::private };
        let begun = interruption::remove_at_the_end(|name| {
            let begun = begin(path, may_replace);
            *name = begun.as_ref().ok().and_then(Destination::temporary).map(Path::to_owned);
            begun
        });
        match begun.map_err(|error| Failure::new(format!("cannot install signal handlers: {}", refusal(&error))))? {
            Ok(destination) => Ok(OutputTarget::File(path.to_owned(), destination)),
            Err(error @ DestinationError::Exists { .. }) => {
                Err(Failure::new(format!("{error}; use --force to replace it")))
            }
            Err(error) => Err(no_place(error)),
        }
    }

    /// Brings to the storage device what was written to standard output or to a device. (A file is brought there when
    /// it is kept.)
    ///
    /// # Errors
    /// If that fails: a pipe or a terminal keeps nothing.
    pub fn synchronise(&self) -> io::Result<()> {
        match self {
            OutputTarget::Stream(_, file) => file.sync_all(),
            OutputTarget::File(..) | OutputTarget::Nowhere => Ok(()),
        }
    }

    /// A file that is written to while it is read (`< FILE >> FILE`) would destroy itself, or grow until the disk is
    /// full; a device that is replaced by its own ciphertext, which is longer, ends in the middle.
    ///
    /// # Errors
    /// If it is the file or the device that `input` is.
    pub fn must_not_be(&self, input: &Input) -> Result<(), Failure> {
        #[cfg(not(unix))]
        let _ = input; // which file a handle is of is not asked there
        #[cfg(unix)]
        if let OutputTarget::Stream(_, output) = self {
            use rustix::fs::{FileType, fstat};
            let read = input.file.as_ref().map_or_else(|| fstat(io::stdin()), fstat);
            let is_one = match (read, fstat(output)) {
                (Ok(read), Ok(written)) => match FileType::from_raw_mode(written.st_mode) {
                    FileType::RegularFile => (read.st_dev, read.st_ino) == (written.st_dev, written.st_ino),
                    FileType::BlockDevice => {
                        FileType::from_raw_mode(read.st_mode) == FileType::BlockDevice
                            && read.st_rdev == written.st_rdev
                    }
                    _ => false,
                },
                _ => false,
            };
            if is_one {
                return Err(Failure::new(format!("{input} is both the input and {self}; name another file with -o")));
            }
        }
        Ok(())
    }

    /// The file, if it is a regular one.
    pub fn regular(&self) -> Option<&File> {
        match self {
            OutputTarget::File(_, destination) => Some(destination.file()),
            _ => None,
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If that fails.
    pub fn keep(self, sync: bool) -> Result<(), Failure> {
        match self {
            OutputTarget::File(_, destination) => match destination.keep(sync) {
                Ok(()) => Ok(()),
                Err(error @ DestinationError::Exists { .. }) => {
                    Err(Failure::new(format!("{error}; use --force to replace it")))
                }
                Err(error) => Err(Failure::in_the_middle(error)),
            },
            other if sync => other
                .synchronise()
                .map_err(|error| Failure::in_the_middle(format!("{other} was written, and cannot be synced: {error}"))),
            _ => Ok(()),
        }
    }
}

/// Whether something that is no file may be written to; if not, why.
#[cfg(unix)]
fn may_be_written(metadata: &Metadata, may_replace: bool) -> Result<(), &'static str> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let kind = metadata.file_type();
    if kind.is_block_device() && !may_replace {
        return Err("is a block device; use --force to overwrite what it holds");
    }
    // In a folder that everybody can write to, anybody could have put it there to get what is written.
    if kind.is_fifo() && ![0, rustix::process::geteuid().as_raw()].contains(&metadata.uid()) {
        return Err("is somebody else's pipe; to write there all the same, use > PIPE");
    }
    Ok(())
}

#[cfg(not(unix))]
fn may_be_written(_: &Metadata, _: bool) -> Result<(), &'static str> {
    Ok(())
}

/// That a file cannot be begun.
pub fn no_place(error: DestinationError) -> Failure {
    match error {
        DestinationError::System { path, error } if error.kind() == io::ErrorKind::NotFound => {
            Failure::new(format!("{}: its folder does not exist; create it", path.display()))
        }
        error => Failure::new(error),
    }
}

/// The file itself: the standard library's takes one that cannot be written to for one that takes everything, and
/// leaves a copy of what it wrote in memory.
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd as _;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn standard_output() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

impl Write for OutputTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputTarget::Stream(_, file) => file.write(bytes),
            OutputTarget::File(_, destination) => destination.write(bytes),
            OutputTarget::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputTarget::Stream(_, file) => file.flush(),
            OutputTarget::File(_, destination) => destination.flush(),
            OutputTarget::Nowhere => Ok(()),
        }
    }
}

impl fmt::Display for OutputTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputTarget::Stream(None, _) => f.write_str("standard output"),
            OutputTarget::Stream(Some(path), _) | OutputTarget::File(path, _) => {
                f.write_str(&escaped(&path.to_string_lossy()))
            }
            OutputTarget::Nowhere => f.write_str("nothing"),
        }
    }
}
