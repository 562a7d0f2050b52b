//! Opens and writes the output of a subcommand.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use kasoku_file::{Destination, DestinationError};

use crate::failure::{Failure, escaped};
use crate::input::Input;

/// Output of a subcommand: a file, pipe or device, or none.
pub(crate) enum Output {
    /// Standard output, or a device or pipe with its path. Data is written directly to it.
    Stream(Option<PathBuf>, File),
    /// A file that gets its name when it is complete.
    File(PathBuf, Destination),
    /// No destination: the input is only verified.
    Nowhere,
}

impl Output {
    /// Opens the file at `path`; `None` and `-` are standard output. New files of plaintext are readable by their owner
    /// only.
    ///
    /// # Errors
    /// If an existing file or device may not be replaced or written to, if no file can be created, or if encrypted
    /// bytes would go to a terminal.
    pub(crate) fn open(path: Option<&Path>, may_replace: bool, is_encrypted: bool) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            if is_encrypted && io::stdout().is_terminal() {
                return Err(Failure::usage("refusing to write encrypted data to a terminal; use -o FILE or a pipe"));
            }
            // Does not use `Stdout`, which ignores a closed standard output and buffers a copy of its data in memory.
            let output =
                duplicate(io::stdout()).map_err(|error| Failure::usage(format!("standard output: {error}")))?;
            return Ok(Output::Stream(None, output));
        };
        if let Some(metadata) = std::fs::metadata(path).ok().filter(is_stream) {
            let refused = |why: &dyn fmt::Display| Failure::usage(format!("{}: {why}", path.display()));
            // Checks before opening, which may wait for a reader, and again afterwards, because the path may have been
            // replaced.
            check_stream(&metadata, may_replace).map_err(|why| refused(&why))?;
            let file = File::options().write(true).open(path).map_err(|error| refused(&error))?;
            let metadata = file.metadata().map_err(|error| refused(&error))?;
            if !is_stream(&metadata) {
                return Err(refused(&"changed while it was opened; try again"));
            }
            check_stream(&metadata, may_replace).map_err(|why| refused(&why))?;
            return Ok(Output::Stream(Some(path.to_owned()), file));
        }
        let begin = || if is_encrypted { Destination::new } else { Destination::private }(path, may_replace);
        #[cfg(unix)]
        let begun = {
            let mut undo = crate::interruption::undo().map_err(|error| {
                Failure::usage(format!("cannot install signal handlers: {}", crate::failure::thread_refusal(&error)))
            })?;
            let begun = begin();
            undo.file = begun.as_ref().ok().and_then(Destination::temporary).map(Path::to_owned);
            begun
        };
        #[cfg(not(unix))]
        let begun = begin();
        begun.map(|destination| Output::File(path.to_owned(), destination)).map_err(|error| match error {
            DestinationError::Exists { .. } => exists(&error),
            error => cannot_begin(error),
        })
    }

    /// Syncs a stream to the storage device. (Files are synced by [`keep`](Self::keep).)
    ///
    /// # Errors
    /// If syncing fails, as for pipes and terminals.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self {
            Output::Stream(_, file) => file.sync_all(),
            Output::File(..) | Output::Nowhere => Ok(()),
        }
    }

    /// Checks that the output is not the input. A file that is read and appended to (`< FILE >> FILE`) would be
    /// destroyed or fill the disk; a device is too short for its own ciphertext.
    ///
    /// # Errors
    /// If output and input are the same file or block device. (Not checked on Windows.)
    pub(crate) fn check_differs_from(&self, input: &Input) -> Result<(), Failure> {
        #[cfg(not(unix))]
        let _ = input;
        #[cfg(unix)]
        if let Output::Stream(_, output) = self {
            use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
            let is_same = |read: Metadata, written: Metadata| {
                let is_block_device = read.file_type().is_block_device() && written.file_type().is_block_device();
                (written.is_file() && (read.dev(), read.ino()) == (written.dev(), written.ino()))
                    || (is_block_device && read.rdev() == written.rdev())
            };
            if let (Ok(read), Ok(written)) = (input.file().metadata(), output.metadata())
                && is_same(read, written)
            {
                return Err(Failure::usage(format!("{input} is both the input and {self}; name another file with -o")));
            }
        }
        Ok(())
    }

    /// Returns the output if it is a regular file at a path. Returns `None` for standard output, pipes and devices.
    pub(crate) fn regular(&self) -> Option<&File> {
        match self {
            Output::File(_, destination) => Some(destination.file()),
            _ => None,
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be named, or if the output cannot be synced.
    pub(crate) fn keep(self, sync: bool) -> Result<(), Failure> {
        match self {
            Output::File(_, destination) => destination.keep(sync).map_err(|error| match error {
                DestinationError::Exists { .. } => exists(&error),
                error => Failure::work(error),
            }),
            other if sync => other
                .sync()
                .map_err(|error| Failure::work(format!("{other} was written, and cannot be synced: {error}"))),
            _ => Ok(()),
        }
    }
}

fn exists(error: &DestinationError) -> Failure {
    Failure::usage(format!("{error}; use --force to replace it"))
}

/// Describes why a file cannot be created.
pub(crate) fn cannot_begin(error: DestinationError) -> Failure {
    match error {
        DestinationError::System { path, error } if error.kind() == io::ErrorKind::NotFound => {
            Failure::usage(format!("{}: its folder does not exist; create it", path.display()))
        }
        error => Failure::usage(error),
    }
}

/// Returns whether the metadata are those of a device, pipe or socket.
fn is_stream(metadata: &Metadata) -> bool {
    !metadata.is_file() && !metadata.is_dir()
}

/// Checks that a device or pipe may be written to.
#[cfg(unix)]
fn check_stream(metadata: &Metadata, may_replace: bool) -> Result<(), &'static str> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let kind = metadata.file_type();
    if kind.is_block_device() && !may_replace {
        return Err("is a block device; use --force to overwrite what it holds");
    }
    // In a folder that everybody can write to, another user may have created the pipe to receive the output.
    if kind.is_fifo() && ![0, rustix::process::geteuid().as_raw()].contains(&metadata.uid()) {
        return Err("is somebody else's pipe; to write there all the same, use > PIPE");
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_stream(_: &Metadata, _: bool) -> Result<(), &'static str> {
    Ok(())
}

/// Duplicates a standard stream as a file without a buffer.
#[cfg(unix)]
pub(crate) fn duplicate(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(crate) fn duplicate(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(_, file) => file.write(bytes),
            Output::File(_, destination) => destination.write(bytes),
            Output::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(_, file) => file.flush(),
            Output::File(_, destination) => destination.flush(),
            Output::Nowhere => Ok(()),
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Stream(None, _) => f.write_str("standard output"),
            Output::Stream(Some(path), _) | Output::File(path, _) => f.write_str(&escaped(&path.to_string_lossy())),
            Output::Nowhere => f.write_str("nothing"),
        }
    }
}
