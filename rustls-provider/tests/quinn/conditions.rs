//! quinn connections over a bad network.

use quinn::Endpoint;

use crate::configurations::{Crypto, LOOPBACK, echo, exchange, run, update_keys};
use crate::relay::{Relay, Weather};
use crate::support::certificates::Identity;

async fn transfer_through(weather: Weather, updates: bool) {
    let identity = Identity::ecdsa();
    for (server, client) in
        [(Crypto::OnePass, Crypto::OnePass), (Crypto::OnePass, Crypto::AwsLc), (Crypto::Ring, Crypto::Provider)]
    {
        let (_server, address) = echo(server.server(server.server_tls(&identity)));
        let relay = Relay::start(address, weather).await;
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
fn quinn_connection_survives_lost_packets() {
    run(transfer_through(Weather { lost: 3, ..Weather::default() }, true));
}

#[test]
fn quinn_connection_survives_late_and_duplicate_packets() {
    run(transfer_through(Weather { late: 20, twice: 10, ..Weather::default() }, true));
}

/// A modified packet must be dropped and its data sent again, with no other effect.
#[test]
fn quinn_connection_survives_modified_packets() {
    run(transfer_through(Weather { changed: 3, ..Weather::default() }, false));
}

#[test]
fn quinn_connection_survives_all_packet_faults_together() {
    run(transfer_through(Weather { lost: 2, late: 10, twice: 5, changed: 2 }, true));
}

/// The client switches to another port during the connection.
#[test]
fn quinn_connection_survives_a_change_of_client_port() {
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
