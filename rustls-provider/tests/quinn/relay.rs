//! Simulates a bad network: packets are lost, delayed, duplicated or modified.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::net::UdpSocket;

use crate::configurations::LOOPBACK;

/// Percentages of packets to lose, delay, duplicate or modify.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weather {
    pub(crate) lost: u32,
    pub(crate) late: u32,
    pub(crate) twice: u32,
    pub(crate) changed: u32,
}

/// Relay between clients and a server, until it is dropped.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    weather: Weather,
    damage: Arc<Damage>,
    task: tokio::task::JoinHandle<()>,
}

impl Relay {
    pub(crate) async fn start(server: SocketAddr, weather: Weather) -> Self {
        let socket = Arc::new(UdpSocket::bind(LOOPBACK).await.unwrap());
        let address = socket.local_addr().unwrap();
        let damage = Arc::new(Damage::default());
        let dice = Dice { state: 0x2545_F491_4F6C_DD1D, weather, damage: Arc::clone(&damage) };
        Self { address, weather, damage, task: tokio::spawn(pass_both_ways(socket, server, dice)) }
    }

    /// Checks that each kind of damage happened to some packet.
    pub(crate) fn assert_weather(&self) {
        let Weather { lost, late, twice, changed } = self.weather;
        let damage = &self.damage;
        for (name, wanted, count) in [
            ("lost", lost, &damage.lost),
            ("late", late, &damage.late),
            ("twice", twice, &damage.twice),
            ("changed", changed, &damage.changed),
        ] {
            assert_eq!(wanted > 0, count.load(Ordering::Relaxed) > 0, "{name}");
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass_both_ways(socket: Arc<UdpSocket>, server: SocketAddr, mut dice: Dice) {
    let mut towards_server: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = vec![0; 65_536];
    loop {
        let Ok((bytes, client)) = socket.recv_from(&mut buffer).await else { continue };
        if let Entry::Vacant(place) = towards_server.entry(client) {
            let own = Arc::new(UdpSocket::bind(LOOPBACK).await.unwrap());
            own.connect(server).await.unwrap();
            place.insert(Arc::clone(&own));
            let dice = Dice { state: 0x9E37_79B9_7F4A_7C15, weather: dice.weather, damage: Arc::clone(&dice.damage) };
            tokio::spawn(pass_back(own, Arc::clone(&socket), client, dice));
        }
        let own = Arc::clone(&towards_server[&client]);
        dice.pass_on(buffer[..bytes].to_vec(), move |packet| {
            let own = Arc::clone(&own);
            async move {
                let _ = own.send(&packet).await;
            }
        });
    }
}

async fn pass_back(own: Arc<UdpSocket>, socket: Arc<UdpSocket>, client: SocketAddr, mut dice: Dice) {
    let mut buffer = vec![0; 65_536];
    loop {
        let Ok(bytes) = own.recv(&mut buffer).await else { return };
        let socket = Arc::clone(&socket);
        dice.pass_on(buffer[..bytes].to_vec(), move |packet| {
            let socket = Arc::clone(&socket);
            async move {
                let _ = socket.send_to(&packet, client).await;
            }
        });
    }
}

/// Number of packets with each kind of damage.
#[derive(Default)]
struct Damage {
    lost: AtomicU32,
    late: AtomicU32,
    twice: AtomicU32,
    changed: AtomicU32,
}

/// Deterministic pseudorandom numbers.
struct Dice {
    state: u64,
    weather: Weather,
    damage: Arc<Damage>,
}

impl Dice {
    fn pass_on<F>(&mut self, mut packet: Vec<u8>, send: impl Fn(Vec<u8>) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Weather { lost, late, twice, changed } = self.weather;
        if self.decides(lost, |damage| &damage.lost) {
            return;
        }
        if self.decides(changed, |damage| &damage.changed) {
            let position = self.next() as usize % packet.len();
            packet[position] ^= 1 << (self.next() % 8);
        }
        let copies = 1 + u32::from(self.decides(twice, |damage| &damage.twice));
        let delay = if self.decides(late, |damage| &damage.late) { 1 + self.next() % 8 } else { 0 };
        tokio::spawn(async move {
            if delay > 0 {
                tokio::time::sleep(Duration::from_millis(delay)).await;
            }
            for _ in 0..copies {
                send(packet.clone()).await;
            }
        });
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn decides(&mut self, of_a_hundred: u32, counted: impl Fn(&Damage) -> &AtomicU32) -> bool {
        let does = self.next() % 100 < u64::from(of_a_hundred);
        counted(&self.damage).fetch_add(u32::from(does), Ordering::Relaxed);
        does
    }
}
