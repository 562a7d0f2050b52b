//! The token that a server prints and whoever puts load on it must have. It never goes over the wire: the key that each
//! side shows follows from it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use kasoku_libraries::fixtures::{from_hexadecimal, to_hexadecimal};

/// Enough that nobody guesses them: whoever connects sees the public key and could check a guess.
const BYTES: usize = 16;

/// 16 random bytes, written in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Token([u8; BYTES]);

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

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
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
