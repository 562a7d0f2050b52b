//! A run document with every field, and series of each experiment.

use serde_json::{Value, json};

/// Returns the document. Its first series sets every field that a series has besides its details.
pub(super) fn document() -> Value {
    json!({"schema": 1, "run": run(), "machine": machine(), "series": series()})
}

fn run() -> Value {
    json!({"id": "whole", "started": "2026-11-22T17:58:18Z", "kasoku": "0.1.0", "command": "kasoku run",
        "complete": true, "seconds": 3.1, "label": "a", "origin": null, "notes": ["a note", "tls: another"],
        "method": {"processes": 3, "rounds": 6, "slice_ms": 20.0, "core_clock": "a counter", "core_hz": 4e9,
            "noise_floor": 0.006, "noise_floors": {"sha-256": 0.01}, "noise_floor_library": "openssl",
            "loop_ns": 0.5,
            "limits": [{"name": "nofile", "value": "9", "published": "20", "connections": 4}],
            "remarks": [{"kind": "dropped-slices", "percent": 1.5}, {"kind": "outliers", "percent": 2.5},
                {"kind": "kept-slices", "slices": 2, "series": 1}, {"kind": "slower-clock", "from": 4.0, "to": 3.0},
                {"kind": "first-limit", "name": "nofile", "value": "9", "published": "20", "connections": 4}]},
        "libraries": [{"library": "openssl", "version": "3.0.22", "acceleration": "on", "cpu_features": "aes",
            "loaded_from": "/usr/lib/libcrypto.so"}],
        "omissions": [{"level": "tls", "library": "kasoku", "acceleration": "off", "algorithm": "aes-128-gcm",
            "why": "there is none", "install": "apt-get install it", "reason": "unsupported"}]})
}

fn machine() -> Value {
    json!({"name": "m", "cpu": "A CPU", "arch": "x86_64", "features": ["aes", "pclmulqdq", "vaes", "sha_ni"],
        "cores": 2, "logical_cpus": 2, "kernel": "Linux 6.1.0", "hypervisor": "KVM", "os": "Debian GNU/Linux 12",
        "memory": 8_000_000_000_u64, "governor": "performance", "boost": true,
        "microarchitecture": "Intel family 6 model 207 stepping 2 (Emerald Rapids)", "emulated_on": null, "wine": null})
}

/// Returns a series with six samples. `task` is level, operation and algorithm.
fn one(task: &str, library: &str, bytes: u64, unit: &str, details: &Value) -> Value {
    let [level, operation, algorithm] = task.split(' ').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let is_bound = library.starts_with("limit-");
    let samples: Vec<Value> = (0..6).map(|round| sample(round, details)).collect();
    json!({"level": level, "operation": operation, "algorithm": algorithm, "bytes": bytes, "library": library,
        "library_version": "3.0.22", "role": if is_bound { "bound" } else { "library" }, "acceleration": "on",
        "code_path": "vaes512", "unit": unit, "samples": samples, "median": 2e9, "ci95": [1.9e9, 2.1e9],
        "cycles_per_byte": 0.5, "outcome": if is_bound { "unverified" } else { "measured" }, "note": "a note",
        "details": details})
}

/// Returns a slice of 100 operations whose time varies by round; a slice of a transfer also has the CPU times of sender
/// and receiver.
fn sample(round: u64, details: &Value) -> Value {
    let ns = 1_000_000 + round % 3 * 1000;
    let mut sample = json!({"process": round / 2, "round": round, "iterations": 100, "ns": ns, "cpu_ns": ns,
        "dropped": round == 5, "disturbed": round == 4, "core_hz": 4e9});
    if details.get("transport").is_some() {
        let side = json!({"cpu_ns": ns / 2, "kernel_ns": ns / 4, "waited_ns": 9});
        sample["sides"] = json!({"sender": side, "receiver": side, "packets": 100, "calls": 10, "lost": 1,
            "disturbed": round == 3});
    }
    sample
}

fn series() -> Vec<Value> {
    let memory = json!({"experiment": "memory", "threads": 2, "keys": 4096, "nonces": "ahead", "aad": 13,
        "control": true, "restarts": 1, "jdk": "25.0.3", "flags": "-XX:-UseAES", "allocated_bytes": 4096,
        "has_own_clock": true});
    let plain = json!({"experiment": "memory"});
    let quoted = json!({"experiment": "quoted", "core": "Cortex-A720", "apart": "an engine", "aead_row": "updates",
        "aad": 13, "is_low_level": true});
    let packets = json!({"experiment": "packets", "threads": 1, "batch": 16, "setup": true, "loop": true});
    let record = json!({"experiment": "packets", "batch": 1, "setup": true, "record": true});
    let transfer = json!({"experiment": "transfer", "transport": "quic", "protection": "one-pass",
        "through": "quinn 0.11.12", "sender_cpu_s_per_gb": 0.5, "receiver_cpu_s_per_gb": 0.6,
        "sender_kernel": 0.5, "receiver_kernel": 0.4, "packets_per_s": 4e4, "packets_per_call": 9.5,
        "packets": 1000, "lost": 1, "shares_cores": true});
    let files = json!({"experiment": "files", "storage": "file", "cache": "warm", "form": "stream",
        "buffer": 131_072});
    let https = json!({"experiment": "https", "connections": 4, "provider_share": 1.0, "flags": "",
        "server": "com.sun", "cipher": "TLS_AES_128_GCM_SHA256", "server_cores": 1, "server_cpu_s_per_gb": 0.9});
    let server = json!({"experiment": "server", "workers": 1, "latency_of": "connection", "concurrency": 4,
        "shares_cores": false, "bottleneck": "server-cpu", "server": "nginx 1.22.1", "server_cpu": 0.9,
        "client_cpu": 0.1, "server_cpu_max": 0.95, "server_cores": 1, "working_cores": 1, "client_cores": 1,
        "worst_latency_s": 0.1, "max_latency_s": 2.0, "worst_connection_s": 0.1, "worst_request_s": 0.2,
        "connection_p50_s": 0.05, "connection_p99_s": 0.09, "request_p50_s": 0.05, "request_p99_s": 0.09,
        "server_cpu_s_per_gb": 0.9, "client_cpu_s_per_gb": 0.7, "server_waited": 0.5, "provider_share": 1.0, "hosts": 2,
        "start_skew_s": 0.1, "elsewhere": true, "server_machine": "A CPU"});
    let mut all: Vec<Value> = [
        ("primitives seal aes-128-gcm", "openssl", 1024, "bytes/s", &memory),
        ("primitives hash sha-256", "kasoku", 16_384, "bytes/s", &plain),
        ("primitives sign ed25519", "openssl", 0, "ops/s", &plain),
        ("primitives encapsulate ml-kem-768", "graviola", 0, "ops/s", &plain),
        ("primitives seal aes-128-gcm", "limit-gcm", 16_384, "bytes/s", &plain),
        ("primitives seal aes-128-gcm", "ring", 1024, "bytes/s", &quoted),
        ("packets protect aes-128-gcm", "kasoku", 1440, "bytes/s", &packets),
        ("packets seal aes-128-gcm", "openssl", 16_384, "bytes/s", &record),
        ("packets transfer aes-128-gcm", "kasoku", 1452, "bytes/s", &transfer),
        ("files encrypt aes-128-cbc", "openssl", 50 << 20, "s", &files),
        ("jvm roundtrip crypto.aes", "sunjce", 0, "ops/min", &memory),
        ("jvm serve tls_aes_128_gcm_sha256", "kasoku-jca", 1 << 20, "bytes/s", &https),
        ("tls serve aes128-gcm-sha256", "openssl", 1 << 20, "bytes/s", &server),
    ]
    .map(|(task, library, bytes, unit, details)| one(task, library, bytes, unit, details))
    .into();
    // A quoted figure has no samples, and a failed series has no figure.
    all[5]["samples"] = json!([]);
    let failed = all[1].as_object_mut().expect("a series");
    failed.extend([("median".into(), Value::Null), ("ci95".into(), Value::Null)]);
    failed.insert("outcome".into(), json!({"failed": "it fell over"}));
    all.extend((1..=6).map(|power| one("primitives open aes-256-gcm", "kasoku", 8 << power, "bytes/s", &plain)));
    all
}
