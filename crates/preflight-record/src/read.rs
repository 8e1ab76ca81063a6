//! How the model's objects are read from a cursor, each value into its place.

use std::borrow::Cow;

use crate::{
    Presence, Timestamp,
    cursor::Cursor,
    rejection::{Parsed, Rejection, RejectionKind},
};

/// An object of the model.
pub(crate) trait Object<'a> {
    /// The object before anything was read.
    fn unread() -> Self;

    /// Reads its members; only ever called on an unread one.
    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()>;
}

impl<'a> Cursor<'a> {
    /// `null`, or what `read` reads.
    #[inline]
    pub(crate) fn nullable<T>(
        &mut self,
        place: &mut Presence<T>,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<()> {
        *place = match self.null()? {
            true => Presence::Null,
            false => Presence::Given(read(self)?),
        };
        Ok(())
    }

    /// `null`, or a string.
    #[inline]
    pub(crate) fn text(&mut self, place: &mut Presence<Cow<'a, str>>) -> Parsed<()> {
        self.nullable(place, Self::string)
    }

    /// `null`, or a whole number.
    pub(crate) fn count(&mut self, place: &mut Presence<i64>) -> Parsed<()> {
        self.nullable(place, Self::integer)
    }

    /// `null`, or a boolean.
    pub(crate) fn flag(&mut self, place: &mut Presence<bool>) -> Parsed<()> {
        self.nullable(place, Self::boolean)
    }

    /// `null`, or RFC 3339.
    pub(crate) fn timestamp(&mut self, place: &mut Presence<Timestamp<'a>>) -> Parsed<()> {
        self.nullable(place, |cursor| {
            cursor.peek();
            let at = cursor.offset();
            let text = cursor.string()?;
            Timestamp::parse(text.clone()).map_err(|fault| {
                let detail = format!("{text:?} is not a point in time: {fault}");
                Rejection::new(RejectionKind::InvalidTimestamp, at, detail)
            })
        })
    }

    /// `null`, or an object of the model.
    pub(crate) fn object<T: Object<'a>>(&mut self, place: &mut Presence<T>) -> Parsed<()> {
        if self.null()? {
            *place = Presence::Null;
            return Ok(());
        }
        *place = Presence::Given(T::unread());
        match place {
            Presence::Given(object) => object.read(self),
            _ => Ok(()),
        }
    }

    /// `null`, or an array of objects of the model.
    pub(crate) fn objects<T: Object<'a>>(&mut self, place: &mut Presence<Vec<T>>) -> Parsed<()> {
        self.nullable(place, |cursor| {
            let mut objects = Vec::new();
            cursor.array(|cursor| {
                objects.push(T::unread());
                match objects.last_mut() {
                    Some(object) => object.read(cursor),
                    None => Ok(()),
                }
            })?;
            Ok(objects)
        })
    }

    /// `null`, or the texts of an array's elements.
    pub(crate) fn json_list(&mut self, place: &mut Presence<Vec<Cow<'a, str>>>) -> Parsed<()> {
        self.nullable(place, |cursor| {
            let mut elements = Vec::new();
            cursor.array(|cursor| {
                elements.push(Cow::Borrowed(cursor.raw()?));
                Ok(())
            })?;
            Ok(elements)
        })
    }

    /// `null`, or any other value's text.
    pub(crate) fn json(&mut self, place: &mut Presence<Cow<'a, str>>) -> Parsed<()> {
        self.nullable(place, |cursor| cursor.raw().map(Cow::Borrowed))
    }

    /// Any value's text, `null` among them.
    pub(crate) fn json_or_null(&mut self, place: &mut Presence<Cow<'a, str>>) -> Parsed<()> {
        *place = Presence::Given(Cow::Borrowed(self.raw()?));
        Ok(())
    }

    /// What `read` reads, never `null`.
    #[inline]
    pub(crate) fn required<T>(
        &mut self,
        place: &mut T,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<()> {
        *place = read(self)?;
        Ok(())
    }

    /// The rejection for an object without a key that it must have; `start` is where it opens.
    pub(crate) fn missing(start: usize, key: &str) -> Box<Rejection> {
        let detail = format!("the key {key:?} is missing");
        Rejection::new(RejectionKind::MissingKey, start, detail)
    }
}
