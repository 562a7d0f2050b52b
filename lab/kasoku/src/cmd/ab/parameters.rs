//! Parameters of `kasoku ab`, which make several commands of one.

use std::str::FromStr;

/// A parameter `NAME=a,b,c`: `{NAME}` in a command stands for each of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    values: Vec<String>,
}

/// One value for each of some parameters, by their names.
pub(super) type Values<'a> = Vec<(&'a str, &'a str)>;

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text.split_once('=').ok_or("write NAME=a,b,c")?;
        if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter)) {
            return Err("the name must consist of letters, digits, - and _".to_owned());
        }
        // `\,` is a comma inside a value.
        let mut parts = vec![String::new()];
        let mut characters = values.chars().peekable();
        while let Some(character) = characters.next() {
            match (character, parts.last_mut()) {
                ('\\', Some(part)) if characters.next_if_eq(&',').is_some() => part.push(','),
                (',', _) => parts.push(String::new()),
                (_, Some(part)) => part.push(character),
                (_, None) => {}
            }
        }
        Ok(Parameter { name: name.to_owned(), values: parts })
    }
}

impl Parameter {
    pub(super) fn is_in(&self, text: &str) -> bool {
        text.contains(&placeholder(&self.name))
    }
}

/// Returns all combinations of the values of the `parameters` that `is_used` accepts; the last one varies fastest. If
/// it accepts none, the only combination is empty. Returns `None` for more than `most` combinations.
pub(super) fn combinations<'a>(
    parameters: &'a [Parameter],
    is_used: impl Fn(&Parameter) -> bool,
    most: usize,
) -> Option<Vec<Values<'a>>> {
    let mut combinations = vec![Values::new()];
    for parameter in parameters.iter().filter(|parameter| is_used(parameter)) {
        if combinations.len().saturating_mul(parameter.values.len()) > most {
            return None;
        }
        let with = |values: &Values<'a>, value: &'a String| {
            values.iter().copied().chain([(parameter.name.as_str(), value.as_str())]).collect()
        };
        let each = combinations.iter().flat_map(|values| parameter.values.iter().map(move |value| with(values, value)));
        combinations = each.collect();
    }
    Some(combinations)
}

/// Replaces the parameters in `text` by their values.
pub(super) fn fill(text: &str, values: &Values<'_>) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&placeholder(name), value))
}

fn placeholder(name: &str) -> String {
    format!("{{{name}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_splits_values_at_commas_that_are_not_escaped() {
        let values = |text: &str| text.parse::<Parameter>().unwrap().values;
        assert_eq!(values("n=1,2"), ["1", "2"]);
        assert_eq!(values(r"options=-O1,,-Wl\,-s a=b\n"), ["-O1", "", r"-Wl,-s a=b\n"]);
        for bad in ["n", "=1,2", "a b=1"] {
            assert!(bad.parse::<Parameter>().is_err(), "{bad}");
        }
    }

    #[test]
    fn combinations_cover_the_used_parameters_up_to_the_limit() {
        let parameters = ["n=1,2", "unused=3,4", "x=a,b"].map(|text| text.parse().unwrap());
        let filled = |text: &str, most| {
            let all = combinations(&parameters, |parameter| parameter.is_in(text), most)?;
            Some(all.iter().map(|values| fill(text, values)).collect::<Vec<_>>())
        };
        assert_eq!(filled("{x} {n} {n}", 4).unwrap(), ["a 1 1", "b 1 1", "a 2 2", "b 2 2"]);
        assert_eq!(filled("{y} {}", 1).unwrap(), ["{y} {}"]);
        assert_eq!(filled("{x} {n}", 3), None);
    }
}
