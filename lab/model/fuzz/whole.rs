//! A run document with every field, and a few series for each section of a report.

use serde_json::{Map, Value, json};

/// Returns the document. Its first series sets every field.
pub(super) fn document() -> Value {
    let all = [primitives(), sweep(), packets(), transfer(), files(), jvm(), tls()].concat();
    json!({"schema": 1, "run": run(), "machine": machine(), "series": all})
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

/// Returns a series. `task` is operation and algorithm, `who` library and state.
fn one(level: &str, task: &str, who: &str, bytes: u64, figure: f64, details: &Value) -> Value {
    let (operation, algorithm) = task.split_once(' ').expect("two words");
    let (library, state) = who.split_once(' ').expect("two words");
    let unit = match (level, operation, bytes) {
        ("files", ..) => "s",
        (_, "roundtrip", _) => "ops/min",
        (_, _, 0) => "ops/s",
        _ => "bytes/s",
    };
    let seconds = match unit {
        "s" => figure,
        "ops/min" => 60.0 / figure,
        "ops/s" => 1.0 / figure,
        _ => bytes as f64 / figure,
    };
    let is_bound = library.starts_with("limit-");
    let role = if is_bound { "bound" } else { "library" };
    let outcome = if is_bound { "unverified" } else { "measured" };
    let samples: Vec<Value> = (0..6).map(|round| sample(round, seconds, details)).collect();
    json!({"level": level, "operation": operation, "algorithm": algorithm, "bytes": bytes, "library": library,
        "library_version": "3.0.22", "role": role, "acceleration": state,
        "code_path": if state == "on" { "vaes512" } else { "unknown" }, "unit": unit, "samples": samples,
        "median": figure, "ci95": [figure * 0.99, figure * 1.01], "cycles_per_byte": 0.5, "outcome": outcome,
        "note": "a note", "details": details})
}

/// Returns a slice of 100 operations whose time varies by round; for transfers with both sides.
fn sample(round: u64, seconds: f64, details: &Value) -> Value {
    let ns = (seconds * 100e9 * (1.0 + (round % 3) as f64 * 1e-3)).ceil() as u64;
    let mut sample = json!({"process": round / 2, "round": round, "iterations": 100, "ns": ns, "cpu_ns": ns,
        "dropped": round == 5, "disturbed": round == 4, "core_hz": 4e9});
    if details.get("transport").is_some() {
        let side = json!({"cpu_ns": ns / 2, "kernel_ns": ns / 4, "waited_ns": 9});
        sample["sides"] = json!({"sender": side, "receiver": side, "packets": 100, "calls": 10, "lost": 1,
            "disturbed": round == 3});
    }
    sample
}

fn primitives() -> Vec<Value> {
    let one = |task, who, bytes, figure| {
        one("primitives", task, who, bytes, figure, &json!({"experiment": "memory", "threads": 1}))
    };
    let mut all = Vec::new();
    for (who, factor) in [("openssl on", 1.0), ("openssl off", 0.1), ("kasoku on", 1.3)] {
        for bytes in [16, 1024, 8192, 16_384] {
            all.push(one("seal aes-128-gcm", who, bytes, factor * 3e8 * (bytes as f64).ln()));
        }
        all.push(one("hash sha-256", who, 16_384, factor * 1e9));
        all.push(one("encrypt aes-128-cbc", who, 16_384, factor * 1.2e9));
        all.push(one("sign ed25519", who, 0, 3e4 * factor.sqrt()));
    }
    for (task, bytes, figure) in [
        ("decrypt aes-128-cbc", 16_384, 5e9),
        ("seal chacha20-poly1305", 16_384, 2e9),
        ("seal aes-128-cbc-hmac-sha1", 16_384, 8e8),
        ("verify ed25519", 0, 1e4),
        ("derive x25519", 0, 3e4),
        ("encapsulate ml-kem-768", 0, 5e4),
    ] {
        all.push(one(task, "openssl on", bytes, figure));
    }
    all.push(one("seal aes-128-gcm", "limit-gcm on", 16_384, 9e9));
    let changed = |change: Value| changed(&one("seal aes-128-gcm", "openssl on", 1024, 2.1e9), &change);
    all.extend([
        changed(json!({"details": {"experiment": "memory", "threads": 2, "keys": 4096, "nonces": "ahead", "aad": 13}})),
        changed(json!({"details": {"experiment": "memory", "control": true, "restarts": 1}})),
        changed(json!({"library": "ring", "samples": [], "details": {"experiment": "quoted", "core": "Cortex-A720", "apart": "an engine", "aead_row": "updates"}})),
        changed(json!({"library": "graviola", "median": null, "ci95": null, "samples": [],
            "outcome": {"failed": "it fell over"}, "note": "failed: it fell over"})),
    ]);
    all
}

/// Returns series of enough sizes to show steps.
fn sweep() -> Vec<Value> {
    let sizes = [16, 32, 64, 128, 256, 512];
    let seconds = |bytes: u64| 2e-8 + bytes as f64 * if bytes < 128 { 1e-9 } else { 1e-10 };
    let one = |bytes| {
        one(
            "primitives",
            "open aes-256-gcm",
            "kasoku on",
            bytes,
            bytes as f64 / seconds(bytes),
            &json!({"experiment": "memory", "aad": 13}),
        )
    };
    sizes.map(one).into()
}

fn packets() -> Vec<Value> {
    let base = json!({"experiment": "packets", "threads": 1, "batch": 1, "setup": true});
    let mut all = Vec::new();
    for (library, factor) in [("openssl on", 1.0), ("kasoku on", 2.0)] {
        let one = |task, bytes, figure, change| {
            one("packets", task, library, bytes, figure * factor, &changed(&base, &change))
        };
        for bytes in [1200, 1440] {
            all.push(one("seal aes-128-gcm", bytes, 5e9, json!({"setup": false})));
            all.push(one("seal aes-128-gcm", bytes, 4e9, json!({})));
            all.push(one("protect aes-128-gcm", bytes, 3e9, json!({})));
            all.push(one("protect aes-128-gcm", bytes, 4e9, json!({"batch": 16})));
        }
        all.push(one("unprotect aes-128-gcm", 1440, 3e9, json!({})));
        all.push(one("seal aes-128-gcm", 16_384, 6e9, json!({"record": true})));
        all.push(one("protect aes-128-gcm", 1440, 2e9, json!({"batch": 16, "loop": true})));
    }
    let bound = changed(&base, &json!({"setup": false}));
    all.push(one("packets", "seal aes-128-gcm", "limit-mixed on", 1440, 1e10, &bound));
    all
}

fn transfer() -> Vec<Value> {
    let mut all = Vec::new();
    for (who, protection, factor) in [("aws-lc on", "provider", 1.0), ("kasoku on", "one-pass", 1.5)] {
        for (transport, bytes) in [("quic", 1452), ("tls", 16_384)] {
            let details = json!({"experiment": "transfer", "transport": transport, "protection": protection,
                "through": "quinn 0.11.12", "sender_cpu_s_per_gb": 0.5, "receiver_cpu_s_per_gb": 0.6,
                "sender_kernel": 0.5, "receiver_kernel": 0.4, "packets_per_s": 4e4, "packets_per_call": 9.5,
                "packets": 1000, "lost": 1});
            all.push(one("packets", "transfer aes-128-gcm", who, bytes, factor * 1e9, &details));
        }
    }
    let control = changed(&all[0]["details"], &json!({"control": true}));
    all.push(changed(&all[0], &json!({"details": control})));
    all
}

fn files() -> Vec<Value> {
    let mut all = Vec::new();
    let mut add = |task, who, seconds, storage| {
        let details = json!({"experiment": "files", "storage": storage, "cache": "warm", "form": "stream", "buffer": 131_072,
            "threads": 1});
        for mib in [50, 100] {
            all.push(one("files", task, who, mib << 20, seconds * mib as f64, &details));
        }
    };
    add("encrypt aes-128-cbc", "openssl on", 0.02, "file");
    add("encrypt aes-128-cbc", "openssl off", 0.05, "file");
    add("decrypt aes-128-cbc", "openssl on", 0.01, "file");
    add("encrypt aes-256-gcm", "kasoku on", 0.01, "file");
    add("encrypt aes-256-gcm", "kasoku on", 0.005, "memory");
    add("encrypt aes-256-gcm", "limit-copy on", 0.001, "file");
    all
}

fn jvm() -> Vec<Value> {
    let base =
        json!({"experiment": "memory", "aad": 13, "flags": "", "jdk": "25.0.3", "nonces": "ahead", "threads": 1});
    let mut all = Vec::new();
    for (who, factor) in [("sunjce on", 1.0), ("sunjce off", 0.1), ("nss on", 0.5)] {
        all.push(one("jvm", "seal aes-128-gcm", who, 16_384, factor * 6e9, &base));
        all.push(one("jvm", "roundtrip crypto.aes", who, 0, factor * 900.0, &base));
        all.push(one("jvm", "roundtrip crypto.aes.aes", who, 0, factor * 3000.0, &base));
    }
    let flagged = changed(&base, &json!({"flags": "-XX:-UseAES", "allocated_bytes": 4096}));
    all.push(one("jvm", "seal aes-128-gcm", "sunjce on", 16_384, 1e9, &flagged));
    for (who, factor) in [("sunjce on", 1.0), ("kasoku-jca on", 1.4)] {
        let served = json!({"experiment": "https", "connections": 4, "provider_share": 1.0, "flags": "",
            "server_cpu_s_per_gb": 0.9});
        all.push(one("jvm", "serve tls_aes_128_gcm_sha256", who, 1 << 20, factor * 1e9, &served));
    }
    all
}

fn tls() -> Vec<Value> {
    let details = json!({"experiment": "server", "workers": 1, "latency_of": "connection", "concurrency": 4,
        "shares_cores": false, "bottleneck": "server-cpu", "server": "nginx 1.22.1", "server_cpu": 0.9, "client_cpu": 0.1,
        "server_cpu_max": 0.95, "server_cores": 1, "working_cores": 1, "client_cores": 1, "worst_latency_s": 0.1,
        "max_latency_s": 2.0, "worst_connection_s": 0.1, "worst_request_s": 0.2, "connection_p50_s": 0.05,
        "connection_p99_s": 0.09, "request_p50_s": 0.05, "request_p99_s": 0.09, "server_cpu_s_per_gb": 0.9,
        "client_cpu_s_per_gb": 0.7, "server_waited": 0.5, "provider_share": 1.0, "hosts": 2,
        "start_skew_s": 0.1, "elsewhere": true, "server_machine": "A CPU"});
    let mut all = Vec::new();
    for (task, who, rate) in [
        ("serve aes128-gcm-sha256", "openssl on", 1e9),
        ("serve aes128-sha", "openssl on", 5e8),
        ("serve aes128-gcm-sha256", "kasoku on", 1.2e9),
        ("serve aes128-gcm-sha256", "openssl off", 2e8),
    ] {
        for mib in [1, 4] {
            all.push(one("tls", task, who, mib << 20, rate, &details));
        }
    }
    all
}

/// Returns `object` with the members of `change`.
fn changed(object: &Value, change: &Value) -> Value {
    let members = |object: &Value| object.as_object().cloned().unwrap_or_default();
    members(object).into_iter().chain(members(change)).collect::<Map<_, _>>().into()
}
