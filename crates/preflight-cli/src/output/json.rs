use std::io::{self, Write};

use arrow::json::{
    Writer, WriterBuilder,
    writer::{JsonArray, JsonFormat, LineDelimited},
};
use preflight_audit::Answer;
use serde::Serialize;

use crate::plain;

/// Writes one array of objects, NULL as `null`.
pub(super) fn write_array(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let mut writer = writer::<_, JsonArray>(Escaping {
        output: &mut *output,
    });
    for batch in &answer.batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    writeln!(output)?;
    Ok(())
}

/// Writes one object per line, NULL as `null`.
pub(crate) fn write_lines(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let mut writer = writer::<_, LineDelimited>(Escaping { output });
    for batch in &answer.batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    Ok(())
}

fn writer<W: Write, F: JsonFormat>(output: W) -> Writer<W, F> {
    WriterBuilder::new()
        .with_explicit_nulls(true)
        // Times are in UTC, also those of a type without a zone.
        .with_timestamp_format("%Y-%m-%dT%H:%M:%S%.fZ".to_owned())
        .build(output)
}

/// Writes one value for reading, with the same escapes as everything else.
pub(crate) fn write_json(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    writeln!(output, "{}", plain::json(&json))
}

/// Writes characters that are not for a screen as `\u` escapes: the JSON means the same.
///
/// Such characters occur in strings alone. The writer hands on whole rows, so that a character is
/// never cut in two.
pub(crate) struct Escaping<W> {
    pub(crate) output: W,
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(buffer) {
            Ok(text) => self.output.write_all(plain::json(text).as_bytes())?,
            Err(_) => self.output.write_all(buffer)?,
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() -> io::Result<()> {
        let mut output = Vec::new();
        Escaping {
            output: &mut output,
        }
        .write_all("{\"a\":\"\u{202e}\u{9b}é\"}\n".as_bytes())?;
        assert_eq!(
            String::from_utf8_lossy(&output),
            "{\"a\":\"\\u202e\\u009bé\"}\n"
        );
        Ok(())
    }
}
