//! `kasoku import`: adds transcripts and run documents to the store.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{CommandOutcome, Failure, Format, tell, view};
use kasoku_import::source::{self, SourceError};
use kasoku_import::{self as import, ImportError, ImportRemark, Imported, ImportedMachine};
use kasoku_model::document::{Document, Series};
use kasoku_model::printable::printable;
use kasoku_report::language::Language;
use kasoku_report::render;
use kasoku_report::text::Text;
use kasoku_store::output_file;
use kasoku_store::{Store, location};

/// Add runs from elsewhere: output of openssl or bssl speed, collected files, documents
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku import kasoku-router-20261121.txt           written by collect/openssl_speed.sh on another device
  kasoku import blog.txt --name Opteron --name Xeon  a page with output of two machines, in this order
  kasoku import devices/*.txt --os OpenWrt
  openssl speed -elapsed -evp aes-128-gcm 2>&1 | kasoku import - --name \"this machine, by its own clock\"
  bssl speed -json | kasoku import - --name \"this machine, BoringSSL\"
  kasoku import run.json                             written by `kasoku export` elsewhere

Each file is imported completely or not at all. Lines that cannot be parsed are reported and skipped. Runs already in \
the store are not stored again.

Exit status: 0 everything was stored; 1 part of a file was skipped (the rest is stored); 2 a file was refused.")]
pub(crate) struct Args {
    /// Files to import; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of a machine; once for each machine in the files, in order [default: the file's name]
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Operating system of these machines
    #[arg(long, value_name = "OS")]
    os: Option<String>,
    /// Note about these figures
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Output format of the list of imported runs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Maximum number of remarks to print about a file.
const MAX_REMARKS: usize = 50;
/// Number of files to store in one transaction. If one fails, each file is stored again by itself.
const GROUP: usize = 100;
/// Maximum length of a name or note, in bytes.
const MAX_TEXT: usize = 1000;

/// Imports the files and lists their runs. Stores the other files even if one is rejected.
pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    check_texts(args)?;
    let (mut files, mut refused) = (Vec::new(), 0);
    for path in &args.files {
        match read(path) {
            Ok(file) => files.push(file),
            Err(why) => {
                refused += 1;
                tell(&why);
            }
        }
    }
    if refused > 0 && !args.name.is_empty() {
        return Err(Failure::new(format!(
            "{} not read, so --name cannot be matched to machines; nothing was stored",
            count(refused, "file was", "files were")
        )));
    }
    label(&mut files, args)?;

    let mut rows = Vec::new();
    // Without runs, no store is created.
    if !files.is_empty() {
        let mut store = Store::open(&location::locate(store)?)?;
        for result in files.chunks(GROUP).flat_map(|group| add(&mut store, group)) {
            match result {
                Ok(stored) => rows.extend(stored),
                Err(failure) => {
                    refused += 1;
                    tell(&failure.to_string());
                }
            }
        }
    }
    if !rows.is_empty() || args.format != Format::Table {
        output_file::print(&listed(&rows, args.format, language))?;
    }
    if let Some(row) = rows.iter().find(|row| row.is_new) {
        tell(&format!(
            "Next: `kasoku show {0}`, `kasoku export {0}`, `kasoku rank aes-128-gcm`, `kasoku advise {0}`",
            shell_words::quote(&row.run) // for pasting: an imported name may be hostile
        ));
    }
    if refused > 0 {
        let of = args.files.len();
        return Err(Failure::new(format!(
            "{refused} of {} not imported; {}",
            count(of, "file was", "files were"),
            if rows.is_empty() { "nothing was stored" } else { "the others are stored" }
        )));
    }
    let is_whole = files.iter().all(|file| file.imported.left_out.is_empty());
    Ok(if is_whole { CommandOutcome::Done } else { CommandOutcome::Partial })
}

struct ImportedFile {
    /// Path, escaped for printing.
    shown: String,
    /// Name without folder and extension.
    stem: String,
    imported: Imported,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct StoredRun {
    run: String,
    name: String,
    version: String,
    series: usize,
    #[serde(rename = "stored")]
    is_new: bool,
    file: String,
}

fn check_texts(args: &Args) -> Result<(), Failure> {
    let names = args.name.iter().map(|name| ("--name", name));
    let others = [("--os", &args.os), ("--note", &args.note)];
    for (option, text) in names.chain(others.into_iter().filter_map(|(option, text)| Some((option, text.as_ref()?)))) {
        if text.trim().is_empty() || text.len() > MAX_TEXT {
            return Err(Failure::new(format!("{option} takes 1 to {MAX_TEXT} bytes of text")));
        }
    }
    Ok(())
}

/// Reads a file, and prints a remark for each line that is left out.
fn read(path: &Path) -> Result<ImportedFile, String> {
    let is_standard_input = path == Path::new("-");
    let (shown, content) = match is_standard_input {
        true => ("standard input".to_owned(), source::bounded(std::io::stdin().lock())),
        false => (printable(&path.display().to_string()), source::read(path)),
    };
    let content = content.map_err(|error| match error {
        SourceError::TooLarge(error) => refusal(&shown, &error),
        other => format!("{shown}: {other}"),
    })?;
    let name = |part: Option<&OsStr>| match part {
        Some(part) if !is_standard_input => printable(&part.to_string_lossy()),
        _ => shown.clone(),
    };
    let stem = name(path.file_stem());
    let imported = import::import(&name(path.file_name()), &content).map_err(|error| refusal(&shown, &error))?;
    tell_remarks(&shown, &imported.left_out, "skipped: ");
    if imported.machines.is_empty() && !imported.left_out.is_empty() {
        tell(&format!("{shown}: no figure can be imported, for the reasons above"));
    } else if imported.machines.is_empty() {
        return Err(format!(
            "{shown}: no figures of `openssl speed` or `bssl speed` found; import such output, or a run document"
        ));
    }
    tell_remarks(&shown, &imported.notes, "");
    Ok(ImportedFile { shown, stem, imported })
}

fn refusal(shown: &str, error: &ImportError) -> String {
    let line = error.line().map(|line| format!(":{line}")).unwrap_or_default();
    format!("{shown}{line}: {error}")
}

fn tell_remarks(shown: &str, remarks: &[ImportRemark], what: &str) {
    for remark in remarks.iter().take(MAX_REMARKS) {
        let place = remark.line.map(|line| format!(":{line}")).unwrap_or_default();
        tell(&format!("{shown}{place}: {what}{}", remark.text));
    }
    if remarks.len() > MAX_REMARKS {
        tell(&format!("{shown}: {what}{} more lines", remarks.len() - MAX_REMARKS));
    }
}

/// Sets the names, operating system and note of the imported machines to those that the user gave on the command line.
fn label(files: &mut [ImportedFile], args: &Args) -> Result<(), Failure> {
    let machines: usize = files.iter().map(|file| file.imported.machines.len()).sum();
    if !args.name.is_empty() && args.name.len() != machines {
        let found = files.iter().flat_map(|file| file.imported.machines.iter().map(|found| described(file, found)));
        return Err(Failure::new(format!(
            "--name is given {}, but there {} in these files; give it once for each, in this order; nothing was \
             stored\n{}",
            count(args.name.len(), "time", "times"),
            if machines == 1 { "is 1 machine".to_owned() } else { format!("are {machines} machines") },
            found.collect::<Vec<_>>().join("\n")
        )));
    }
    let mut names = args.name.iter();
    for file in files {
        let of = file.imported.machines.len();
        for (index, found) in file.imported.machines.iter_mut().enumerate() {
            let Document { run, machine, .. } = &mut found.document;
            if let Some(name) = names.next() {
                machine.name = Some(name.clone());
            } else if machine.label().is_empty() {
                let number = if of > 1 { format!(" {}", index + 1) } else { String::new() };
                machine.name = Some(format!("{}{number}", file.stem));
            }
            if let Some(os) = &args.os {
                machine.os = Some(os.clone());
            }
            if let Some(note) = &args.note {
                match &mut run.origin {
                    Some(origin) => origin.note = Some(note.clone()),
                    None => run.notes.push(note.clone()),
                }
            }
        }
    }
    Ok(())
}

fn described(file: &ImportedFile, found: &ImportedMachine) -> String {
    let (first, last) = found.lines;
    let Document { machine, series, .. } = &found.document;
    let label = Some(printable(machine.label())).filter(|label| !label.is_empty()).map(|label| format!(", {label}"));
    let count = count(series.len(), "figure", "figures");
    format!(
        "  {}:{first}–{last}: {}, {count}{}",
        file.shown,
        printable(&library_versions(&found.document)),
        label.unwrap_or_default()
    )
}

/// Stores the runs of `files`: all runs of a file or none. Runs that the store already has stay unchanged. Returns a
/// result for each file.
fn add(store: &mut Store, files: &[ImportedFile]) -> Vec<Result<Vec<StoredRun>, Failure>> {
    let mut documents: HashMap<&str, &Document> = HashMap::new();
    let planned: Vec<_> = files.iter().map(|file| plan(store, file, &mut documents)).collect();
    let new = planned.iter().flatten().flat_map(|(_, new)| new.iter().copied());
    let Err(error) = store.add_documents(new) else {
        return planned.into_iter().map(|plan| plan.map(|(rows, _)| rows)).collect();
    };
    // One transaction for all files is faster. If it fails, store each file by itself to find the faulty one.
    if files.len() == 1 {
        return vec![Err(Failure::new(format!("{}: {error}", files[0].shown)))];
    }
    files.iter().flat_map(|file| add(store, std::slice::from_ref(file))).collect()
}

type Plan<'f> = (Vec<StoredRun>, Vec<&'f Document>);

/// Returns the rows for a file, and its new documents: those neither in the store nor in `documents`, which come from
/// earlier files.
fn plan<'f>(
    store: &Store,
    file: &'f ImportedFile,
    documents: &mut HashMap<&'f str, &'f Document>,
) -> Result<Plan<'f>, Failure> {
    let mut rows = Vec::new();
    let mut new = Vec::new();
    for found in &file.imported.machines {
        let document = &found.document;
        let id = document.run.id.as_str();
        let in_this_file = || new.iter().copied().find(|new: &&Document| new.run.id == id);
        let before = documents.get(id).copied().or_else(in_this_file);
        let stored = if before.is_none() && store.contains(id)? { Some(store.load(id)?) } else { None };
        let known = before.or(stored.as_ref());
        if known.is_some_and(|known| !is_same_run(known, document)) {
            let shown = &file.shown;
            return Err(Failure::new(format!(
                "{shown}: the store already has a run {id:?} with other figures, which was kept; import this one into \
                 another store with --store FILE"
            )));
        }
        let is_new = known.is_none();
        if is_new {
            new.push(document);
        }
        rows.push(StoredRun {
            run: id.to_owned(),
            name: known.unwrap_or(document).machine.label().to_owned(), // commands accept this name for the run
            version: library_versions(document),
            series: document.series.len(),
            is_new,
            file: file.shown.clone(),
        });
    }
    // Only documents of an accepted file count as stored.
    documents.extend(new.iter().map(|document: &&Document| (document.run.id.as_str(), *document)));
    Ok((rows, new))
}

/// Returns whether two documents are of the same run. Names, notes and origin may differ.
fn is_same_run(stored: &Document, document: &Document) -> bool {
    stored.series == document.series
        && stored.run.started == document.run.started
        && stored.run.method == document.run.method
        && stored.run.complete == document.run.complete
}

/// Returns the measured libraries with their versions.
fn library_versions(document: &Document) -> String {
    let mut known = HashSet::new();
    let mut versions: Vec<String> = Vec::new();
    for Series { library, library_version, .. } in &document.series {
        if known.insert((library, library_version)) {
            let is_named = library_version.to_lowercase().starts_with(library);
            versions.push(if is_named { library_version.clone() } else { format!("{library} {library_version}") });
        }
    }
    versions.join(", ")
}

fn listed(rows: &[StoredRun], format: Format, language: Language) -> String {
    let name = |name: &str| Text::name(name, usize::MAX);
    let cells = |row: &StoredRun| {
        let state = if row.is_new { "lists-stored" } else { "lists-already-stored" };
        let StoredRun { run, name: called, version, series, file, .. } = row;
        vec![name(run), name(called), name(version), series.to_string().into(), Text::message(state), name(file)]
    };
    let cells: Vec<Vec<Text>> = rows.iter().map(cells).collect();
    let objects = serde_json::to_value(rows).unwrap_or_default();
    let names = ["run", "name", "version", "series", "state", "file"];
    render::named_list(&names, &cells, objects, format, view(language))
}

fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
