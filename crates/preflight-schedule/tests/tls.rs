//! Deliveries over TLS, to servers on this machine whose certificate the system trusts, or not.
//!
//! Which certificates are trusted is read from the environment, so that each case is a process of its
//! own: this program again, with the one test that is ignored otherwise.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
};

use preflight_schedule::{
    Config, Job, JobError, Part, Period, Product, Runner, Schedule, Stop, SystemClock,
};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use tempfile::TempDir;

/// Names the folder of a case.
const FOLDER: &str = "PREFLIGHT_TLS_TEST";

struct Page;

impl Job for Page {
    fn run(&self, _: &Schedule, _: &Period, folder: &Path) -> Result<Product, JobError> {
        fs::create_dir(folder.join("bank")).unwrap();
        fs::write(folder.join("bank/gaps.html"), "<p>a secret</p>").unwrap();
        let part = Part {
            name: "bank".to_owned(),
            folder: "bank".to_owned(),
            subject: "Gaps".to_owned(),
            text: "Gaps\n".to_owned(),
            recipients: vec!["api@bank.example".to_owned()],
            facts: Value::Null,
        };
        Ok(Product {
            source: Value::Null,
            notes: Value::Null,
            parts: vec![part],
        })
    }
}

#[test]
#[ignore = "a case of the other tests, in a process of its own"]
fn one_case() {
    let folder = PathBuf::from(env::var(FOLDER).unwrap());
    let config = Config::read(&folder.join("preflight.toml"), &folder.join("state")).unwrap();
    let schedule = &config.schedules[0];
    let period = Period::parse(schedule.unit, "2026-W23", schedule.cron.zone()).unwrap();
    let mut runner = Runner {
        job: &Page,
        clock: &SystemClock,
        stop: &Stop::default(),
        say: &mut |status| println!("said {}", serde_json::to_string(status).unwrap()),
    };
    runner.once(schedule, Some(period)).unwrap();
}

/// A server's certificate, in a file and as the server has it.
fn certificate(folder: &Path) -> (PathBuf, Arc<ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let file = folder.join("trusted.pem");
    let encoded = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        made.cert.der().as_ref(),
    );
    let pem = format!("-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n");
    fs::write(&file, pem).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (file, Arc::new(config))
}

/// A server that answers each connection by a function; what it read after the handshake comes out.
fn server(
    talk: impl Fn(TcpStream) -> std::io::Result<String> + Send + 'static,
) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, heard) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let read = talk(stream.unwrap());
            let read = read.unwrap_or_else(|error| format!("error: {error}"));
            if sender.send(read).is_err() {
                return;
            }
        }
    });
    (port, heard)
}

fn secure(
    stream: TcpStream,
    config: &Arc<ServerConfig>,
) -> std::io::Result<StreamOwned<ServerConnection, TcpStream>> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
    Ok(StreamOwned::new(connection, stream))
}

fn http(stream: TcpStream, config: &Arc<ServerConfig>) -> std::io::Result<String> {
    let mut reader = BufReader::new(secure(stream, config)?);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(head);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    reader.get_mut().write_all(answer)?;
    reader.get_mut().flush()?;
    Ok(head + &String::from_utf8_lossy(&body))
}

/// Runs a case; returns what it said of its delivery.
fn deliver(folder: &TempDir, target: &str, trusted: &Path) -> Value {
    let folder = folder.path();
    fs::write(folder.join("secret"), "s3cret").unwrap();
    let config = format!(
        "[schedules.s]\ncron = \"0 6 * * MON\"\nperiod = \"week\"\nretry_seconds = 1\n\
         retry_seconds_at_most = 1\n[schedules.s.deliver.out]\n{target}\ntimeout_seconds = 5\n"
    );
    fs::write(folder.join("preflight.toml"), config).unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "one_case", "--nocapture"])
        .env(FOLDER, folder)
        .env("SSL_CERT_FILE", trusted)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines = said.lines().filter_map(|line| line.split_once("said "));
    let events = lines.map(|(_, line)| serde_json::from_str::<Value>(line).unwrap());
    let mut deliveries = events.filter(|event| event["event"] == "delivery");
    deliveries.next_back().unwrap_or_else(|| panic!("{said}"))
}

fn target(port: u16) -> String {
    format!("webhook = \"https://127.0.0.1:{port}/\"\nsecret_file = \"secret\"")
}

#[test]
fn a_server_that_the_system_trusts_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let (trusted, config) = certificate(folder.path());
    let (port, heard) = server(move |stream| http(stream, &config));
    let said = deliver(&folder, &target(port), &trusted);
    assert_eq!(said["result"], "delivered", "{said}");
    let heard = heard.recv().unwrap();
    assert!(heard.contains(said["key"].as_str().unwrap()), "{heard}");
}

#[test]
fn a_server_that_nobody_vouches_for_gets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_, config) = certificate(folder.path());
    let other = tempfile::tempdir().unwrap();
    let (trusted, _) = certificate(other.path());
    let (port, heard) = server(move |stream| http(stream, &config));
    let said = deliver(&folder, &target(port), &trusted);
    assert_eq!(said["result"], "failed", "{said}");
    let error = said["error"].as_str().unwrap().to_lowercase();
    assert!(error.contains("certificate"), "{error}");
    for heard in heard.try_iter() {
        assert!(!heard.contains("secret"), "{heard}");
    }
}
