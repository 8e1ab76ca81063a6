//! A column of text that holds each text once.

use arrow::{
    array::{
        Array, AsArray, DictionaryArray, LargeStringArray, builder::LargeStringDictionaryBuilder,
    },
    compute::cast,
    datatypes::{DataType, UInt32Type},
    error::ArrowError,
};

/// A column of text: an index for each row, and each text once.
///
/// The index of NULL is [`Dictionary::null`]. What depends on a text alone (a filter, a rank) is
/// computed once for each text, and looked up for each row.
#[derive(Debug, Default)]
pub struct Dictionary {
    indexes: Vec<u32>,
    texts: Option<LargeStringArray>,
}

/// Collects a column from batches.
#[derive(Default)]
pub(super) struct DictionaryBuilder(LargeStringDictionaryBuilder<UInt32Type>);

impl DictionaryBuilder {
    /// Adds a batch's column, of any type of text.
    pub(super) fn push(&mut self, column: &dyn Array) -> Result<(), ArrowError> {
        let column = cast(column, &DataType::Utf8View)?;
        for text in column.as_string_view() {
            match text {
                Some(text) => self.0.append(text).map(|_| ())?,
                None => self.0.append_null(),
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Dictionary {
        let array: DictionaryArray<UInt32Type> = self.0.finish();
        let texts = array.values().as_string::<i64>().clone();
        let null = texts.len() as u32;
        let indexes = array.keys().iter().map(|key| key.unwrap_or(null));
        Dictionary {
            indexes: indexes.collect(),
            texts: Some(texts),
        }
    }
}

impl Dictionary {
    /// How many different texts there are.
    pub fn len(&self) -> usize {
        self.texts.as_ref().map_or(0, LargeStringArray::len)
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of NULL.
    pub fn null(&self) -> u32 {
        self.len() as u32
    }

    /// The index of a row's text.
    pub fn index(&self, row: usize) -> u32 {
        self.indexes[row]
    }

    /// The indexes of all rows.
    pub fn indexes(&self) -> &[u32] {
        &self.indexes
    }

    /// The text of an index; none for NULL.
    pub fn text(&self, index: u32) -> Option<&str> {
        let texts = self.texts.as_ref()?;
        let index = index as usize;
        (index < texts.len()).then(|| texts.value(index))
    }

    /// The text of a row; none for NULL.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.text(self.index(row))
    }

    /// All texts, in the order of their indexes.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().flat_map(|texts| texts.iter().flatten())
    }

    /// Something for each text and, at the end, for NULL.
    pub fn map<T>(&self, mut of: impl FnMut(Option<&str>) -> T) -> Vec<T> {
        let mut mapped: Vec<T> = Vec::with_capacity(self.len() + 1);
        mapped.extend(self.texts().map(|text| of(Some(text))));
        mapped.push(of(None));
        mapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_held_once_and_null_is_none_of_them() {
        let mut builder = DictionaryBuilder::default();
        let batch = LargeStringArray::from(vec![Some("b"), None, Some(""), Some("b")]);
        builder.push(&batch).expect("texts");
        builder.push(&batch).expect("texts");
        let column = builder.finish();
        assert_eq!((column.len(), column.null()), (2, 2));
        let texts: Vec<_> = (0..4).map(|row| column.get(row)).collect();
        assert_eq!(texts, [Some("b"), None, Some(""), Some("b")]);
        assert_eq!(
            column.map(|text| text.map(str::len)),
            [Some(1), Some(0), None]
        );
    }
}
