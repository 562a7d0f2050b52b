//! Puts values into the gaps of a sentence.

use kasoku_advice::Value;

/// `pattern` with each `{name}` filled by the value of that name. What a value itself holds is not looked at again. A
/// gap without a value stays as it is, which a test would see.
pub(super) fn fill(pattern: &str, values: &[(&'static str, Value)], write: impl Fn(&Value) -> String) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match values.iter().find(|(given, _)| *given == name) {
            Some((_, value)) => out.push_str(&write(value)),
            None => {
                out.push('{');
                out.push_str(name);
                out.push('}');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(value: &Value) -> String {
        match value {
            Value::Name(name) => name.clone(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_gap_is_filled_once_and_a_value_is_not_read_as_a_pattern() {
        let values = [("a", Value::Name("{b}".to_owned())), ("b", Value::Name("x".to_owned()))];
        assert_eq!(fill("{a}-{b}-{c}-{", &values, write), "{b}-x-{c}-{");
        assert_eq!(fill("", &values, write), "");
    }
}
