//! Reading the members of an object whose keys are known.

use std::borrow::Cow;

use crate::{
    Overflow,
    cursor::{Cursor, duplicate},
    rejection::Parsed,
};

/// Where the reading of an object's members has come to.
pub(crate) struct Members<'a> {
    /// Which of the known keys were read, one bit each.
    seen: u64,
    /// A known key that was found out of its turn, or [`NONE`]; the cursor stands at its value.
    found: usize,
    /// Keys that are not known, with their values.
    pub(crate) overflow: Overflow<'a>,
}

const NONE: usize = usize::MAX;

/// Reads an object of the given keys, at most 64, by the expression beside each, and evaluates to
/// [`Members`].
///
/// Writers keep an order: an object whose keys come in the order given is read in one pass, each
/// key recognised by one comparison of constant length. Keys in another order, with escapes or
/// blanks, and unknown ones take the longer way of [`Members::find`].
macro_rules! members {
    ($cursor:ident, { $($key:literal => $read:expr),+ $(,)? }) => {{
        const KEYS: &[&str] = &[$($key),+];
        let mut members = $crate::members::Members::default();
        let mut goes_on = $cursor.open_object()?;
        'object: while goes_on {
            let start = $cursor.offset();
            $(
                let position = const { $crate::members::position(KEYS, $key) };
                if members.meet($cursor, concat!("\"", $key, "\":"), KEYS, position)? {
                    if let Err(rejection) = $read {
                        return Err(rejection.within_key($key));
                    }
                    if !$cursor.next_member()? {
                        break 'object;
                    }
                }
            )+
            if $cursor.offset() == start {
                goes_on = members.find($cursor, KEYS)?;
            }
        }
        members
    }};
}

pub(crate) use members;

/// The position of a key among `keys`.
pub(crate) const fn position(keys: &[&str], key: &str) -> usize {
    let mut at = 0;
    while at < keys.len() {
        if is_same(keys[at].as_bytes(), key.as_bytes()) {
            return at;
        }
        at += 1;
    }
    NONE
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl Default for Members<'_> {
    fn default() -> Self {
        Self {
            seen: 0,
            found: NONE,
            overflow: Overflow::default(),
        }
    }
}

impl<'a> Members<'a> {
    /// Whether a key was read.
    pub(crate) fn has(&self, position: usize) -> bool {
        self.seen & 1 << position != 0
    }

    /// Rejects the object that opens at `start` if it lacks one of some keys, given by position.
    pub(crate) fn require(&self, start: usize, keys: &[(usize, &str)]) -> Parsed<()> {
        match keys.iter().find(|(position, _)| !self.has(*position)) {
            Some((_, key)) => Err(Cursor::missing(start, key)),
            None => Ok(()),
        }
    }

    /// Moves to a key's value, if that key is next. `literal` is the key as it is written.
    #[inline(always)]
    pub(crate) fn meet(
        &mut self,
        cursor: &mut Cursor<'a>,
        literal: &'static str,
        keys: &'static [&'static str],
        position: usize,
    ) -> Parsed<bool> {
        if self.found == NONE {
            if !cursor.skip_literal(literal) {
                return Ok(false);
            }
            if self.has(position) {
                let key_at = cursor.offset() - literal.len();
                return Err(duplicate(key_at, keys[position]));
            }
        } else if self.found == position {
            self.found = NONE;
        } else {
            return Ok(false);
        }
        self.seen |= 1 << position;
        Ok(true)
    }

    /// Reads whatever key is next. The value of an unknown one is kept; that of a known one is to be
    /// read by the next pass. Returns whether the object goes on.
    #[cold]
    pub(crate) fn find(
        &mut self,
        cursor: &mut Cursor<'a>,
        keys: &'static [&'static str],
    ) -> Parsed<bool> {
        let key_at = cursor.offset();
        let key = cursor.key()?;
        match keys.iter().position(|known| *known == key) {
            Some(at) if self.has(at) => Err(duplicate(key_at, &key)),
            Some(at) => {
                self.found = at;
                Ok(true)
            }
            None => {
                self.keep(cursor, key, key_at)?;
                cursor.next_member()
            }
        }
    }

    fn keep(&mut self, cursor: &mut Cursor<'a>, key: Cow<'a, str>, key_at: usize) -> Parsed<()> {
        if self.overflow.iter().any(|(other, _)| other == key) {
            return Err(duplicate(key_at, &key));
        }
        let json = cursor
            .raw()
            .map_err(|rejection| rejection.within_key(&key))?;
        self.overflow.keep(key, Cow::Borrowed(json));
        Ok(())
    }
}

impl<'a> Cursor<'a> {
    /// Moves to the first member of an object; `false` if there is none, and the object is read.
    pub(crate) fn open_object(&mut self) -> Parsed<bool> {
        self.expect_opening(b'{', "an object")?;
        self.enter()?;
        if self.peek() == Some(b'}') {
            self.leave();
            return Ok(false);
        }
        Ok(true)
    }

    /// Moves past a comma to the next member, or past the closing brace; `false` then.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Parsed<bool> {
        match self.peek() {
            Some(b',') => {
                self.advance(1);
                self.peek();
                Ok(true)
            }
            Some(b'}') => {
                self.leave();
                Ok(false)
            }
            _ => Err(self.unexpected("a comma or a closing brace")),
        }
    }

    /// Reads a key and its colon.
    pub(crate) fn key(&mut self) -> Parsed<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key"));
        }
        let key = self.string()?;
        self.colon()?;
        Ok(key)
    }

    /// Moves past `literal` if it stands here.
    #[inline(always)]
    fn skip_literal(&mut self, literal: &str) -> bool {
        let is_here = self.rest().starts_with(literal.as_bytes());
        if is_here {
            self.advance(literal.len());
        }
        is_here
    }
}
