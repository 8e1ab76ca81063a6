// The loops of decide.rs over the JavaScript skeleton of the same design; see README.md beside this file.
//
// node skeleton.mjs PATH/TO/execution-state-preflight.js [directory for the records]
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [path, parent = tmpdir()] = process.argv.slice(2);
if (!path) {
  console.error("usage: node skeleton.mjs PATH/TO/execution-state-preflight.js [DIRECTORY]");
  process.exit(2);
}
const { createPreflight } = createRequire(import.meta.url)(resolve(path));

// The hooks, tool and input of tests/support/mod.rs.
const hooks = {
  classifyWhenCase: () => "immediate",
  extractUserActionName: () => "send money",
  confirmToolNameMatchesIntent: () => ({ approved: true }),
  extractFromInstruction: field =>
    field === "amount" ? { value: 500000, segment_index: 0, span: [5, 12] } : undefined,
  measureFromEnvironment: (field, run) => run.measured_data[field],
  buildActionKey: userId => userId,
  validateFieldSchema: () => null,
  verifyUserChecklistItem: item => ({ ...item, status: "verified", source: "measured_data" }),
};
const names = ["from_account", "to_account", "amount"];
const input = {
  userId: "u_1",
  instruction: [{ text: "send 500,000 won to my landlord", trust: "user" }],
  mcpTool: {
    name: "bank.transfer",
    description: "Transfers are final.",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(names.map(name => [name, { type: "string" }])),
      required: names,
    },
  },
  userAnswers: { to_account: "220-118-99" },
  measured_data: { from_account: { valid: true, value: "1102534471" } },
};

async function measure(name, persist, decisions) {
  const gate = createPreflight({ hooks, storage: { persist, load: () => null } });
  const start = performance.now();
  for (let left = decisions; left > 0; left--) {
    const record = await gate.runPreflightAndRecord(input);
    if (record.execution_decision !== "execute") throw new Error(record.reason);
  }
  const seconds = (performance.now() - start) / 1000;
  const micros = ((seconds * 1e6) / decisions).toFixed(2);
  console.log(`${name}  ${micros} µs  ${Math.round(decisions / seconds)}/s`);
}

const directory = mkdtempSync(join(parent, "skeleton-"));
const file = openSync(join(directory, "records.jsonl"), "a");
const kept = [];
const keep = (key, record) => {
  kept[kept.length % 1000] = record;
};
const write = (key, record) => writeSync(file, JSON.stringify(record) + "\n");
const sync = (key, record) => {
  write(key, record);
  fdatasyncSync(file);
};
await measure("warming up          ", keep, 50_000);
await measure("in memory           ", keep, 200_000);
await measure("JSON Lines, written ", write, 50_000);
await measure("JSON Lines, synced  ", sync, 500);
closeSync(file);
rmSync(directory, { recursive: true });
