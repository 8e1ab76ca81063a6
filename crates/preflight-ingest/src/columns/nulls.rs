//! The column `explicit_nulls`: which keys held `null`, so that absent ones can be told apart.

use preflight_record::Presence;

/// Writes key names, blank-separated.
pub(super) struct Nulls<'t>(pub(super) &'t mut String);

impl Nulls<'_> {
    pub(super) fn note<T>(&mut self, key: &str, presence: &Presence<T>) -> &mut Self {
        if presence.is_null() {
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(key);
        }
        self
    }
}
