// Our WebSockets against their judge: npm's ws as the client, and bytes that no client of good will sends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/server_tool');
const { default: WebSocket } = await import(path.join(root, 'tests/node/node_modules/ws/wrapper.mjs'));

const folder = mkdtempSync(path.join(os.tmpdir(), 'cadre_ws_'));
const servers = [];
let plain, secure;

async function serve(...files) {
  const server = spawn(tool, ['websocket', ...files], { stdio: ['pipe', 'pipe', 'inherit'] });
  servers.push(server);
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  return line;
}

before(async () => {
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1',
    '-subj', '/CN=localhost', '-keyout', path.join(folder, 'key.pem'), '-out', path.join(folder, 'cert.pem')], { stdio: 'ignore' });
  plain = (await serve()).replace('http:', 'ws:');
  secure = (await serve(path.join(folder, 'cert.pem'), path.join(folder, 'key.pem'))).replace('https:', 'wss:');
});

after(async () => {
  for (const server of servers) {
    const ended = once(server, 'exit');
    server.stdin.end();
    assert.deepEqual(await ended, [0, null]);
  }
  rmSync(folder, { recursive: true });
});

async function connect(where, options = {}, protocols = []) {
  const socket = new WebSocket(where, protocols, { rejectUnauthorized: false, ...options });
  await once(socket, 'open');
  return socket;
}

async function closed(socket) {
  const [code, reason] = await once(socket, 'close');
  return [code, reason.toString()];
}

test('WebSocket: messages of every length form come back, as text and as bytes, with TLS and without', async () => {
  for (const at of [plain, secure]) {
    const socket = await connect(`${at}/echo`);
    for (const size of [0, 1, 125, 126, 127, 1000, 4096, 65535, 65536]) {
      for (const sent of ['ä'.repeat(size / 2) + 'x'.repeat(size % 2), Buffer.alloc(size, 0xfe)]) {
        socket.send(sent);
        const [data, binary] = await once(socket, 'message');
        assert.equal(binary, typeof sent !== 'string');
        assert.deepEqual(data, Buffer.from(sent));
      }
    }
    socket.close(1000, 'done');
    assert.deepEqual(await closed(socket), [1000, '']);
  }
});

test('WebSocket: fragments are put together, and a ping between them is answered', async () => {
  const socket = await connect(`${plain}/echo`);
  socket.send('one ', { fin: false });
  socket.ping('between');
  const [pong] = await once(socket, 'pong');
  assert.equal(pong.toString(), 'between');
  socket.send('t', { fin: false });
  socket.send('wo', { fin: true });
  const [data] = await once(socket, 'message');
  assert.equal(data.toString(), 'one two');
  for (let i = 0; i < 65; ++i) socket.send('x', { fin: false });
  assert.deepEqual(await closed(socket), [1008, 'a message has too many fragments']);
});

test('WebSocket: what a client does wrong is closed with the code for it', async () => {
  const cases = [
    ['not masked', (socket) => socket.send('x', { mask: false }), 1002],
    ['text that is not UTF-8', (socket) => socket.send(Buffer.from([0x61, 0xff]), { binary: false }), 1007],
    ['frame too large', (socket) => socket.send('x'.repeat(65537)), 1009],
    ['message too large', (socket) => {
      for (let i = 0; i < 17; ++i) socket.send('x'.repeat(65536), { fin: i === 16 });
    }, 1009],
    ['too many pings', (socket) => {
      for (let i = 0; i < 21; ++i) socket.ping();
    }, 1008],
  ];
  for (const [name, act, code] of cases) {
    const socket = await connect(`${plain}/echo`);
    act(socket);
    assert.equal((await closed(socket))[0], code, name);
  }
});

test('WebSocket: the server closes with its code, and offers of compression and protocols are answered as they should be', async () => {
  const goodbye = new WebSocket(`${plain}/goodbye`);
  assert.deepEqual(await closed(goodbye), [4008, 'too slow']);
  const socket = await connect(`${plain}/echo`, { perMessageDeflate: true }, ['bearer.abc', 'cadre.v1']);
  assert.equal(socket.protocol, 'cadre.v1');
  assert.equal(socket.extensions, '');
  for (const code of [1001, 3000, 4999]) {
    const one = await connect(`${plain}/echo`);
    one.close(code, 'why not');
    assert.equal((await closed(one))[0], code);
  }
  socket.terminate();
});

test('WebSocket: frames of several senders never stand inside one another', async () => {
  const socket = await connect(`${plain}/crowd`);
  const seen = { a: 0, b: 0, c: 0 };
  while (seen.a + seen.b + seen.c < 60) {
    const [data] = await once(socket, 'message');
    const text = data.toString();
    assert.equal(text, text[0].repeat(100000));
    ++seen[text[0]];
  }
  assert.deepEqual(seen, { a: 20, b: 20, c: 20 });
  socket.terminate();
});

test('WebSocket: who answers pings stays, who does not is cut off', async () => {
  const alive = await connect(`${plain}/beat`);
  for (let i = 0; i < 5; ++i) await once(alive, 'ping');
  alive.send('still here');
  assert.equal((await once(alive, 'message'))[0].toString(), 'still here');
  alive.terminate();
  const silent = new WebSocket(`${plain}/beat`, { autoPong: false });
  let pings = 0;
  silent.on('ping', () => ++pings);
  assert.equal((await closed(silent))[0], 1006);
  assert.equal(pings, 2);
});

function frame(first, payload, { masked = true, lengthBytes } = {}) {
  const size = payload.length;
  const bytes = lengthBytes ?? (size < 126 ? 0 : size < 65536 ? 2 : 8);
  const head = Buffer.alloc(2 + bytes + (masked ? 4 : 0));
  head[0] = first;
  head[1] = (bytes === 0 ? size : bytes === 2 ? 126 : 127) | (masked ? 0x80 : 0);
  if (bytes === 2) head.writeUInt16BE(size, 2);
  if (bytes === 8) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, Buffer.from(payload)]); // the mask is zero: it changes nothing
}

// A connection that speaks bytes, until its end.
async function raw(bytes, chunk) {
  const { port } = new URL(plain);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.setNoDelay(true);
  socket.on('error', () => {}); // the server may close before it has all
  let received = Buffer.alloc(0);
  const upgraded = new Promise((resolve) => {
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (received.includes('\r\n\r\n')) resolve();
    });
  });
  socket.write('GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  await upgraded;
  const ended = once(socket, 'close');
  for (let at = 0; at < bytes.length && !socket.destroyed; at += chunk) {
    await new Promise((resolve) => socket.write(bytes.subarray(at, at + chunk), () => setImmediate(resolve)));
  }
  await ended;
  return received.subarray(received.indexOf('\r\n\r\n') + 4);
}

test('WebSocket: every opcode, reserved bit and odd length, whole and byte by byte, ends in the right code', async () => {
  const cases = [];
  for (const opcode of [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]) cases.push([`opcode ${opcode}`, frame(0x80 | opcode, 'x'), 1002]);
  for (const bit of [0x40, 0x20, 0x10]) cases.push([`bit ${bit}`, frame(0x81 | bit, 'x'), 1002]);
  cases.push(['continues nothing', frame(0x80, 'x'), 1002]);
  cases.push(['long form', frame(0x81, 'x', { lengthBytes: 2 }), 1002]);
  cases.push(['longest form', frame(0x81, 'x', { lengthBytes: 8 }), 1002]);
  cases.push(['ping in fragments', frame(0x09, 'x'), 1002]);
  cases.push(['long ping', frame(0x89, 'x'.repeat(126)), 1002]);
  cases.push(['half a code', frame(0x88, [3]), 1002]);
  for (const code of [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535]) {
    cases.push([`code ${code}`, frame(0x88, [code >> 8, code & 255]), 1002]);
  }
  cases.push(['reason', frame(0x88, [3, 232, 0x61, 0xff]), 1007]);
  cases.push(['good close', frame(0x88, [3, 232, 0xc3, 0xa4]), 1000]);
  for (const [name, bytes, code] of cases) {
    for (const chunk of [bytes.length, 1]) {
      const answer = await raw(bytes, chunk);
      assert.equal(answer[0], 0x88, `${name} by ${chunk}`);
      assert.equal(answer.readUInt16BE(2), code, `${name} by ${chunk}`);
    }
  }
});
