//! How the model's objects are read from a cursor.

use std::borrow::Cow;

use crate::{
    Presence, Timestamp,
    cursor::Cursor,
    rejection::{Parsed, Rejection, RejectionKind},
};

impl<'a> Cursor<'a> {
    /// `null`, or what `read` reads.
    pub(crate) fn nullable<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Presence<T>> {
        if self.null()? {
            return Ok(Presence::Null);
        }
        read(self).map(Presence::Given)
    }

    /// `null`, or a string.
    pub(crate) fn text(&mut self) -> Parsed<Presence<Cow<'a, str>>> {
        self.nullable(Self::string)
    }

    /// `null`, or a whole number.
    pub(crate) fn count(&mut self) -> Parsed<Presence<i64>> {
        self.nullable(Self::integer)
    }

    /// `null`, or a boolean.
    pub(crate) fn flag(&mut self) -> Parsed<Presence<bool>> {
        self.nullable(Self::boolean)
    }

    /// `null`, or RFC 3339.
    pub(crate) fn timestamp(&mut self) -> Parsed<Presence<Timestamp<'a>>> {
        self.nullable(|cursor| {
            cursor.peek();
            let at = cursor.offset();
            let text = cursor.string()?;
            Timestamp::parse(text.clone()).map_err(|fault| {
                let detail = format!("{text:?} is not a point in time: {fault}");
                Rejection::new(RejectionKind::InvalidTimestamp, at, detail)
            })
        })
    }

    /// `null`, or an array of what `read` reads.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Presence<Vec<T>>> {
        self.nullable(|cursor| {
            let mut items = Vec::new();
            cursor.array(|cursor| {
                items.push(read(cursor)?);
                Ok(())
            })?;
            Ok(items)
        })
    }

    /// Any value's text, which may be `null`.
    pub(crate) fn json(&mut self) -> Parsed<Cow<'a, str>> {
        self.raw().map(Cow::Borrowed)
    }

    /// The rejection for an object without a key that it must have; `start` is where it opens.
    pub(crate) fn missing(start: usize, key: &str) -> Box<Rejection> {
        let detail = format!("the key {key:?} is missing");
        Rejection::new(RejectionKind::MissingKey, start, detail)
    }
}
