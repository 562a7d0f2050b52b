//! A bad network: packets are lost, late, twice, changed.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;

use crate::configurations::LOOPBACK;

/// What becomes of packets, each in so many of a hundred.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weather {
    pub(crate) lost: u32,
    pub(crate) late: u32,
    pub(crate) twice: u32,
    pub(crate) changed: u32,
}

/// Stands between clients and a server until it is dropped.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Relay {
    pub(crate) async fn before(server: SocketAddr, weather: Weather) -> Self {
        let socket = Arc::new(UdpSocket::bind(LOOPBACK).await.unwrap());
        let address = socket.local_addr().unwrap();
        let task = tokio::spawn(async move {
            let mut towards_server: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
            let mut buffer = vec![0; 65_536];
            let mut dice = Dice(0x2545_F491_4F6C_DD1D);
            loop {
                let Ok((bytes, client)) = socket.recv_from(&mut buffer).await else { continue };
                if let std::collections::hash_map::Entry::Vacant(place) = towards_server.entry(client) {
                    let own = Arc::new(UdpSocket::bind(LOOPBACK).await.unwrap());
                    own.connect(server).await.unwrap();
                    place.insert(Arc::clone(&own));
                    tokio::spawn(way_back(own, Arc::clone(&socket), client, weather));
                }
                let own = Arc::clone(&towards_server[&client]);
                pass_on(&mut dice, weather, buffer[..bytes].to_vec(), move |packet| {
                    let own = Arc::clone(&own);
                    async move {
                        let _ = own.send(&packet).await;
                    }
                });
            }
        });
        Self { address, task }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn way_back(own: Arc<UdpSocket>, socket: Arc<UdpSocket>, client: SocketAddr, weather: Weather) {
    let mut buffer = vec![0; 65_536];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    loop {
        let Ok(bytes) = own.recv(&mut buffer).await else { return };
        let socket = Arc::clone(&socket);
        pass_on(&mut dice, weather, buffer[..bytes].to_vec(), move |packet| {
            let socket = Arc::clone(&socket);
            async move {
                let _ = socket.send_to(&packet, client).await;
            }
        });
    }
}

fn pass_on<F>(dice: &mut Dice, weather: Weather, mut packet: Vec<u8>, send: impl Fn(Vec<u8>) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    if dice.falls(weather.lost) {
        return;
    }
    if dice.falls(weather.changed) {
        let position = dice.next() as usize % packet.len();
        packet[position] ^= 1 << (dice.next() % 8);
    }
    let copies = 1 + u32::from(dice.falls(weather.twice));
    let delay = if dice.falls(weather.late) { 1 + dice.next() % 8 } else { 0 };
    tokio::spawn(async move {
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        for _ in 0..copies {
            send(packet.clone()).await;
        }
    });
}

/// Falls the same way every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn falls(&mut self, of_a_hundred: u32) -> bool {
        self.next() % 100 < u64::from(of_a_hundred)
    }
}
