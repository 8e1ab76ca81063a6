//! What the providers offer: tools with required fields and a description.

use super::values::Kind;

/// A required field of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldSpec {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
}

/// A tool, and what users call the action it performs.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The provider's name for it, `provider.action`.
    pub(crate) name: &'static str,
    /// The users' names for it.
    pub(crate) phrases: &'static [&'static str],
    /// The provider's description, recorded as advisory notes.
    pub(crate) description: &'static str,
    /// What a call needs.
    pub(crate) fields: &'static [FieldSpec],
}

impl Tool {
    /// The required field `name`.
    pub(crate) fn field(&self, name: &str) -> Option<&'static FieldSpec> {
        self.fields.iter().find(|field| field.name == name)
    }
}

const fn field(name: &'static str, kind: Kind) -> FieldSpec {
    FieldSpec { name, kind }
}

const fn tool(
    name: &'static str,
    phrases: &'static [&'static str],
    description: &'static str,
    fields: &'static [FieldSpec],
) -> Tool {
    Tool {
        name,
        phrases,
        description,
        fields,
    }
}

/// The fields that tools share, under short names for the table below.
mod fields {
    use super::{FieldSpec, Kind, field};

    pub(super) const AMOUNT: FieldSpec = field("amount", Kind::Amount);
    pub(super) const COLLECTION: FieldSpec = field("collection", Kind::Identifier);
    pub(super) const CONTACT: FieldSpec = field("contact_id", Kind::Identifier);
    pub(super) const DEVICE: FieldSpec = field("device_id", Kind::Identifier);
    pub(super) const ON: FieldSpec = field("on", Kind::Date);
    pub(super) const ORDER: FieldSpec = field("order_id", Kind::Identifier);
    pub(super) const REASON: FieldSpec = field("reason", Kind::Text);
    pub(super) const SERVICE: FieldSpec = field("service", Kind::Identifier);
    pub(super) const TO: FieldSpec = field("to", Kind::Email);
    pub(super) const TO_ACCOUNT: FieldSpec = field("to_account", Kind::Account);
}

use fields::*;

/// Every tool of the world: 25, of 10 providers.
pub(crate) const TOOLS: [Tool; 25] = [
    tool(
        "bank.transfer",
        &["send money to my landlord", "transfer the rent", "송금해줘"],
        "Transfers are final. Confirm the recipient before calling.",
        &[field("from_account", Kind::Account), TO_ACCOUNT, AMOUNT],
    ),
    tool(
        "bank.schedule_payment",
        &["schedule payment", "schedule payment please"],
        "Schedules a payment.",
        &[TO_ACCOUNT, AMOUNT, ON],
    ),
    tool(
        "bank.cancel_payment",
        &["cancel the payment"],
        "Cancels a payment that has not been sent yet.",
        &[field("payment_id", Kind::Identifier), REASON],
    ),
    tool(
        "records.delete_all",
        &["delete all", "delete all please"],
        "Deletes every record in the collection.",
        &[COLLECTION],
    ),
    tool(
        "records.archive",
        &["archive", "archive please"],
        "Archives records older than a date.",
        &[COLLECTION, field("before", Kind::Date)],
    ),
    tool(
        "records.share",
        &["share the records", "share it with them"],
        "Gives a person read access to a collection.",
        &[
            COLLECTION,
            field("reader", Kind::Email),
            field("until", Kind::Date),
        ],
    ),
    tool(
        "robot.move_arm",
        &["move arm", "move arm please"],
        "Moves the arm. Clear the area first.",
        &[
            field("target", Kind::Position),
            field("speed", Kind::Count(99)),
        ],
    ),
    tool(
        "robot.dock",
        &["send the robot home"],
        "Drives to the dock.",
        &[
            field("dock_code", Kind::Code("DK")),
            field("speed", Kind::Count(99)),
        ],
    ),
    tool(
        "iot.set_device_power",
        &["turn off the living room light", "거실 불 꺼줘"],
        "Turns a device on or off.",
        &[DEVICE, field("state", Kind::Switch)],
    ),
    tool(
        "iot.light_control",
        &["light control", "light control please"],
        "Adjusts brightness.",
        &[DEVICE, field("level", Kind::Count(99))],
    ),
    tool(
        "iot.unlock_door",
        &["unlock the front door"],
        "Unlocks a door for a number of minutes.",
        &[DEVICE, field("minutes", Kind::Count(60))],
    ),
    tool(
        "deploy.rollout",
        &["rollout", "rollout please"],
        "Rolls out a release.",
        &[SERVICE, field("percent", Kind::Count(99))],
    ),
    tool(
        "deploy.rollback",
        &["roll it back"],
        "Returns a service to an earlier release.",
        &[SERVICE, field("release", Kind::Count(500)), REASON],
    ),
    tool(
        "crm.update_contact",
        &["update contact", "update contact please"],
        "",
        &[CONTACT, field("email", Kind::Email)],
    ),
    tool(
        "crm.merge_contacts",
        &["merge the duplicates"],
        "Merges one contact into another. This cannot be undone.",
        &[CONTACT, field("into_contact_id", Kind::Identifier), REASON],
    ),
    tool(
        "shop.place_order",
        &["place order", "place order please"],
        "Places an order. The warehouse must have stock.",
        &[
            field("sku", Kind::Identifier),
            field("quantity", Kind::Count(50)),
            field("warehouse_code", Kind::Code("WH")),
        ],
    ),
    tool(
        "shop.refund",
        &["refund", "refund please"],
        "Refunds an order.",
        &[ORDER, AMOUNT],
    ),
    tool(
        "shop.cancel_order",
        &["cancel my order", "注文をキャンセルして"],
        "Cancels an order before it ships.",
        &[ORDER, REASON],
    ),
    tool(
        "mail.send",
        &["email the report", "メールを送って"],
        "Sends an e-mail.",
        &[TO, field("subject", Kind::Text), field("body", Kind::Text)],
    ),
    tool(
        "mail.forward",
        &["forward the message"],
        "Forwards a message.",
        &[field("message_id", Kind::Identifier), TO],
    ),
    tool(
        "calendar.create_event",
        &["create event", "create event please"],
        "",
        &[
            field("title", Kind::Text),
            ON,
            field("attendees", Kind::Email),
        ],
    ),
    tool(
        "calendar.cancel_event",
        &["cancel the meeting"],
        "Cancels an event and tells its attendees.",
        &[
            field("event_id", Kind::Identifier),
            field("message", Kind::Text),
        ],
    ),
    tool(
        "cloud.resize_cluster",
        &["resize the cluster"],
        "",
        &[
            field("cluster_id", Kind::Identifier),
            field("nodes", Kind::Count(64)),
        ],
    ),
    tool(
        "cloud.delete_volume",
        &["delete the old volume"],
        "Deletes a volume and its snapshots.",
        &[field("volume_id", Kind::Identifier)],
    ),
    tool(
        "cloud.rotate_key",
        &["rotate the key"],
        "Replaces an access key. The old key stops working on the given day.",
        &[field("key_id", Kind::Identifier), ON],
    ),
];
