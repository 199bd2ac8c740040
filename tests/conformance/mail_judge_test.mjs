// Mail against its judges: npm's mailparser reads what we write, smtp-server takes what we send, nodemailer writes what we read.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/mail_tool');
const require = createRequire(path.join(root, 'tests/node/package.json'));
const { simpleParser } = require('mailparser');
const { SMTPServer } = require('smtp-server');
const MailComposer = require('nodemailer/lib/mail-composer');
const SMTPConnection = require('nodemailer/lib/smtp-connection');

function ours(mode, asks) {
  const input = asks.map((ask) => JSON.stringify(ask) + '\n').join('');
  const run = spawnSync(tool, [mode], { input, maxBuffer: 1 << 30 });
  assert.equal(run.status, 0, run.stderr?.toString());
  const answers = run.stdout.toString().split('\n').slice(0, -1).map((line) => JSON.parse(line));
  assert.equal(answers.length, asks.length);
  return answers;
}

let seed = 7;
const below = (bound) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % bound;
};
const any = (list) => list[below(list.length)];
const some = (list, most) => Array.from({ length: 1 + below(most) }, () => any(list)).join('');

const SHORT = ['a', 'word ', 'Über ', 'é', '漢字', '😀', '.', ',', '"', '\\', '=', '?', '=?utf-8?Q?x?=', '<', '>', '@', '(', ')', ';',
  ' ', '_'];
const WORDS = [...SHORT, 'a-very-long-word-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on'];
// nodemailer does not hide what looks encoded
const OPEN = WORDS.filter((word) => !word.startsWith('=?'));
const LINES = [...WORDS, '\n', '\n\n', '\n.', '\n..\n', '\nFrom ', ' \n', '\t', 'x'.repeat(200)];
const line = (text) => text.replace(/\s+/g, ' ').trim();

test('mailparser reads in our mails what we have written', async () => {
  const asks = Array.from({ length: 400 }, (_, i) => ({
    name: some(SHORT, 12), to_name: i % 3 ? some(SHORT, 5) : '', subject: some(i % 2 ? SHORT : WORDS, i % 5 + 1), text: some(LINES, 60),
    html: i % 4 ? `<p>${some(LINES, 60)}</p>` : '', key: `${i.toString(16).padStart(32, '0')}${i % 5 ? '' : '#2'}`,
    parent: `parent-${i}@example.org`, chain: Array.from({ length: i % 60 }, (_, n) => `${n}.${i}@mail.example`),
  }));
  const mails = ours('write', asks);
  for (let i = 0; i < asks.length; ++i) {
    const ask = asks[i];
    for (const one of mails[i].split('\r\n')) assert.match(one, /^[\t\x20-\x7e]{0,76}$/);
    const mail = await simpleParser(mails[i], { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true });
    assert.equal(mail.subject, line(`Re: ${line(ask.subject)}`));
    assert.deepEqual(mail.from.value, [{ address: 'help@example.com', name: line(ask.name) }]);
    assert.deepEqual(mail.to.value, [{ address: 'ann@example.org', name: line(ask.to_name) }]);
    const ends = (text) => (text ?? '').replace(/\r\n/g, '\n').replace(/\n$/, '');
    assert.equal(ends(mail.text), ends(ask.text));
    assert.equal(ends(mail.html || ''), ends(ask.html));
    assert.equal(mail.messageId, `<${ask.key}@example.com>`);
    assert.equal(mail.inReplyTo, `<${ask.parent}>`);
    const chain = [...ask.chain, ask.parent];
    const kept = chain.length > 21 ? [chain[0], ...chain.slice(-20)] : chain;
    assert.deepEqual([mail.references].flat(), kept.map((id) => `<${id}>`));
    assert.equal(mail.headers.get('auto-submitted'), 'auto-replied');
    assert.equal(mail.headers.get('x-auto-response-suppress'), 'All');
    assert.equal(mail.date.getTime(), 1700000000000);
    assert.deepEqual(mail.attachments, []);
  }
});

// ---- sending ----

const folder = mkdtempSync(path.join(os.tmpdir(), 'cadre_mail_'));
after(() => rmSync(folder, { recursive: true }));

function certificate() {
  const files = { key: path.join(folder, 'key.pem'), cert: path.join(folder, 'cert.pem') };
  const run = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
    '-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', files.key, '-out', files.cert]);
  assert.equal(run.status, 0, run.stderr?.toString());
  return files;
}

const files = certificate();
const tls = { key: readFileSync(files.key), cert: readFileSync(files.cert) };

/** What came to a server with those options, as mailparser reads it, and what we were told. */
async function sent(scheme, options, ask) {
  const got = [];
  const server = new SMTPServer({
    ...tls, logger: false, disableReverseLookup: true,
    onData(stream, session, done) {
      const pieces = [];
      const envelope = { from: session.envelope.mailFrom.address, to: session.envelope.rcptTo.map((one) => one.address) };
      stream.on('data', (piece) => pieces.push(piece));
      stream.on('end', () => {
        got.push({ raw: Buffer.concat(pieces).toString('latin1'), secure: session.secure, envelope });
        done(options.verdict ?? null, 'queued');
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${scheme}://127.0.0.1:${server.server.address().port}`;
  const child = spawn(tool, ['send'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ url, ca_file: files.cert, from: 'help@example.com', to: 'ann@example.org', ...ask }) + '\n');
  let answer;
  for await (const text of createInterface({ input: child.stdout })) answer = JSON.parse(text);
  await new Promise((resolve) => server.close(resolve));
  return { answer, got };
}

const refusal = (code, text) => Object.assign(new Error(text), { responseCode: code });
const login = (auth, session, done) =>
  auth.username === 'ann' && (auth.password ?? auth.accessToken) === 's3cret' ? done(null, { user: 'ann' }) : done(new Error('wrong'));

test('smtp-server takes our mails over TLS, STARTTLS and on this machine, with each login', async () => {
  const text = '.\n..\n.hidden\nÜber\n\n.\nQUIT\n';
  const [mail] = ours('write', [{ subject: 'Hours', text, html: '<p>.</p>', key: '0af1', parent: 'm1@example.org', chain: [] }]);
  const cases = [
    ['smtp', { authOptional: true, hideSTARTTLS: true }, {}],
    ['smtps', { secure: true, authOptional: true }, {}],
    ['smtp+starttls', { authOptional: true }, {}],
    ['smtp+starttls', { onAuth: login, authMethods: ['PLAIN'] }, { user: 'ann', password: 's3cret' }],
    ['smtps', { secure: true, onAuth: login, authMethods: ['LOGIN'] }, { user: 'ann', password: 's3cret' }],
    ['smtps', { secure: true, onAuth: login, authMethods: ['XOAUTH2'] }, { user: 'ann', password: 's3cret', token: true }],
  ];
  for (const [scheme, options, ask] of cases) {
    const { answer, got } = await sent(scheme, options, { mail, ...ask });
    assert.deepEqual([answer.kind, answer.code], ['accepted', '250'], JSON.stringify([scheme, answer]));
    assert.equal(got.length, 1);
    assert.equal(got[0].raw, mail);
    assert.deepEqual(got[0].envelope, { from: 'help@example.com', to: ['ann@example.org'] });
    assert.equal(got[0].secure, scheme !== 'smtp');
    assert.equal((await simpleParser(got[0].raw)).text, text);
  }
});

test('what smtp-server refuses is refused for good, put off, or the fault of the account', async () => {
  const mail = 'Subject: x\r\n\r\nx\r\n';
  const open = { authOptional: true, hideSTARTTLS: true };
  const cases = [
    [{ ...open, onRcptTo: (a, s, done) => done(refusal(550, 'nobody')) }, {}, 'refused', '550', 0],
    [{ ...open, onRcptTo: (a, s, done) => done(refusal(450, 'greylisted')) }, {}, 'later', '450', 0],
    [{ ...open, onMailFrom: (a, s, done) => done(refusal(553, 'not you')) }, {}, 'refused', '553', 0],
    [{ ...open, onConnect: (s, done) => done(refusal(421, 'busy')) }, {}, 'later', '421', 0],
    [{ ...open, verdict: refusal(554, 'spam') }, {}, 'refused', '554', 1],
    [{ ...open, verdict: refusal(452, 'full') }, {}, 'later', '452', 1],
    [{ ...open, size: 10 }, {}, 'refused', '552', 0],
    [{ hideSTARTTLS: true, onAuth: login, allowInsecureAuth: true }, { user: 'ann', password: 'wrong' }, 'later', '535', 0],
    [{ hideSTARTTLS: true, onAuth: login, authMethods: ['XOAUTH2'], allowInsecureAuth: true },
      { user: 'ann', password: 'wrong', token: true }, 'later', '535', 0],
  ];
  for (const [options, ask, kind, code, count] of cases) {
    const { answer, got } = await sent('smtp', options, { mail, ...ask });
    assert.deepEqual([answer.kind, answer.code], [kind, code], JSON.stringify(answer));
    assert.equal(answer.wrong_secret, code === '535');
    assert.equal(got.length, count);
  }
  const { answer, got } = await sent('smtp+starttls', { authOptional: true, hideSTARTTLS: true }, { mail });
  assert.equal(answer.kind, 'error');
  assert.match(answer.text, /no STARTTLS/);
  assert.equal(got.length, 0);
});

// ---- reading ----

test('what nodemailer writes is read as it was meant', async () => {
  const wants = Array.from({ length: 300 }, (_, i) => ({
    from: { name: line(some(OPEN, 6)), address: `ann${i}@example.org` }, to: 'help@example.com', subject: line(some(OPEN, i % 30 + 1)),
    text: `Words ${i} ${some(OPEN, 80)} end`, html: i % 3 ? `<p>HTML ${i}</p>` : undefined, messageId: `<m${i}@example.org>`,
    inReplyTo: i % 2 ? '<0af1@example.com>' : undefined, references: i % 2 ? ['<m0@example.org>', '<0af1@example.com>'] : undefined,
    textEncoding: any(['quoted-printable', 'base64', undefined]),
    attachments: i % 4 ? [] : [{ filename: 'Überstunden.csv', content: 'a;b', contentType: 'text/csv' },
      { filename: 'x.eml', contentType: 'message/rfc822', content: 'From: eve@evil.example\r\n\r\nNot ours' }],
    headers: i % 7 ? {} : { 'Auto-Submitted': 'auto-replied' },
  }));
  const asks = [];
  for (const want of wants) {
    const raw = await new MailComposer({ ...want, newline: '\r\n' }).compile().build();
    asks.push({ mail: raw.toString('latin1') });
    assert.doesNotMatch(asks.at(-1).mail, /[^\x00-\x7f]/);
  }
  ours('read', asks).forEach((mail, i) => {
    const want = wants[i];
    assert.equal(mail.address, want.from.address);
    assert.equal(mail.name, want.from.name);
    assert.equal(mail.subject, want.subject, asks[i].mail);
    assert.equal(line(mail.text), line(want.text));
    assert.equal(mail.id, `m${i}@example.org`);
    assert.equal(mail.in_reply_to, i % 2 ? '0af1@example.com' : '');
    assert.deepEqual(mail.references, i % 2 ? ['m0@example.org', '0af1@example.com'] : []);
    assert.deepEqual(mail.attachments.map((one) => one.type), i % 4 ? [] : ['text/csv', 'message/rfc822']);
    if (i % 4 === 0) assert.deepEqual([mail.attachments[0].name, mail.attachments[0].size], ['Überstunden.csv', 3]);
    assert.equal(mail.no_answer === '', i % 7 !== 0);
  });
});

test('mails of many charsets, and with HTML alone, are read', () => {
  const composed = (body, headers) => ({ mail: `From: ann@example.org\r\n${headers}\r\n\r\n${body}` });
  const answers = ours('read', [
    composed('Stra=DFe', 'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable'),
    composed('gqCCooKk', 'Content-Type: text/plain; charset=shift_jis\r\nContent-Transfer-Encoding: base64'),
    composed('<h1>Hours</h1><p>32 of <b>40</b></p><style>x</style>', 'Content-Type: text/html'),
  ]);
  assert.deepEqual(answers.map((mail) => mail.text), ['Straße', 'あいう', '# Hours\n\n32 of **40**']);
});

test('nodemailer hands mails to us by LMTP', async () => {
  const child = spawn(tool, ['receive', '3'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [host, port] = JSON.parse((await lines.next()).value).split(':');
  const connection = new SMTPConnection({ host, port: Number(port), lmtp: true, ignoreTLS: true });
  await new Promise((resolve, reject) => connection.once('error', reject) && connection.connect(resolve));
  const send = (from, to, mail) => new Promise((resolve) => connection.send({ from, to }, mail, (error, info) => resolve({ error, info })));
  const mail = 'From: ann@example.org\r\n\r\n.\r\n..\r\n.hidden\r\nÜber\r\n';

  let answer = await send('ann@example.org', ['help@example.com', 'nobody@example.org', 'sales@example.com'], mail);
  assert.deepEqual(answer.info.accepted, ['help@example.com', 'sales@example.com']);
  assert.deepEqual(answer.info.rejected, ['nobody@example.org']);
  for (const to of ['help@example.com', 'sales@example.com'])
    assert.deepEqual(JSON.parse((await lines.next()).value), { to, from: 'ann@example.org', mail });

  answer = await send('', ['busy@example.com'], mail);
  assert.equal(answer.info?.rejectedErrors?.[0].responseCode ?? answer.error.responseCode, 451);
  answer = await send('', ['help@example.com'], 'no mail at all');
  assert.equal(answer.info?.rejectedErrors?.[0].responseCode ?? answer.error.responseCode, 554);
  answer = await send('', ['busy@example.com'], mail);
  assert.deepEqual(answer.info.accepted, ['busy@example.com']);
  assert.equal(JSON.parse((await lines.next()).value).from, '');
  connection.close();
  await new Promise((resolve) => child.once('exit', resolve));
});
