//! Messages of other hosts that are damaged in every way: nothing ends the host that hears them, and what it accepts is
//! possible.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../../engine/tests/support/random.rs"]
mod random;
#[path = "../../../engine/fuzz/seeds.rs"]
mod seeds;

use bodies::{HOST, RUN, step};
use kasoku_fleet::lines::{Join, ServerAnswer, ServerDescription, ServerQuestion, Used};
use kasoku_fleet::orders::{FollowerAnswer, Introduction, LeaderOrder, StepOrder};
use kasoku_fleet::token::Token;
use kasoku_measure::tls::Busy;
use kasoku_measure::tls::host::Part;
use kasoku_model::document::FleetPart;
use kasoku_model::histogram::Histogram;
use random::Random;
use serde::Serialize;
use serde_json::json;

/// One message of each kind as hosts send it.
fn messages() -> Vec<Vec<u8>> {
    let token: Token = "00112233445566778899aabbccddeeff".parse().unwrap();
    let workers = Busy { mean: 0.3, most: 0.9, waited: 0.1, cpu_ns: 300_000_000 };
    let mut times = Histogram::default();
    (1..11).for_each(|number| times.add(number * 1_000_000));
    let StepOrder { server, suite, .. } = step();
    let description = ServerDescription {
        id: token.clone(),
        boot: "b".to_owned(),
        nginx: "1.22.1".to_owned(),
        openssl: "3.0.19".to_owned(),
        cpu: "A CPU".to_owned(),
        cores: vec![0, 1],
        connections_of_a_worker: 1000,
        folder: token.to_string(),
        servers: vec![(server.clone(), vec![(suite, 4433)])],
    };
    let part = Part {
        files: 10,
        ns: 1_100_000_000,
        late_ns: 1000,
        connection: times.clone(),
        request: times,
        clients: vec![workers; 2],
        pressures: 0,
    };
    let host = Introduction {
        name: HOST.to_owned(),
        boot: "b".to_owned(),
        kasoku: "0.1.0".to_owned(),
        error: Some("no nginx".to_owned()),
    };
    let of_fleet = FleetPart { run: RUN.to_owned(), host: HOST.to_owned(), hosts: 2 };
    let document = json!({"schema": 2, "machine": {"cpu": "c"}, "series": [],
        "run": {"id": format!("{RUN}-{HOST}"), "method": {"fleet": of_fleet}}});
    let used = Used { workers, pressures: 1, provided: Some(1 << 20), is_whole: true };
    vec![
        message(0, &Join { run: token.clone() }),
        message(1, &ServerQuestion::File(1 << 20)),
        message(1, &ServerQuestion::Watch(server)),
        message(2, &ServerAnswer::Here(description)),
        message(2, &ServerAnswer::Used(used)),
        message(3, &host),
        message(4, &LeaderOrder::Begin { part: of_fleet, run: token }),
        message(4, &LeaderOrder::Step(step())),
        message(4, &LeaderOrder::Go(5_000_000_000)),
        message(4, &LeaderOrder::End(Some("why".to_owned()))),
        message(5, &FollowerAnswer::Part(1, part)),
        message(5, &FollowerAnswer::Failed(Some(1), "why".to_owned())),
        message(6, &FollowerAnswer::Failed(None, "why".to_owned())),
        message(6, &document),
    ]
}

fn message(kind: u8, message: &impl Serialize) -> Vec<u8> {
    [&[kind][..], &serde_json::to_vec(message).unwrap()].concat()
}

#[test]
fn no_message_ends_the_host_that_hears_it() {
    const LIKED: [&[u8]; 10] =
        [b"-1", b"0", b"18446744073709551615", b"1e308", b"\\u001b[2J", b"null", b"[]", b"{}", b"\"\"", b"\xFF"];
    let samples = messages();
    for sample in &samples {
        let is_failure = sample == &message(6, &FollowerAnswer::Failed(None, "why".to_owned()));
        assert_eq!(bodies::messages(sample), !is_failure, "{}", String::from_utf8_lossy(sample));
    }
    let mut generator = Random::new(1);
    let mut random = |below: usize| generator.below(below.max(1));
    for turn in 0..40_000 {
        let mut message = samples[turn % samples.len()].clone();
        for _ in 0..=random(3) {
            let at = 1 + random(message.len() - 1);
            // A number or a word, whole.
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
            let to = at + message[at..].iter().take_while(|byte| is_word(byte)).count();
            match random(4) {
                0 => message.splice(at..to, LIKED[random(LIKED.len())].to_vec()).for_each(drop),
                1 => message[at] ^= 1 << random(8),
                2 => message.splice(at..at, message[at..to].to_vec()).for_each(drop),
                _ => drop(message.drain(at..(at + random(20)).min(message.len()))),
            }
            if message.len() < 2 {
                break;
            }
        }
        bodies::messages(&message);
    }
}

#[test]
fn what_fuzzing_kept() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "messages", |seed| _ = bodies::messages(seed));
}
