// npm's MCP clients against mock-mcp: of the legacy era (sdk) and of the modern one (client). Each prints what it saw as JSON;
// mock_mcp_test.py says what is right.
//     node mock_mcp_judges.mjs legacy|modern stdio COMMAND ARGUMENTS…
//     node mock_mcp_judges.mjs legacy|modern http URL
const [era, way, ...rest] = process.argv.slice(2);
const modern = era === 'modern';
const name = modern ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client';
const { Client, ...others } = await import(modern ? name : `${name}/index.js`);
const { StdioClientTransport } = await import(modern ? `${name}/stdio` : `${name}/stdio.js`);
const { StreamableHTTPClientTransport } = modern ? others : await import(`${name}/streamableHttp.js`);

const seen = {};
const connect = async () => {
  const info = { name: 'judge', version: '1' };
  const client = new Client(info, modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
  await client.connect(way === 'stdio' ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(rest[0])));
  return client;
};
const failure = async (work) => {
  try {
    await work();
    return null;
  } catch (error) {
    return { code: error.code ?? null, message: error.message };
  }
};

try {
  const client = await connect();
  const call = (tool, args = {}, options = {}) => client.callTool({ name: tool, arguments: args, ...(options.params ?? {}) },
    ...(modern ? [options.request] : [undefined, options.request]));
  seen.server = client.getServerVersion()?.name;
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  seen.echo = (await call('echo', { message: 'grüezi' })).content[0].text;
  seen.add = (await call('add', { a: 2, b: 3 })).structuredContent;
  const started = Date.now();
  await call('sleep', { ms: 200 });
  seen.slept = Date.now() - started;
  seen.fail = await call('fail', { message: 'no luck' });
  seen.failCode = await failure(() => call('fail', { code: -32603, message: 'broken' }));
  seen.counter = (await call('counter', {}, { params: { _meta: { idempotencyKey: 'judge' } } })).structuredContent;
  seen.big = (await call('big', { bytes: 1000000 })).content[0].text.length;
  seen.progress = [];
  const onprogress = (step) => seen.progress.push([step.progress, step.total]);
  seen.poll = (await call('poll', { ms: 200, steps: 2 }, { request: { onprogress } })).content[0].text;
  seen.wrong = await failure(async () => {
    const result = await call('add', { a: 'x', b: 1 });
    if (result.isError) throw new Error(result.content[0].text);
  });
  seen.unknown = await failure(() => call('nothing'));
  const aborted = new AbortController();
  const onfirst = () => aborted.abort();
  seen.aborted = await failure(() => call('poll', { ms: 60000, steps: 600 }, { request: { signal: aborted.signal, onprogress: onfirst } }));
  seen.after = (await call('echo', { message: 'on' })).content[0].text;
  seen.crash = await failure(() => call('crash', { code: 3 }, { request: { timeout: 5000 } }));
  await client.close();
} catch (error) {
  seen.threw = error.stack;
}
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
