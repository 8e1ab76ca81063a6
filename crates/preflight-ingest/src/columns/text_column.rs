//! Columns of texts and bytes.
//!
//! Their type is that of bytes: that texts are UTF-8 is known from reading.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, BinaryBuilder, BinaryViewBuilder, DictionaryArray, Int32Builder},
    buffer::Buffer,
    datatypes::{DataType, Int32Type},
    error::ArrowError,
};

/// A column whose texts repeat: each is copied once, and every row holds a number.
pub(super) struct RepeatingColumn {
    keys: Int32Builder,
    texts: BinaryBuilder,
    /// Where texts that came lately are among `texts`. One that is pushed out and comes again is
    /// copied again, which only costs space.
    slots: Vec<u32>,
}

/// How many texts that came lately are known.
const SLOTS: usize = 256;
/// The slot of no text.
const FREE: u32 = u32::MAX;

impl RepeatingColumn {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self {
            keys: Int32Builder::with_capacity(rows),
            texts: BinaryBuilder::new(),
            slots: vec![FREE; SLOTS],
        }
    }

    pub(super) fn data_type() -> DataType {
        DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Binary))
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        let slot = &mut self.slots[mix(bytes) % SLOTS];
        if text_at(&self.texts, *slot) != Some(bytes) {
            *slot = self.texts.offsets_slice().len() as u32 - 1;
            self.texts.append_value(bytes);
        }
        self.keys.append_value(*slot as i32);
    }

    pub(super) fn append_nulls(&mut self, count: usize) {
        self.keys.append_nulls(count);
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let texts = Arc::new(self.texts.finish());
        let column = DictionaryArray::<Int32Type>::try_new(self.keys.finish(), texts)?;
        Ok(Arc::new(column))
    }
}

fn text_at(texts: &BinaryBuilder, at: u32) -> Option<&[u8]> {
    let at = at as usize;
    let [start, end] = *texts.offsets_slice().get(at..at.checked_add(2)?)? else {
        return None;
    };
    texts.values_slice().get(start as usize..end as usize)
}

/// A number for a text: by its ends, which differ where texts do more often than not.
pub(super) fn mix(bytes: &[u8]) -> usize {
    let (first, last) = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let all = bytes.iter();
            (all.fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 0)
        }
    };
    let ends = first ^ last.rotate_left(29) ^ bytes.len() as u64;
    (ends.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

/// A column whose texts rarely repeat: views into the chunk that they were read from, so that none
/// is copied before it is encoded.
pub(super) struct DistinctColumn {
    builder: BinaryViewBuilder,
    block: Buffer,
}

impl DistinctColumn {
    /// Room for `rows` texts, most of which are parts of `block`.
    pub(super) fn with_capacity(rows: usize, block: &Buffer) -> Self {
        let mut builder = BinaryViewBuilder::with_capacity(rows);
        builder.append_block(block.clone());
        let block = block.clone();
        Self { builder, block }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.block.as_ptr() as usize);
        let is_inside = offset < self.block.len() && bytes.len() <= self.block.len() - offset;
        let appended = match (u32::try_from(offset), u32::try_from(bytes.len())) {
            (Ok(offset), Ok(length)) if is_inside => {
                self.builder.try_append_view(0, offset, length)
            }
            _ => self.builder.try_append_value(bytes),
        };
        // Neither fails below 4 GiB, and no chunk is as long.
        debug_assert!(appended.is_ok());
    }

    pub(super) fn append_nulls(&mut self, count: usize) {
        for _ in 0..count {
            self.builder.append_null();
        }
    }

    pub(super) fn finish(mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn distinct_texts_are_kept_wherever_they_come_from() {
        let block = Buffer::from(b"a text that is longer than a view".to_vec());
        let mut column = DistinctColumn::with_capacity(8, &block);
        let texts: [&[u8]; 4] = [
            &block[0..33],
            b"from elsewhere, and longer than a view",
            b"",
            &block[2..6],
        ];
        column.append_nulls(1);
        for text in texts {
            column.append(text);
        }
        let column = column.finish();
        assert!(column.is_null(0));
        let column = column.as_binary_view();
        let found: Vec<&[u8]> = (1..5).map(|at| column.value(at)).collect();
        assert_eq!(found, texts);
    }

    proptest! {
        #[test]
        fn repeating_texts_are_kept(texts in prop::collection::vec(prop::option::of("[ab]{0,12}"), 0..600)) {
            let mut column = RepeatingColumn::with_capacity(texts.len());
            for text in &texts {
                match text {
                    Some(text) => column.append(text.as_bytes()),
                    None => column.append_nulls(1),
                }
            }
            let column = column.finish().expect("keys in range");
            let column = column.as_dictionary::<Int32Type>();
            let column = column.downcast_dict::<arrow::array::BinaryArray>().expect("bytes");
            let found: Vec<Option<&[u8]>> = column.into_iter().collect();
            let expected: Vec<Option<&[u8]>> =
                texts.iter().map(|text| text.as_ref().map(String::as_bytes)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
