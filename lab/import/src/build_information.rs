//! Reads the lines that openssl prints about its own build: version, date, options, compiler and CPU.

use super::mask::CpuInfo;
use kasoku_model::library::{AWS_LC, OPENSSL, VersionNumber, release};
use kasoku_model::printable::printable;

/// The version in documents if the transcript states none.
pub(super) const NOT_STATED: &str = "version not stated";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LibraryVersion {
    /// `OpenSSL`, `LibreSSL`, `BoringSSL` or `AWS-LC`.
    pub(super) library: &'static str,
    /// For example `1.1.1u`; empty for a library that does not print its version.
    pub(super) number: String,
}

impl LibraryVersion {
    /// Reads lines like `OpenSSL 1.1.1u  30 May 2023` and `version: 3.0.2`.
    pub(super) fn read(line: &str) -> Option<LibraryVersion> {
        if let Some(number) = line.strip_prefix("version:") {
            let mut words = number.split_whitespace();
            let number = words.next().filter(|number| is_version(number))?;
            return words.next().is_none().then(|| LibraryVersion { library: "OpenSSL", number: printable(number) });
        }
        let mut words = line.split_whitespace();
        let library = match words.next()? {
            "OpenSSL" => "OpenSSL",
            "LibreSSL" => "LibreSSL",
            _ => return None,
        };
        let number = words.next().map(|number| number.trim_end_matches(',')).filter(|number| is_version(number))?;
        // A date after the version distinguishes printed versions from headings and sentences; LibreSSL prints no date.
        // The date may follow "(beta)" or, in lines of sbc-bench, "built on".
        let rest: Vec<&str> = words.take(5).collect();
        let rest = rest.strip_prefix(&["built", "on"]).unwrap_or(&rest);
        let is_dated = rest.windows(3).take(2).any(|date| is_day(date[0]) && date[1].len() == 3 && date[2].len() == 4);
        let is_whole = is_dated || (library == "LibreSSL" && rest.is_empty());
        is_whole.then(|| LibraryVersion { library, number: printable(number) })
    }

    pub(super) fn release(&self) -> Option<VersionNumber> {
        release(&self.number)
    }

    /// Whether the library is OpenSSL, in `release` or a later one.
    pub(super) fn is_from(&self, release: VersionNumber) -> bool {
        self.library == "OpenSSL" && self.release().is_some_and(|own| own >= release)
    }

    /// Returns the library's name in run documents.
    pub(super) fn library(&self) -> &'static str {
        match self.library {
            "LibreSSL" => "libressl",
            "BoringSSL" => "boringssl",
            "AWS-LC" => AWS_LC,
            _ => OPENSSL,
        }
    }
}

impl std::fmt::Display for LibraryVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.number.as_str() {
            "" => f.write_str(NOT_STATED),
            number => write!(f, "{} {number}", self.library),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BuildInformation {
    pub(super) version: Option<LibraryVersion>,
    pub(super) built: Option<String>,
    /// For example `bn(64,64) rc4(16x,int)`.
    pub(super) options: Option<String>,
    pub(super) compiler: Option<String>,
    pub(super) cpu_info: Option<CpuInfo>,
}

impl BuildInformation {
    /// Whether `self` and `other` may come from one machine: all lines that both have are equal.
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

    /// Copies lines that `self` lacks from `other`.
    pub(super) fn complete_from(&mut self, other: &BuildInformation) {
        let BuildInformation { version, built, options, compiler, cpu_info } = other;
        self.version = self.version.take().or_else(|| version.clone());
        self.built = self.built.take().or_else(|| built.clone());
        self.options = self.options.take().or_else(|| options.clone());
        self.compiler = self.compiler.take().or_else(|| compiler.clone());
        self.cpu_info = self.cpu_info.take().or_else(|| cpu_info.clone());
    }

    /// Returns Rust's name of the architecture if the lines about the build prove it.
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

/// Whether the options have `bn(64,64)`: big numbers in 64-bit words, on a 64-bit architecture.
fn has_long_words(options: &str) -> Option<bool> {
    let bn = options.split("bn(").nth(1)?.split(')').next()?;
    match bn {
        "64,64" => Some(true),
        "64,32" | "32,32" | "32,16" => Some(false),
        _ => None,
    }
}

/// Returns the architecture in a cross compiler's name: `arm-openwrt-linux-gcc`.
fn triplet(compiler: &str) -> Option<&'static str> {
    let (first, rest) = compiler.rsplit('/').next()?.split_once('-')?;
    // `gcc-12` is no cross compiler.
    rest.contains('-').then(|| architecture(first))?
}

/// Returns Rust's name for an architecture in the spelling of compilers or `uname -m`.
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

    #[test]
    fn library_version_is_read_from_lines_of_every_release() {
        for (line, version) in [
            ("OpenSSL 1.0.1i 6 Aug 2014", "OpenSSL 1.0.1i"),
            ("OpenSSL 1.0.1e-fips 11 Feb 2013", "OpenSSL 1.0.1e-fips"),
            ("OpenSSL 1.1.1u  30 May 2023", "OpenSSL 1.1.1u"),
            ("OpenSSL 1.1.1-pre9 (beta) 21 Aug 2018", "OpenSSL 1.1.1-pre9"),
            ("version: 3.0.2", "OpenSSL 3.0.2"),
            ("OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)", "OpenSSL 3.0.19"),
            ("OpenSSL 3.0.2, built on 15 Mar 2022 (Library: OpenSSL 3.0.2 15 Mar 2022)", "OpenSSL 3.0.2"),
            ("LibreSSL 3.3.6", "LibreSSL 3.3.6"),
        ] {
            assert_eq!(LibraryVersion::read(line).unwrap().to_string(), version, "{line}");
        }
        assert_eq!(LibraryVersion::read("version: 3.0.2").unwrap().release(), Some((3, 0, 2)));
    }

    #[test]
    fn library_version_is_not_read_from_prose() {
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
            assert_eq!(LibraryVersion::read(line), None, "{line}");
        }
    }

    #[test]
    fn architecture_of_a_build_is_none_unless_proved() {
        for (options, compiler, cpu, expected) in [
            ("bn(64,32) rc4(char)", "arm-openwrt-linux-muslgnueabi-gcc -fPIC", None, Some("arm")),
            ("bn(64,32)", "mipsel-openwrt-linux-musl-gcc -fPIC", None, Some("mips")),
            ("bn(64,64)", "gcc -fPIC -m64 -DOPENSSL_IA32_SSE2", None, Some("x86_64")),
            ("bn(64,64)", "gcc -fPIC", Some("OPENSSL_armcap=0xbf"), Some("aarch64")),
            ("bn(64,32)", "arm-poky-linux-gnueabi-gcc", Some("OPENSSL_armcap=0x1"), Some("arm")),
            ("bn(64,64)", "gcc", Some("OPENSSL_ia32cap=0x1:0x0"), Some("x86_64")),
            ("bn(64,64)", "gcc -m64 -DB_ENDIAN -march=z196 -mtune=zEC12", None, Some("s390x")),
            ("bn(64,64)", "gcc -DL_ENDIAN -march=znver3", None, None),
            ("bn(64,64)", "gcc-12 -O2", None, None),
            ("bn(64,64)", "cl /Zi", None, None),
        ] {
            let (options, compiler) = (Some(options.to_owned()), Some(compiler.to_owned()));
            let cpu_info = cpu.map(CpuInfo::read);
            let build = BuildInformation { options, compiler, cpu_info, ..BuildInformation::default() };
            assert_eq!(build.architecture(), expected, "{build:?}");
        }
    }
}
