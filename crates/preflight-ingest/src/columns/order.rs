//! Putting a batch in the order that queries want: chain by chain, each as it was written.

use std::{borrow::Cow, sync::Arc};

use arrow::{
    array::{Array, ArrayRef, Int64Array, UInt32Array},
    compute::take,
    error::ArrowError,
};

use super::Row;

/// By what a record is put in order: unkeyed records and missing timestamps first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChainKey<'a> {
    is_keyed: bool,
    /// The first bytes of the key as a number of the same order: most comparisons end there.
    prefix: u128,
    chain: Option<Cow<'a, str>>,
    micros: Option<i64>,
    source: &'a str,
    line: u64,
    offset: u64,
}

impl<'a> ChainKey<'a> {
    pub(super) fn of(row: &Row<'a>) -> Self {
        let chain = row.chain.clone();
        Self {
            is_keyed: chain.is_some(),
            prefix: chain.as_deref().map_or(0, prefix),
            chain,
            micros: row.micros(),
            source: row.source,
            line: row.line,
            offset: row.offset,
        }
    }
}

fn prefix(key: &str) -> u128 {
    let mut first = [0; 16];
    let length = key.len().min(first.len());
    first[..length].copy_from_slice(&key.as_bytes()[..length]);
    u128::from_be_bytes(first)
}

/// The numbers of the records, in order.
pub(super) fn chain_order(keys: &[ChainKey<'_>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_unstable_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
    order
}

/// Where the rows of a table come from when its records are put in order.
pub(super) struct RowOrder {
    /// For each row in order, the row that was filled.
    from: UInt32Array,
    /// For each row in order, the id of its record.
    ids: ArrayRef,
}

impl RowOrder {
    /// The order of a table's rows, of which `numbers` holds the records' numbers, ascending; ids
    /// count up from `first_id`.
    pub(super) fn of(numbers: &[i64], order: &[u32], first_id: i64) -> Self {
        let mut starts = vec![0_usize; order.len() + 1];
        for number in numbers {
            starts[*number as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut from = Vec::with_capacity(numbers.len());
        let mut ids = Vec::with_capacity(numbers.len());
        for (id, number) in (first_id..).zip(order) {
            let range = starts[*number as usize]..starts[*number as usize + 1];
            ids.extend(std::iter::repeat_n(id, range.len()));
            from.extend(range.map(|row| row as u32));
        }
        Self {
            from: UInt32Array::from(from),
            ids: Arc::new(Int64Array::from(ids)),
        }
    }

    /// The ids of the records, row by row.
    pub(super) fn ids(&self) -> ArrayRef {
        Arc::clone(&self.ids)
    }

    /// A column in order.
    pub(super) fn put(&self, column: &dyn Array) -> Result<ArrayRef, ArrowError> {
        take(column, &self.from, None)
    }
}

#[cfg(test)]
mod tests {
    use arrow::{array::AsArray, datatypes::Int64Type};

    use super::*;

    #[test]
    fn rows_follow_their_records() -> Result<(), ArrowError> {
        let order = RowOrder::of(&[0, 0, 2, 3], &[2, 3, 1, 0], 100);
        let values = Int64Array::from(vec![10, 11, 20, 30]);
        let integers = |column: ArrayRef| column.as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(integers(order.ids()), [100, 101, 103, 103]);
        assert_eq!(integers(order.put(&values)?), [20, 30, 10, 11]);
        Ok(())
    }
}
