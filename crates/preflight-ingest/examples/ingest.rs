//! Reads paths into a lake: `ingest LAKE PATH...`.

use preflight_ingest::{Ingest, Options, find_inputs};
use preflight_lake::LakeWriter;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let lake = arguments.next().ok_or("usage: ingest LAKE PATH...")?;
    let paths: Vec<String> = arguments.collect();
    let inputs = find_inputs(&paths);
    let mut writer = LakeWriter::open(lake, || eprintln!("waiting for another writer"))?;
    let notice = |notice| eprintln!("{notice}");
    let summary = Ingest::new(Options::default()).run(&inputs.found, &mut writer, &notice)?;
    println!("{summary:#?}");
    Ok(())
}
