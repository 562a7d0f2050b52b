//! What openssl says of itself before its tables: version, date, options, compiler, CPU.

use super::mask::CpuInfo;
use kasoku_model::library::{OPENSSL, VersionNumber, release};
use kasoku_model::printable::printable;

/// The version of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LibraryVersion {
    /// `OpenSSL` or `LibreSSL`.
    pub(super) library: &'static str,
    /// `1.1.1u`.
    pub(super) number: String,
}

impl LibraryVersion {
    /// Out of `OpenSSL 1.1.1u  30 May 2023` or `version: 3.0.2`.
    pub(super) fn read(line: &str) -> Option<LibraryVersion> {
        if let Some(number) = line.strip_prefix("version:") {
            let mut words = number.split_whitespace();
            let number = words.next().filter(|number| is_version(number))?;
            return words.next().is_none().then(|| LibraryVersion::new("OpenSSL", number));
        }
        let mut words = line.split_whitespace();
        let library = match words.next()? {
            "OpenSSL" => "OpenSSL",
            "LibreSSL" => "LibreSSL",
            _ => return None,
        };
        let number = words.next().map(|number| number.trim_end_matches(',')).filter(|number| is_version(number))?;
        // A heading or a sentence has no date after the version; LibreSSL has none either. Before the date may stand
        // "(beta)", and "built on" in the lines of sbc-bench.
        let rest: Vec<&str> = words.take(5).collect();
        let rest = rest.strip_prefix(&["built", "on"]).unwrap_or(&rest);
        let is_dated = rest.windows(3).take(2).any(|date| is_day(date[0]) && date[1].len() == 3 && date[2].len() == 4);
        let is_whole = is_dated || (library == "LibreSSL" && rest.is_empty());
        is_whole.then(|| LibraryVersion::new(library, number))
    }

    fn new(library: &'static str, number: &str) -> LibraryVersion {
        LibraryVersion { library, number: printable(number) }
    }

    /// Returns the major, minor and fix number.
    pub(super) fn release(&self) -> Option<VersionNumber> {
        release(&self.number)
    }

    /// Whether it is OpenSSL of that release or a later one.
    pub(super) fn is_from(&self, release: VersionNumber) -> bool {
        self.library == "OpenSSL" && self.release().is_some_and(|own| own >= release)
    }

    /// The name of the library.
    pub(super) fn library(&self) -> &'static str {
        if self.library == "LibreSSL" { "libressl" } else { OPENSSL }
    }
}

impl std::fmt::Display for LibraryVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.library, self.number)
    }
}

/// The lines before a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BuildInformation {
    pub(super) version: Option<LibraryVersion>,
    /// When it was built.
    pub(super) built: Option<String>,
    /// `bn(64,64)` and the like.
    pub(super) options: Option<String>,
    /// The compiler and its flags.
    pub(super) compiler: Option<String>,
    /// The CPU's capabilities.
    pub(super) cpu_info: Option<CpuInfo>,
}

impl BuildInformation {
    /// Whether both may come from one machine: nothing that both say differs.
    pub(super) fn may_be_the_same_machine(&self, other: &BuildInformation) -> bool {
        fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
            one.is_none() || other.is_none() || one == other
        }
        let cpus = self.cpu_info.as_ref().zip(other.cpu_info.as_ref());
        agree(&self.version, &other.version)
            && agree(&self.built, &other.built)
            && agree(&self.compiler, &other.compiler)
            && cpus.is_none_or(|(one, other)| one.may_be_the_same_cpu(other))
    }

    /// Takes over what it does not say itself.
    pub(super) fn complete_from(&mut self, other: &BuildInformation) {
        let BuildInformation { version, built, options, compiler, cpu_info } = other;
        self.version = self.version.take().or_else(|| version.clone());
        self.built = self.built.take().or_else(|| built.clone());
        self.options = self.options.take().or_else(|| options.clone());
        self.compiler = self.compiler.take().or_else(|| compiler.clone());
        self.cpu_info = self.cpu_info.take().or_else(|| cpu_info.clone());
    }

    /// The architecture as Rust names it, if these lines prove it.
    pub(super) fn architecture(&self) -> Option<&'static str> {
        let has_long_words = self.options.as_deref().and_then(has_long_words);
        let of_width = |long, short| has_long_words.map(|is_long| if is_long { long } else { short });
        match self.cpu_info.as_ref().and_then(|info| info.architecture.as_deref()) {
            Some("ia32") => return of_width("x86_64", "x86"),
            Some("arm") => return of_width("aarch64", "arm"),
            Some("s390x") => return Some("s390x"),
            _ => {}
        }
        let compiler = self.compiler.as_deref()?;
        if let Some(architecture) = triplet(compiler.split_whitespace().next()?) {
            return Some(architecture);
        }
        let has = |is_flag: fn(&str) -> bool| compiler.split_whitespace().any(is_flag);
        if has(|flag| matches!(flag, "-DOPENSSL_IA32_SSE2" | "-DAESNI_ASM")) {
            return of_width("x86_64", "x86");
        }
        // IBM's compilers name the machine by its generation: `-march=z196`.
        let is_z = has(|flag| flag.strip_prefix("-march=z").is_some_and(|name| !name.starts_with("nver")));
        let is_z = is_z || has(|flag| flag == "-DAES_CTR_ASM");
        (is_z && has(|flag| flag == "-DB_ENDIAN")).then_some("s390x")
    }
}

/// Whether the options have `bn(64,64)`: numbers of 64 bits in registers of 64 bits.
fn has_long_words(options: &str) -> Option<bool> {
    let bn = options.split("bn(").nth(1)?.split(')').next()?;
    match bn {
        "64,64" => Some(true),
        "64,32" | "32,32" | "32,16" => Some(false),
        _ => None,
    }
}

/// The architecture that a cross compiler's name begins with.
fn triplet(compiler: &str) -> Option<&'static str> {
    let (first, rest) = compiler.rsplit('/').next()?.split_once('-')?;
    // `gcc-12` is no cross compiler.
    rest.contains('-').then(|| architecture(first))?
}

/// What a compiler or `uname -m` calls it, as Rust names it.
pub(super) fn architecture(name: &str) -> Option<&'static str> {
    Some(match name {
        "x86_64" | "amd64" | "AMD64" => "x86_64",
        "i386" | "i486" | "i586" | "i686" | "x86" => "x86",
        "aarch64" | "aarch64_be" | "arm64" | "ARM64" => "aarch64",
        "mips" | "mipsel" => "mips",
        "mips64" | "mips64el" => "mips64",
        "powerpc" | "ppc" => "powerpc",
        "powerpc64" | "powerpc64le" | "ppc64" | "ppc64le" => "powerpc64",
        "riscv64" => "riscv64",
        "s390x" => "s390x",
        "loongarch64" => "loongarch64",
        arm if arm.starts_with("arm") => "arm",
        _ => return None,
    })
}

fn is_version(number: &str) -> bool {
    let parts: Vec<&str> = number.split('.').collect();
    number.len() <= 40 && parts.len() >= 3 && parts.iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_day(word: &str) -> bool {
    word == "xx" || (word.len() <= 2 && word.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(line: &str) -> Option<String> {
        LibraryVersion::read(line).map(|version| version.to_string())
    }

    #[test]
    fn versions_are_read_in_every_form() {
        assert_eq!(version("OpenSSL 1.0.1i 6 Aug 2014").as_deref(), Some("OpenSSL 1.0.1i"));
        assert_eq!(version("OpenSSL 1.0.1e-fips 11 Feb 2013").as_deref(), Some("OpenSSL 1.0.1e-fips"));
        assert_eq!(version("OpenSSL 1.1.1u  30 May 2023").as_deref(), Some("OpenSSL 1.1.1u"));
        assert_eq!(version("OpenSSL 1.1.1-pre9 (beta) 21 Aug 2018").as_deref(), Some("OpenSSL 1.1.1-pre9"));
        assert_eq!(version("version: 3.0.2").as_deref(), Some("OpenSSL 3.0.2"));
        assert_eq!(
            version("OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)").as_deref(),
            Some("OpenSSL 3.0.19")
        );
        assert_eq!(
            version("OpenSSL 3.0.2, built on 15 Mar 2022 (Library: OpenSSL 3.0.2 15 Mar 2022)").as_deref(),
            Some("OpenSSL 3.0.2")
        );
        assert_eq!(version("LibreSSL 3.3.6").as_deref(), Some("LibreSSL 3.3.6"));
        assert_eq!(LibraryVersion::read("version: 3.0.2").unwrap().release(), Some((3, 0, 2)));
    }

    #[test]
    fn prose_states_no_version() {
        for line in [
            "OpenSSL 3.0 is slower",
            "OpenSSL 1.1.1 is here",
            "OpenSSL 3.0.2",
            "OpenSSL",
            "version: three",
            "version: 3.0.2 or so",
            "LibreSSL 3.3.6 on macOS",
            "OpenSSL 3.0.2 99 Jan 2022",
        ] {
            assert_eq!(version(line), None, "{line}");
        }
    }

    #[test]
    fn architectures_are_proved_and_not_guessed() {
        let of = |options: &str, compiler: &str, cpu: Option<&str>| {
            BuildInformation {
                options: Some(options.into()),
                compiler: Some(compiler.into()),
                cpu_info: cpu.map(CpuInfo::read),
                ..BuildInformation::default()
            }
            .architecture()
        };
        assert_eq!(of("bn(64,32) rc4(char)", "arm-openwrt-linux-muslgnueabi-gcc -fPIC", None), Some("arm"));
        assert_eq!(of("bn(64,32)", "mipsel-openwrt-linux-musl-gcc -fPIC", None), Some("mips"));
        assert_eq!(of("bn(64,64)", "gcc -fPIC -m64 -DOPENSSL_IA32_SSE2", None), Some("x86_64"));
        assert_eq!(of("bn(64,64)", "gcc -fPIC", Some("OPENSSL_armcap=0xbf")), Some("aarch64"));
        assert_eq!(of("bn(64,32)", "arm-poky-linux-gnueabi-gcc", Some("OPENSSL_armcap=0x1")), Some("arm"));
        assert_eq!(of("bn(64,64)", "gcc", Some("OPENSSL_ia32cap=0x1:0x0")), Some("x86_64"));
        assert_eq!(of("bn(64,64)", "gcc -m64 -DB_ENDIAN -march=z196 -mtune=zEC12", None), Some("s390x"));
        assert_eq!(of("bn(64,64)", "gcc -DL_ENDIAN -march=znver3", None), None);
        assert_eq!(of("bn(64,64)", "gcc-12 -O2", None), None);
        assert_eq!(of("bn(64,64)", "cl /Zi", None), None);
    }
}
