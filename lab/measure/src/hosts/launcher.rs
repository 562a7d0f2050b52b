//! Starts `kasoku` on another host by `ssh`, Slurm's `srun`, Open MPI's `mpirun`, or a command of the user.

use std::path::Path;
use std::process::Command;
use std::str::FromStr;

const HOST: &str = "{host}";
const MAX_HOST_NAME_BYTES: usize = 255;

/// A program that starts a command on a host and connects the command's standard streams to its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Launcher {
    /// OpenSSH, which must reach the host without a prompt.
    #[default]
    Ssh,
    /// Slurm's `srun`, inside an allocation.
    Srun,
    /// Open MPI's `mpirun`.
    Mpirun,
    /// Words of a command that the user gives; one of them contains `{host}`.
    Custom(Vec<String>),
}

impl Launcher {
    /// Returns the command that starts `kasoku host` on `host`, where `program` is its path. Without a path, ssh
    /// searches the PATH of the login shell, and the other launchers use the path of the program that runs here.
    pub fn command(&self, host: &str, program: Option<&Path>) -> std::io::Result<Command> {
        let known = |line: &str| line.split(' ').map(|word| word.replace(HOST, host)).collect();
        let words: Vec<String> = match self {
            // Without BatchMode a prompt would wait for an answer for ever.
            Launcher::Ssh => known("ssh -T -o BatchMode=yes -o ConnectTimeout=20 {host}"),
            Launcher::Srun => {
                known("srun --nodes=1 --ntasks=1 --overlap --unbuffered --cpu-bind=none --nodelist={host}")
            }
            // Open MPI binds a process to one core by default.
            Launcher::Mpirun => known("mpirun -n 1 --bind-to none --host {host}"),
            Launcher::Custom(words) => words.iter().map(|word| word.replace(HOST, host)).collect(),
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        match program {
            Some(program) => command.arg(program),
            None if *self == Launcher::Ssh => command.arg("kasoku"),
            None => command.arg(std::env::current_exe()?),
        };
        command.arg("host");
        Ok(command)
    }
}

impl FromStr for Launcher {
    type Err = String;

    fn from_str(text: &str) -> Result<Launcher, String> {
        match text {
            "ssh" => return Ok(Launcher::Ssh),
            "srun" => return Ok(Launcher::Srun),
            "mpirun" => return Ok(Launcher::Mpirun),
            _ => {}
        }
        let words = shell_words::split(text).map_err(|error| format!("the launcher cannot be split: {error}"))?;
        let names_host = |words: &[String]| words.iter().skip(1).any(|word| word.contains(HOST));
        match names_host(&words) {
            true => Ok(Launcher::Custom(words)),
            false => Err(format!("a launcher is ssh, srun, mpirun, or a command with {HOST}: 'docker exec -i {HOST}'")),
        }
    }
}

/// Checks that `name` is a single word and no option, so that it can be an argument of a launcher.
pub fn check_host_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@[]%".contains(c);
    match !name.is_empty() && name.len() <= MAX_HOST_NAME_BYTES && !name.starts_with('-') && name.chars().all(is_plain)
    {
        true => Ok(name.to_owned()),
        false => Err("a host is a name, an address, or USER@NAME".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(launcher: &str, program: Option<&str>) -> String {
        let launcher: Launcher = launcher.parse().unwrap();
        let command = launcher.command("node1", program.map(Path::new)).unwrap();
        let arguments = command.get_args().map(|word| word.to_string_lossy().into_owned());
        [vec![command.get_program().to_string_lossy().into_owned()], arguments.collect()].concat().join(" ")
    }

    #[test]
    fn launchers_start_kasoku_host_on_the_host() {
        assert_eq!(words("ssh", None), "ssh -T -o BatchMode=yes -o ConnectTimeout=20 node1 kasoku host");
        assert_eq!(words("mpirun", Some("/k")), "mpirun -n 1 --bind-to none --host node1 /k host");
        assert_eq!(
            words("srun", Some("/k")),
            "srun --nodes=1 --ntasks=1 --overlap --unbuffered --cpu-bind=none --nodelist=node1 /k host"
        );
        assert_eq!(words("ip netns exec {host}", Some("/k")), "ip netns exec node1 /k host");
        assert_eq!(words("ssh -p 2200 'root@{host}'", Some("/k")), "ssh -p 2200 root@node1 /k host");
        let own = std::env::current_exe().unwrap();
        assert_eq!(words("docker exec -i {host}", None), format!("docker exec -i node1 {} host", own.display()));
    }

    #[test]
    fn launcher_without_host_placeholder_is_rejected() {
        for wrong in ["", "rsh", "{host}", "ssh -p 22", "'open {host}"] {
            assert!(wrong.parse::<Launcher>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn check_host_name_rejects_options_and_shell_syntax() {
        for name in ["node1", "root@10.0.0.1", "fe80::1%eth0", "[::1]"] {
            assert!(check_host_name(name).is_ok(), "{name}");
        }
        for name in ["", "-oProxyCommand=x", "a b", "a;b", "$(x)", "ü", &"x".repeat(256)] {
            assert!(check_host_name(name).is_err(), "{name}");
        }
    }
}
