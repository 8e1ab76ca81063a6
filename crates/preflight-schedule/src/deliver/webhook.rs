//! To an address that takes HTTP requests, signed as of <https://www.standardwebhooks.com>: the
//! signature covers the delivery's key, the time of the attempt and the body.

use std::{error::Error as _, io, sync::Arc, time::SystemTime};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::{Parcel, SendError, directory::part_manifest};
use crate::{Webhook, manifest::FileDigest};

/// What starts a secret that is in Base64.
const ENCODED: &str = "whsec_";
/// How much of an answer is kept.
const RECEIPT: u64 = 1_000;

pub(super) fn send(webhook: &Webhook, parcel: &Parcel<'_>) -> Result<String, SendError> {
    let secret = webhook.secret.read().map_err(SendError::Temporary)?;
    let key = key(&secret).map_err(SendError::Permanent)?;
    let body = body(parcel).to_string();
    let id = &parcel.delivery.key;
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let time = time.map_or(0, |time| time.as_secs());
    let answer = agent(webhook)?
        .post(&webhook.url)
        .header("content-type", "application/json")
        .header("idempotency-key", id)
        .header("webhook-id", id)
        .header("webhook-timestamp", time.to_string())
        .header("webhook-signature", signature(&key, id, time, &body))
        .send(&body);
    let mut answer = answer.map_err(|error| match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::RequireHttpsOnly(_) => {
            SendError::Permanent(error.to_string())
        }
        error => SendError::Temporary(said(&error)),
    })?;
    let status = answer.status();
    let text = answer
        .body_mut()
        .with_config()
        .limit(RECEIPT)
        .lossy_utf8(true)
        .read_to_string();
    let text = text.unwrap_or_default();
    let words = format!("{status} {}", text.trim()).trim().to_owned();
    match status.as_u16() {
        200..=299 => Ok(words),
        300..=399 => Err(SendError::Permanent(format!(
            "{status}: a redirect is not followed, set the address that it leads to"
        ))),
        408 | 425 | 429 | 500.. => Err(SendError::Temporary(words)),
        _ => Err(SendError::Permanent(words)),
    }
}

fn agent(webhook: &Webhook) -> Result<ureq::Agent, SendError> {
    let mut config = ureq::Agent::config_builder()
        .timeout_global(Some(webhook.timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("preflight/", env!("CARGO_PKG_VERSION")));
    if webhook.url.starts_with("https://") {
        config = config.tls_config(tls()?);
    } else {
        // This machine alone; a proxy would be another one.
        config = config.proxy(None);
    }
    Ok(config.build().into())
}

/// Certificates are those that the system trusts.
fn tls() -> Result<TlsConfig, SendError> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        return Err(SendError::Temporary(
            "this system trusts no certificate".to_owned(),
        ));
    }
    let certificates = found.certs.iter();
    let certificates: Vec<Certificate<'static>> = certificates
        .map(|der| Certificate::from_der(der).to_owned())
        .collect();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

/// The secret's bytes: as they are, or of what stands behind `whsec_`.
fn key(secret: &str) -> Result<Vec<u8>, String> {
    match secret.strip_prefix(ENCODED) {
        None => Ok(secret.as_bytes().to_vec()),
        Some(encoded) => BASE64
            .decode(encoded)
            .map_err(|_| format!("the secret starts with {ENCODED} and is no Base64")),
    }
}

/// `v1,` and the HMAC-SHA256 of `ID.TIME.BODY` in Base64.
fn signature(key: &[u8], id: &str, time: u64, body: &str) -> String {
    // HMAC takes keys of any length.
    let Ok(mut hmac) = Hmac::<Sha256>::new_from_slice(key) else {
        return String::new();
    };
    hmac.update(format!("{id}.{time}.{body}").as_bytes());
    format!("v1,{}", BASE64.encode(hmac.finalize().into_bytes()))
}

fn body(parcel: &Parcel<'_>) -> Value {
    let file = |(file, bytes): &(&FileDigest, Vec<u8>)| {
        let mut shown = json!({
            "path": parcel.part.path_of(file),
            "media_type": file.media_type(),
            "bytes": file.bytes,
            "sha256": file.sha256,
        });
        match std::str::from_utf8(bytes) {
            Ok(text) => shown["text"] = text.into(),
            Err(_) => shown["base64"] = BASE64.encode(bytes).into(),
        }
        shown
    };
    let mut body = part_manifest(parcel);
    body["id"] = parcel.delivery.key.clone().into();
    body["text"] = parcel.part.text.clone().into();
    body["files"] = parcel.files.iter().map(file).collect();
    body
}

/// An error with its cause: "io: connection refused" alone says little.
fn said(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(io) if io.kind() == io::ErrorKind::ConnectionRefused => {
            "connection refused".to_owned()
        }
        error => match error.source() {
            Some(source) if !error.to_string().contains(&source.to_string()) => {
                format!("{error}: {source}")
            }
            _ => error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_standard() {
        // The example of the Standard Webhooks specification's libraries.
        let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let signature = signature(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            "{\"test\": 2432232314}",
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
