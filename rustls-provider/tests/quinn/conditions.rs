//! Connections under conditions that are not good.

use quinn::Endpoint;

use crate::configurations::{Crypto, LOOPBACK, echo, exchange, run, update_keys};
use crate::relay::{Relay, Weather};
use crate::support::certificates::Identity;

async fn through(weather: Weather, updates: bool) {
    let identity = Identity::ecdsa();
    for (server, client) in
        [(Crypto::OnePass, Crypto::OnePass), (Crypto::OnePass, Crypto::AwsLc), (Crypto::Ring, Crypto::Provider)]
    {
        let (_server, address) = echo(server.server(server.server_tls(&identity)));
        let relay = Relay::before(address, weather).await;
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let config = client.client(client.client_tls(None, identity.roots()));
        let connection = endpoint.connect_with(config, relay.address, "localhost").unwrap().await.unwrap();
        for _ in 0..4 {
            exchange(&connection, 100_000).await;
            if updates {
                update_keys(&connection).await;
            }
        }
        relay.assert_weather();
    }
}

#[test]
fn packets_are_lost() {
    run(through(Weather { lost: 3, ..Weather::default() }, true));
}

#[test]
fn packets_come_late_and_twice() {
    run(through(Weather { late: 20, twice: 10, ..Weather::default() }, true));
}

/// A changed packet is dropped and its data sent again; nothing else is affected.
#[test]
fn packets_are_changed() {
    run(through(Weather { changed: 3, ..Weather::default() }, false));
}

#[test]
fn all_of_it() {
    run(through(Weather { lost: 2, late: 10, twice: 5, changed: 2 }, true));
}

/// The client takes another port in the middle of it.
#[test]
fn clients_move() {
    run(async {
        let identity = Identity::ecdsa();
        for (server, client) in [(Crypto::OnePass, Crypto::OnePass), (Crypto::Provider, Crypto::OnePass)] {
            let (_server, address) = echo(server.server(server.server_tls(&identity)));
            let endpoint = Endpoint::client(LOOPBACK).unwrap();
            let config = client.client(client.client_tls(None, identity.roots()));
            let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
            for _ in 0..4 {
                exchange(&connection, 50_000).await;
                let before = endpoint.local_addr().unwrap();
                endpoint.rebind(std::net::UdpSocket::bind(LOOPBACK).unwrap()).unwrap();
                assert_ne!(endpoint.local_addr().unwrap(), before);
                exchange(&connection, 50_000).await;
            }
        }
    });
}
