//! The token that a server prints and whoever puts load on it must know. It never goes over the wire: each side shows
//! that it knows it by a code over what both have chosen.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use kasoku_libraries::fixtures::{from_hexadecimal, to_hexadecimal};

/// Bytes of a token and of what is chosen for a proof: nobody guesses them.
const BYTES: usize = 16;

/// 16 random bytes, written in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Token([u8; BYTES]);

/// What one side chose for one connection.
pub type Challenge = Token;

/// Who proves something: what one side said is no proof of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who is to get the load.
    Server,
    /// Who puts it on.
    Client,
}

/// A text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is 32 hexadecimal digits, as kasoku serve prints it")]
pub struct NoToken;

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes))
    }

    /// What shows that `side` knows it, on the connection for which the two chose `server` and `client`.
    pub fn proof(&self, side: Side, server: &Challenge, client: &Challenge) -> String {
        to_hexadecimal(&self.code(side, server, client).finalize().into_bytes())
    }

    /// Whether `proof` is that, told in the same time whatever is wrong with it.
    pub fn is_proof(&self, proof: &str, side: Side, server: &Challenge, client: &Challenge) -> bool {
        let bytes = from_hexadecimal(proof);
        bytes.is_some_and(|bytes| self.code(side, server, client).verify_slice(&bytes).is_ok())
    }

    fn code(&self, side: Side, server: &Challenge, client: &Challenge) -> Hmac<Sha256> {
        // HMAC takes a key of any length.
        let mut code = match Hmac::<Sha256>::new_from_slice(&self.0) {
            Ok(code) => code,
            Err(_) => unreachable!("HMAC takes a key of any length (RFC 2104 §2)"),
        };
        code.update(match side {
            Side::Server => b"kasoku serve 1",
            Side::Client => b"kasoku load  1",
        });
        code.update(&server.0);
        code.update(&client.0);
        code
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hexadecimal(&self.0))
    }
}

/// A token does not get into logs by accident.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl FromStr for Token {
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Token, NoToken> {
        let bytes = from_hexadecimal(text.trim()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Token).ok_or(NoToken)
    }
}

impl TryFrom<String> for Token {
    type Error = NoToken;

    fn try_from(text: String) -> Result<Token, NoToken> {
        text.parse()
    }
}

impl From<Token> for String {
    fn from(token: Token) -> String {
        token.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_token_proves_it_and_only_for_this_connection() {
        let [token, other, server, client] = std::array::from_fn(|_| Token::random().unwrap());
        let proof = token.proof(Side::Server, &server, &client);
        assert!(token.is_proof(&proof, Side::Server, &server, &client));
        for (token, side, server, client) in [
            (&other, Side::Server, &server, &client),
            (&token, Side::Client, &server, &client), // said back
            (&token, Side::Server, &client, &server),
            (&token, Side::Server, &server, &other), // said again
        ] {
            assert!(!token.is_proof(&proof, side, server, client));
        }
        for nonsense in ["", "00", "x", &proof[2..], &format!("{proof}00")] {
            assert!(!token.is_proof(nonsense, Side::Server, &server, &client));
        }
    }

    #[test]
    fn a_token_is_read_as_it_is_written_and_nothing_else_is() {
        let token = Token::random().unwrap();
        assert_eq!(token.to_string().parse(), Ok(token.clone()));
        assert_ne!(token, Token::random().unwrap());
        assert!(!format!("{token:?}").contains(&token.to_string()));
        for nonsense in ["", "secret", "0123", "00112233445566778899aabbccddeeff00"] {
            assert_eq!(nonsense.parse::<Token>(), Err(NoToken));
        }
    }
}
