//! The column `explicit_nulls`: which keys held `null`, so that absent ones can be told apart.

use preflight_record::Presence;

/// Key names, blank-separated, in a buffer that is used again.
#[derive(Default)]
pub(super) struct Nulls(String);

impl Nulls {
    pub(super) fn note<T>(&mut self, key: &str, presence: &Presence<T>) -> &mut Self {
        if presence.is_null() {
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(key);
        }
        self
    }

    pub(super) fn get(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}
