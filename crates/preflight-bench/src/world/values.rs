//! The formats that tools declare for their fields, and values that fit them.

use super::tools::FieldSpec;
use crate::dice::Dice;
use crate::record::Value;

/// The declared format of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Ten digits, as a string.
    Account,
    /// An amount of money, in whole thousands.
    Amount,
    /// A calendar day.
    Date,
    /// A business identifier, such as an order or invoice number.
    Identifier,
    /// A mailbox.
    Email,
    /// A short text, in one of the users' languages.
    Text,
    /// A small integer, up to this one.
    Count(u64),
    /// A code of the provider's own with this prefix, which a user cannot know.
    Code(&'static str),
    /// `on` or `off`.
    Switch,
    /// A point in space.
    Position,
}

const PREFIXES: [&str; 3] = ["ORD", "INV", "TKT"];
const TEXTS: [&str; 5] = [
    "quarterly report",
    "rent for August",
    "see attached",
    "내일 회의 자료",
    "請求書",
];

impl Kind {
    /// A value of this format.
    pub(crate) fn draw(self, dice: &mut Dice) -> Value {
        match self {
            Self::Account => text(dice.between(1_000_000_000, 9_999_999_999).to_string()),
            Self::Amount => Value::Number(dice.between(10, 5000) * 1000),
            Self::Date => text(date(dice)),
            Self::Identifier => {
                let prefix = dice.pick(&PREFIXES);
                text(format!("{prefix}-{}", dice.between(10_000, 99_999)))
            }
            Self::Email => text(format!("user{}@example.com", dice.between(1, 9999))),
            Self::Text => {
                let words = dice.pick(&TEXTS);
                text(format!("{words} {}", dice.between(1, 999)))
            }
            Self::Count(most) => Value::Number(dice.between(1, most)),
            Self::Code(prefix) => text(format!("{prefix}{}", dice.between(10, 99))),
            Self::Switch => text(dice.pick(&["on", "off"]).to_owned()),
            Self::Position => Value::Position(std::array::from_fn(|_| dice.below(1000) as u16)),
        }
    }
}

impl FieldSpec {
    /// A value of this field's format that differs from `other`.
    pub(crate) fn draw_other(&self, dice: &mut Dice, other: &Value) -> Value {
        loop {
            let value = self.kind.draw(dice);
            if value != *other {
                return value;
            }
        }
    }
}

fn text(text: String) -> Value {
    Value::Text(text)
}

fn date(dice: &mut Dice) -> String {
    let (month, day) = (dice.between(1, 12), dice.between(1, 28));
    format!("2026-{month:02}-{day:02}")
}
