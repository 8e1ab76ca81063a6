//! The seal of a record, checked as it is read.

use preflight_record::{Record, RecordDigest};
use preflight_seal::{Content, Reading, SEAL, Seal};

/// What a record's seal says, and whether it holds.
pub(crate) struct RowSeal {
    /// `None` where it cannot be read.
    pub(super) seal: Option<Seal>,
    pub(super) link: RecordDigest,
    pub(super) holds: bool,
}

impl RowSeal {
    /// The seal of a record with its bytes; most records have none, which costs a look at their unknown
    /// keys.
    pub(crate) fn of(record: &Record<'_>, bytes: &[u8]) -> Option<Box<Self>> {
        if !record.overflow.iter().any(|(key, _)| key == SEAL) {
            return None;
        }
        let Reading::Sealed(sealed) = Reading::of(bytes) else {
            return Some(Box::new(Self {
                seal: None,
                link: [0; 32].into(),
                holds: false,
            }));
        };
        Some(Box::new(Self {
            link: (*sealed.link.as_bytes()).into(),
            holds: sealed.content != Content::Edited,
            seal: Some(sealed.seal),
        }))
    }

    /// Whether the columns say all that the seal says.
    pub(super) fn is_in_columns(&self) -> bool {
        self.seal
            .as_ref()
            .is_some_and(|seal| seal.unsealed.is_none())
    }
}
