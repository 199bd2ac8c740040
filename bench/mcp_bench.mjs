// mcp_bench.mjs ERA CALLS AT_ONCE ROUNDS stdio COMMAND ARGUMENTS… | http URL: what calls of `echo` take in npm's MCP clients, for
// mcp_bench.cpp: of the legacy era the SDK, of the modern one its successor. Each round is a line: CPU µs a call, calls a second.
const [era, calls, atOnce, rounds, way, ...rest] = process.argv.slice(2);
const modern = era === 'modern';
const modules = '../tests/node/node_modules/@modelcontextprotocol';
const part = (file) => import(modern ? `${modules}/client/dist/${file}.mjs` : `${modules}/sdk/dist/esm/client/${file}.js`);
const { Client, ...others } = await part('index');
const { StdioClientTransport } = await part('stdio');
const { StreamableHTTPClientTransport } = modern ? others : await part('streamableHttp');

const word = 'a short text, as most are';
const warmUp = 4000;  // calls; the compiler of Node has done its work then

// All requests share one abort signal, whose listeners pile up until memory is collected. Without it these clients take up to half as
// much, and that is what ours is compared with.
const withoutSignal = (url, { signal, ...rest } = {}) => fetch(url, rest);

const client = new Client({ name: 'bench', version: '1' }, modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
await client.connect(way === 'stdio' ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: 'ignore' })
  : new StreamableHTTPClientTransport(new URL(rest[0]), { fetch: withoutSignal }));

async function several(count) {
  for (let i = 0; i < count; ++i) {
    const result = await client.callTool({ name: 'echo', arguments: { message: word } });
    if (result.content[0].text !== word) throw new Error('that was no echo');
  }
}
const all = (count) => Promise.all(Array.from({ length: atOnce }, () => several(count / atOnce)));

await all(Math.max(warmUp, calls));
for (let round = 0; round < rounds; ++round) {
  const begun = process.hrtime.bigint();
  const before = process.cpuUsage();
  await all(Number(calls));
  const used = process.cpuUsage(before);
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  console.log((used.user + used.system) / calls, calls / seconds);
}
await client.close();
process.exit(0);
