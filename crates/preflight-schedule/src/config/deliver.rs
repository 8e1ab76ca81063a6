//! `[schedules.NAME.deliver.NAME]`: where a report goes.
//!
//! ```toml
//! [schedules.weekly.deliver.archive]
//! directory = "reports"
//!
//! [schedules.weekly.deliver.tracker]
//! webhook = "https://tracker.example.org/hooks/gaps"
//! secret_env = "TRACKER_SECRET"            # or secret_file; never in this file
//!
//! [schedules.weekly.deliver.mail]
//! smtp = "mail.example.org"                # or host:port
//! tls = "starttls"                         # the usual; or "tls" from the start, or "none"
//! from = "Preflight <preflight@example.org>"
//! to = ["api@bank.example"]                # the provider's contacts, where it is left out
//! user = "preflight"
//! password_file = "/run/secrets/smtp"      # or password_env
//! timeout_seconds = 30                     # of a webhook as well
//! ```

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use toml::Spanned;

use super::{Fault, is_name};

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its name in the file.
    pub name: String,
    /// What it is.
    pub kind: TargetKind,
}

/// The kinds of targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetKind {
    /// A folder.
    Directory(PathBuf),
    /// An address that takes HTTP requests.
    Webhook(Webhook),
    /// A mail server.
    Mail(Mail),
}

/// An address that takes HTTP requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// What requests are signed with.
    pub secret: Secret,
    /// How long a request may take.
    pub timeout: Duration,
}

/// A mail server, and what is said to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub tls: Tls,
    /// Who writes.
    pub from: String,
    /// Who reads; empty: the contacts of whom a report is for.
    pub to: Vec<String>,
    /// User and password.
    pub login: Option<(String, Secret)>,
    /// How long each step may take.
    pub timeout: Duration,
}

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// From the start.
    Always,
    /// After STARTTLS, which the server must offer.
    StartTls,
    /// Not at all.
    None,
}

/// Where a secret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Secret {
    /// In an environment variable.
    Env(String),
    /// In a file, without the line end.
    File(PathBuf),
}

impl Target {
    /// Whether its secret is there, where it has one.
    ///
    /// # Errors
    ///
    /// The secret is missing, and which.
    pub fn check_secret(&self) -> Result<(), String> {
        let secret = match &self.kind {
            TargetKind::Directory(_) => None,
            TargetKind::Webhook(webhook) => Some(&webhook.secret),
            TargetKind::Mail(mail) => mail.login.as_ref().map(|(_, password)| password),
        };
        secret.map_or(Ok(()), |secret| secret.read().map(drop))
    }
}

impl Secret {
    /// The secret.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn read(&self) -> Result<String, String> {
        let text =
            match self {
                Self::Env(name) => env::var(name)
                    .map_err(|_| format!("the environment variable {name} is not set"))?,
                Self::File(path) => fs::read_to_string(path)
                    .map_err(|error| format!("{}: {error}", path.display()))?,
            };
        match text.trim_end_matches(['\r', '\n']) {
            "" => Err(match self {
                Self::Env(name) => format!("the environment variable {name} is empty"),
                Self::File(path) => format!("{} is empty", path.display()),
            }),
            text => Ok(text.to_owned()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    directory: Option<PathBuf>,
    webhook: Option<String>,
    secret_env: Option<String>,
    secret_file: Option<PathBuf>,
    smtp: Option<String>,
    tls: Option<String>,
    from: Option<String>,
    to: Option<Vec<String>>,
    user: Option<String>,
    password_env: Option<String>,
    password_file: Option<PathBuf>,
    timeout_seconds: Option<u64>,
}

pub(super) fn target(name: String, entry: Spanned<Entry>, folder: &Path) -> Result<Target, Fault> {
    if !is_name(&name) {
        let what = "a target has a name of up to 40 lowercase letters, digits, - and _";
        return Err(Fault::at(&entry, format!("{what}, not {name:?}")));
    }
    let kind = kind(entry.get_ref(), folder);
    match kind {
        Ok(kind) => Ok(Target { name, kind }),
        Err(reason) => Err(Fault::at(&entry, format!("deliver.{name}: {reason}"))),
    }
}

fn kind(entry: &Entry, folder: &Path) -> Result<TargetKind, String> {
    let only = |what: &str, keys: &[&str]| match given(entry).find(|key| !keys.contains(key)) {
        Some(key) => Err(format!("{key} is not for {what}")),
        None => Ok(()),
    };
    match (&entry.directory, &entry.webhook, &entry.smtp) {
        (Some(directory), None, None) => {
            only("a directory", &["directory"])?;
            Ok(TargetKind::Directory(folder.join(directory)))
        }
        (None, Some(url), None) => {
            let keys = ["webhook", "secret_env", "secret_file", "timeout_seconds"];
            only("a webhook", &keys)?;
            let secret = secret(&entry.secret_env, &entry.secret_file, folder, "secret")?;
            Ok(TargetKind::Webhook(Webhook {
                url: address(url)?,
                secret: secret.ok_or("a webhook is signed: set secret_env or secret_file")?,
                timeout: timeout(entry)?,
            }))
        }
        (None, None, Some(server)) => {
            only(
                "mail",
                &[
                    "smtp",
                    "tls",
                    "from",
                    "to",
                    "user",
                    "password_env",
                    "password_file",
                    "timeout_seconds",
                ],
            )?;
            mail(entry, server, folder)?;
            Err("delivery by mail is not built in yet: use a directory or a webhook".to_owned())
        }
        (None, None, None) => Err("say where to: directory, webhook or smtp".to_owned()),
        _ => Err("only one of directory, webhook and smtp".to_owned()),
    }
}

/// The keys that were given.
fn given(entry: &Entry) -> impl Iterator<Item = &'static str> {
    [
        ("directory", entry.directory.is_some()),
        ("webhook", entry.webhook.is_some()),
        ("secret_env", entry.secret_env.is_some()),
        ("secret_file", entry.secret_file.is_some()),
        ("smtp", entry.smtp.is_some()),
        ("tls", entry.tls.is_some()),
        ("from", entry.from.is_some()),
        ("to", entry.to.is_some()),
        ("user", entry.user.is_some()),
        ("password_env", entry.password_env.is_some()),
        ("password_file", entry.password_file.is_some()),
        ("timeout_seconds", entry.timeout_seconds.is_some()),
    ]
    .into_iter()
    .filter_map(|(key, is_given)| is_given.then_some(key))
}

fn secret(
    env: &Option<String>,
    file: &Option<PathBuf>,
    folder: &Path,
    name: &str,
) -> Result<Option<Secret>, String> {
    match (env, file) {
        (Some(_), Some(_)) => Err(format!("either {name}_env or {name}_file")),
        (Some(env), None) if !is_variable(env) => Err(format!(
            "{name}_env is the name of an environment variable, not {env:?}"
        )),
        (Some(env), None) => Ok(Some(Secret::Env(env.clone()))),
        (None, Some(file)) => Ok(Some(Secret::File(folder.join(file)))),
        (None, None) => Ok(None),
    }
}

fn is_variable(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn timeout(entry: &Entry) -> Result<Duration, String> {
    match entry.timeout_seconds.unwrap_or(30) {
        seconds @ 1..=600 => Ok(Duration::from_secs(seconds)),
        _ => Err("timeout_seconds is from 1 to 600".to_owned()),
    }
}

/// What is sent is for the receiver alone: in the clear it goes to this machine only.
fn address(url: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic();
    if let Some(rest) = url.strip_prefix("https://") {
        if !rest.is_empty() && !rest.starts_with('/') && url.chars().all(is_plain) {
            return Ok(url.to_owned());
        }
    } else if let Some(rest) = url.strip_prefix("http://")
        && url.chars().all(is_plain)
    {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (host, _) = host_and_port(authority).unwrap_or((authority, None));
        return match is_here(host) && !authority.contains('@') {
            true => Ok(url.to_owned()),
            false => Err("http:// is for this machine alone: use https://".to_owned()),
        };
    }
    Err(format!(
        "a webhook is an address that starts with https://, not {url:?}"
    ))
}

fn is_here(host: &str) -> bool {
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn mail(entry: &Entry, server: &str, folder: &Path) -> Result<Mail, String> {
    let tls = match entry.tls.as_deref() {
        None | Some("starttls") => Tls::StartTls,
        Some("tls") => Tls::Always,
        Some("none") => Tls::None,
        Some(_) => return Err("tls is \"starttls\", \"tls\" or \"none\"".to_owned()),
    };
    let usual = match tls {
        Tls::Always => 465,
        Tls::StartTls => 587,
        Tls::None => 25,
    };
    let (host, port) = host_and_port(server)
        .ok_or_else(|| format!("smtp is a host, or host:port, not {server:?}"))?;
    let from = entry.from.clone().ok_or("set from: who the mail is from")?;
    check_address(&from).map_err(|()| {
        format!("from is a mail address, as in \"Preflight <preflight@example.org>\", not {from:?}")
    })?;
    let to = entry.to.clone().unwrap_or_default();
    for one in &to {
        check_address(one)
            .map_err(|()| format!("to holds a mail address that is none: {one:?}"))?;
    }
    let password = secret(
        &entry.password_env,
        &entry.password_file,
        folder,
        "password",
    )?;
    let login = match (&entry.user, password) {
        (None, None) => None,
        (Some(_), Some(_)) if tls == Tls::None && !is_here(host) => {
            return Err("a password does not go over a connection without TLS".to_owned());
        }
        (Some(user), Some(password)) => Some((user.clone(), password)),
        (Some(_), None) => return Err("user needs password_env or password_file".to_owned()),
        (None, Some(_)) => return Err("a password needs a user".to_owned()),
    };
    Ok(Mail {
        host: host.trim_matches(['[', ']']).to_owned(),
        port: port.unwrap_or(usual),
        tls,
        from,
        to,
        login,
        timeout: timeout(entry)?,
    })
}

/// `host`, `host:port`, `[::1]` or `[::1]:port`.
fn host_and_port(text: &str) -> Option<(&str, Option<u16>)> {
    let end = match text.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, port) = text.split_at_checked(end)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(is_plain) {
        return None;
    }
    match port.strip_prefix(':') {
        None => port.is_empty().then_some((host, None)),
        Some(port) => Some((host, Some(port.parse().ok()?))),
    }
}

/// `who@example.org` or `Name <who@example.org>`. What mail software takes is settled when it is
/// sent; here it is only said early.
fn check_address(text: &str) -> Result<(), ()> {
    let address = match text.split_once('<') {
        Some((_, rest)) => rest.strip_suffix('>').ok_or(())?,
        None => text,
    };
    let is_safe = |c: char| !c.is_control() && !c.is_whitespace() && !"<>,;\"".contains(c);
    let (who, domain) = address.rsplit_once('@').ok_or(())?;
    let is_one = !who.is_empty() && !domain.is_empty() && address.chars().all(is_safe);
    (is_one && !text.chars().any(char::is_control))
        .then_some(())
        .ok_or(())
}
