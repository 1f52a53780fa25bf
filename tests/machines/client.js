// tests/machines/client.js POPINJAY TRACES: the protocol's own client against popinjay mcp. Prints a
// result line for each test.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const packages = createRequire(path.join(process.env.NODE_PATH, "none.js"));
const load = async (name) => import(pathToFileURL(packages.resolve(name)));
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const [program, traces] = process.argv.slice(2);

async function connect() {
  const client = new Client({ name: "popinjay-tests", version: "1" });
  await client.connect(new StdioClientTransport({ command: program, args: ["mcp", traces] }));
  return client;
}

async function allTools(client) {
  const tools = [];
  for (let cursor; ; ) {
    const part = await client.listTools(cursor ? { cursor } : {});
    tools.push(...part.tools);
    cursor = part.nextCursor;
    if (!cursor) return tools;
  }
}

const tests = {
  "says what it is": async (client) => {
    assert.equal(client.getServerVersion().name, "popinjay");
    assert.match(client.getInstructions(), /metrics/);
    await client.ping();
  },
  "tools have schemas": async (client) => {
    const tools = await allTools(client);
    const metrics = tools.find((tool) => tool.name === "metrics");
    assert.ok(metrics.inputSchema.properties.set.enum.includes("mpi-mult"));
    assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
  },
  "the table of a study": async (client) => {
    const answer = await client.callTool({
      name: "metrics",
      arguments: { traces: ["stencil_*.prv.gz"], set: "mpi-mult" },
    });
    const table = JSON.parse(answer.content[0].text);
    assert.equal(table.set.key, "mpi-mult");
    const efficiency = table.rows.map((row) => row.parallel_efficiency);
    assert.ok(efficiency.length > 5 && efficiency.every((value) => value > 0.3 && value <= 1));
  },
  "a page after the other": async (client) => {
    const rows = [];
    let pages = 0;
    for (let cursor; ; pages++) {
      const answer = await client.callTool({
        name: "events",
        arguments: { traces: ["stencil_8x1.prv.gz"], type: "MPI_Isend", ...(cursor && { cursor }) },
      });
      const table = JSON.parse(answer.content[0].text);
      rows.push(...table.rows);
      cursor = table.truncated?.cursor;
      if (!cursor) break;
    }
    assert.ok(pages > 0 && new Set(rows.map((row) => JSON.stringify(row))).size === rows.length);
  },
  "a mistake is explained": async (client) => {
    const answer = await client.callTool({ name: "waits", arguments: { traces: ["/etc/passwd"] } });
    assert.ok(answer.isError);
    assert.match(answer.content[0].text, /outside/);
    await assert.rejects(client.callTool({ name: "record", arguments: {} }));
  },
  "definitions are resources": async (client) => {
    const { resources } = await client.listResources();
    const mpi = resources.find((one) => one.uri === "popinjay://metrics/mpi");
    const { contents } = await client.readResource({ uri: mpi.uri });
    assert.match(contents[0].text, /load balance/i);
  },
};

const client = await connect();
for (const [name, test] of Object.entries(tests)) {
  try {
    await test(client);
    console.log(`pass\tmachines\t${name}`);
  } catch (error) {
    console.log(`fail\tmachines\t${name}`);
    console.error(error);
  }
}
await client.close();
