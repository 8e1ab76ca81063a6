//! Signed verdicts, also through another process: forged, altered, expired and used ones call nothing.
//!
//! Without a test harness, since the other process is this program again.

mod support;

use std::{
    env,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, SystemTime},
};

use preflight_gate::{
    Decision, GateError, MemoryStore, NonceFolder, Outcome, Preflight, Refusal, SignedVerdicts,
    SqliteStore, Store, Tool,
};
use preflight_seal::{KeyRing, NewKey, PrivateKey};
use support::{Confirms, Fits, Ready, complete, transfer};

const FOLDER: &str = "PREFLIGHT_VERDICTS_FOLDER";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    match env::var_os(FOLDER) {
        Some(folder) => runtime.block_on(other_process(Path::new(&folder))),
        None => {
            runtime.block_on(tampering());
            runtime.block_on(used_and_overtaken());
            runtime.block_on(round_trip());
            println!("signed verdicts: ok");
        }
    }
}

fn key() -> (PrivateKey, String) {
    let key = NewKey::random("gate").expect("made");
    let public = key.public.clone();
    (key.into_private().expect("a key"), public)
}

fn trusting(public: &str) -> SignedVerdicts {
    let mut ring = KeyRing::new();
    ring.trust(public).expect("a key");
    SignedVerdicts::checked_with(ring)
}

fn gate(
    store: Arc<dyn Store>,
    signing: SignedVerdicts,
    clock: Option<SystemTime>,
) -> Preflight<Ready> {
    let builder = Preflight::builder()
        .hooks(Ready)
        .field_schema(Fits)
        .checklist(Confirms)
        .store(store)
        .signed_verdicts(signing);
    let builder = match clock {
        Some(clock) => builder.clock(clock),
        None => builder,
    };
    builder.build().expect("built")
}

async fn token(gate: &Preflight<Ready>, tool: &Arc<Tool>, user: &str) -> String {
    let verdict = gate
        .run_and_record(&complete(user, tool))
        .await
        .expect("recorded");
    assert_eq!(verdict.decision(), Decision::Execute);
    verdict.into_token().expect("signed")
}

async fn refusal(gate: &Preflight<Ready>, token: &str, tool: &Arc<Tool>) -> Option<Refusal> {
    match gate.redeem(token, tool).await {
        Err(GateError::Refused(refusal)) => Some(refusal),
        Err(other) => panic!("{other}"),
        Ok(verdict) => {
            let called = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
            match called.await {
                Ok(Outcome::Executed { .. }) => None,
                Err(GateError::Refused(refusal)) => Some(refusal),
                other => panic!("{other:?}"),
            }
        }
    }
}

async fn tampering() {
    let (private, public) = key();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let signer = || trusting(&public).signed_with(private.clone());
    let gate_a = gate(Arc::clone(&store), signer(), None);
    let tool = transfer();
    let whole = token(&gate_a, &tool, "u_1").await;
    // Everything in it is signed: each value, the tool, the key, the nonce, the expiry, the reason.
    for (part, other) in [
        ("500000", "500001"),
        ("\"u_1\"", "\"u_2\""),
        ("\"instruction\"", "\"user_answer\""),
        ("\"reason\":\"", "\"reason\":\"x"),
        ("\"nonce\":\"", "\"nonce\":\"0"),
        ("\"expires_at\":\"2", "\"expires_at\":\"3"),
        ("\"baseline\":null", "\"baseline\":\"\""),
        ("\"signature\":\"", "\"signature\":\"00"),
    ] {
        let altered = whole.replacen(part, other, 1);
        assert_ne!(altered, whole, "{part}");
        let refused = refusal(&gate_a, &altered, &tool).await;
        assert!(
            matches!(refused, Some(Refusal::Forged(_) | Refusal::Unreadable(_))),
            "{part}: {refused:?}"
        );
    }
    // What a refused verdict needs is a signature, not a friend: an unsigned, a strange one.
    let unsigned = whole.replacen("\"verdict\":", "\"verdikt\":", 1);
    assert_eq!(
        refusal(&gate_a, &unsigned, &tool).await,
        Some(Refusal::Unsigned)
    );
    let (stranger, strange) = key();
    let forger = gate(
        Arc::clone(&store),
        trusting(&strange).signed_with(stranger),
        None,
    );
    let forged = token(&forger, &tool, "u_1").await;
    assert!(matches!(
        refusal(&gate_a, &forged, &tool).await,
        Some(Refusal::Forged(_))
    ));
    let other = Arc::new(Tool::new("bank.close", None, None));
    assert!(matches!(
        refusal(&gate_a, &whole, &other).await,
        Some(Refusal::OtherTool(_))
    ));
    assert!(matches!(
        refusal(&gate_a, "{}", &tool).await,
        Some(Refusal::Unreadable(_))
    ));

    // A revoked key's verdicts do not count either.
    let mut ring = KeyRing::new();
    ring.trust(&public).expect("a key");
    ring.revoke(private.id());
    let wary = gate(Arc::clone(&store), SignedVerdicts::checked_with(ring), None);
    assert!(matches!(
        refusal(&wary, &whole, &tool).await,
        Some(Refusal::Forged(_))
    ));

    // Respelled by a JSON library on the way, it is the same verdict.
    let value: serde_json::Value = serde_json::from_str(&whole).expect("valid");
    assert_eq!(refusal(&gate_a, &value.to_string(), &tool).await, None);

    // It may be executed for so long.
    let late = SystemTime::now() + Duration::from_secs(301);
    let late = gate(Arc::new(MemoryStore::default()), signer(), Some(late));
    let fresh = token(
        &gate(Arc::new(MemoryStore::default()), signer(), None),
        &tool,
        "u_3",
    )
    .await;
    assert!(matches!(
        refusal(&late, &fresh, &tool).await,
        Some(Refusal::Expired(_))
    ));
}

async fn used_and_overtaken() {
    let (private, public) = key();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let gate = gate(
        Arc::clone(&store),
        trusting(&public).signed_with(private),
        None,
    );
    let tool = transfer();
    let (first, second) = (
        token(&gate, &tool, "u_1").await,
        token(&gate, &tool, "u_1").await,
    );
    // A verdict that never left is checked like one that did.
    let verdict = gate
        .run_and_record(&complete("u_2", &tool))
        .await
        .expect("recorded");
    let called = gate
        .execute_if_ready(verdict, async |_| Err::<(), _>("no".to_owned()))
        .await;
    assert!(matches!(called, Ok(Outcome::Failed { .. })));
    assert_eq!(refusal(&gate, &first, &tool).await, None);
    for used in [&first, &second] {
        // The baseline is another one by now, which is told first.
        let again = gate.redeem(used, &tool).await;
        assert!(matches!(again, Err(GateError::Overtaken(_))), "{again:?}");
    }
    // A call that failed leaves the baseline as it was; the verdict is used up all the same.
    let once = token(&gate, &tool, "u_4").await;
    let verdict = gate.redeem(&once, &tool).await.expect("counts");
    let failed = gate
        .execute_if_ready(verdict, async |_| Err::<(), _>("no".to_owned()))
        .await;
    assert!(matches!(failed, Ok(Outcome::Failed { .. })));
    assert_eq!(refusal(&gate, &once, &tool).await, Some(Refusal::Reused));
}

/// Judged here, executed there; then back here, where it is used.
async fn round_trip() {
    let folder = tempfile::tempdir().expect("a folder");
    let (private, public) = key();
    std::fs::write(folder.path().join("pub"), &public).expect("written");
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(folder.path().join("a.db")).expect("opens"));
    let nonces = Arc::new(NonceFolder::open(folder.path().join("nonces")).expect("opens"));
    let gate = gate(
        store,
        trusting(&public).signed_with(private).nonces(nonces),
        None,
    );
    let tool = transfer();
    let there_and_back = token(&gate, &tool, "u_1").await;
    assert_eq!(
        send(folder.path(), &there_and_back.replacen("500000", "5", 1)),
        "refused"
    );
    assert_eq!(send(folder.path(), &there_and_back), "failed");
    assert_eq!(send(folder.path(), &there_and_back), "refused");
    assert_eq!(
        refusal(&gate, &there_and_back, &tool).await,
        Some(Refusal::Reused)
    );
    let fresh = token(&gate, &tool, "u_1").await;
    assert_eq!(refusal(&gate, &fresh, &tool).await, None);
}

fn send(folder: &Path, token: &str) -> String {
    let program = env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(token.as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("ended");
    String::from_utf8(output.stdout).expect("text")
}

/// Executes the verdict on standard input; the call fails, and the log says so.
async fn other_process(folder: &Path) {
    let mut token = String::new();
    std::io::stdin()
        .read_to_string(&mut token)
        .expect("a token");
    let public = std::fs::read_to_string(folder.join("pub")).expect("a key");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.join("a.db")).expect("opens"));
    let nonces = Arc::new(NonceFolder::open(folder.join("nonces")).expect("opens"));
    let gate = gate(store, trusting(&public).nonces(nonces), None);
    let said = match gate.redeem(&token, &transfer()).await {
        Err(GateError::Refused(_)) => "refused",
        Err(other) => panic!("{other}"),
        Ok(verdict) => {
            let called = gate.execute_if_ready(verdict, async |call| {
                assert!(call.arguments().as_str().contains("500000"));
                Err::<(), _>("timeout".to_owned())
            });
            match called.await {
                Ok(Outcome::Failed { .. }) => "failed",
                Err(GateError::Refused(_)) => "refused",
                other => panic!("{other:?}"),
            }
        }
    };
    print!("{said}");
}
