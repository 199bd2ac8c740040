// Our verdicts on tokens against their judge: npm's jose, which makes the good ones, and agrees on the others.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/server_tool');
const jose = await import(path.join(root, 'tests/node/node_modules/jose/dist/webapi/index.js'));

const now = 1800000000;
const claims = { iss: 'https://id.example', aud: 'cadre', sub: 'ann', iat: now - 5, exp: now + 600 };
const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

async function keyOf(alg, kid, options = {}) {
  const pair = await jose.generateKeyPair(alg, { extractable: true, ...options });
  return { ...pair, alg, kid, jwk: { ...(await jose.exportJWK(pair.publicKey)), kid } };
}
const keys = await Promise.all([keyOf('EdDSA', 'ed'), keyOf('ES256', 'ec'), keyOf('RS256', 'rsa')]);
const jwks = { keys: keys.map((key) => key.jwk) };
const sign = (key, payload = claims, header = {}) =>
  new jose.SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);

function judged(cases) {
  const lines = cases.map((one) => JSON.stringify({ now, ...(one.secret ? {} : { jwks }), ...one }));
  const run = spawnSync(tool, ['jwt'], { input: lines.join('\n') + '\n', maxBuffer: 1 << 26 });
  assert.equal(run.status, 0, run.stderr?.toString());
  return run.stdout.toString().trimEnd().split('\n').map((line) => JSON.parse(line));
}

// What jose itself says of the token, with the rules that we have.
async function joseSays(token, set = jwks) {
  try {
    await jose.jwtVerify(token, jose.createLocalJWKSet(set), {
      issuer: claims.iss, audience: claims.aud, algorithms: ['EdDSA', 'ES256', 'RS256'], clockTolerance: 60,
      requiredClaims: ['exp', 'sub'], currentDate: new Date(now * 1000),
    });
    return true;
  } catch {
    return false;
  }
}

test('JWT: what jose signs with any of its keys is good, with the key named and without', async () => {
  const tokens = [];
  for (const key of keys) tokens.push(await sign(key), await sign(key, claims, { kid: undefined }), await sign(key, claims, { typ: 'at+jwt' }));
  for (const answer of judged(tokens.map((token) => ({ token })))) assert.deepEqual(answer, { refused: [], sub: 'ann' });
  const secret = 's'.repeat(32);
  const token = await new jose.SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  assert.deepEqual(judged([{ token, secret }]), [{ refused: [], sub: 'ann' }]);
});

test('JWT: hostile tokens are refused by us as by jose, for the reason that is true', async () => {
  const [ed, ec, rsa] = keys;
  const stranger = await keyOf('EdDSA', 'ed');
  const pem = await jose.exportSPKI(rsa.publicKey);
  const mac = (header, key) => {
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const good = await sign(ed);
  const [head, payload, signature] = good.split('.');
  const cases = [
    ['another key under our id', await sign(stranger), 'signature'],
    ['its own key inside', await sign(stranger, claims, { kid: undefined, jwk: stranger.jwk }), 'signature'],
    ['unknown id', await sign(ed, claims, { kid: 'nobody' }), 'unknown_key'],
    ['public key as a secret', mac({ alg: 'HS256', kid: 'rsa' }, pem), 'algorithm'],
    ['its modulus as a secret', mac({ alg: 'HS256' }, Buffer.from(rsa.jwk.n, 'base64url')), 'algorithm'],
    ['none', `${encode({ alg: 'none' })}.${payload}.`, 'algorithm'],
    ['none, signed', `${encode({ alg: 'none' })}.${payload}.${signature}`, 'algorithm'],
    ['header of another token', `${encode({ alg: 'ES256', kid: 'ec' })}.${payload}.${signature}`, 'signature'],
    ['claims of another token', `${head}.${encode({ ...claims, sub: 'root' })}.${signature}`, 'signature'],
    ['ES256 as DER', `${(await sign(ec)).split('.').slice(0, 2).join('.')}.${encode(Buffer.from('3006020101020101', 'hex'))}`, 'signature'],
    ['expired', await sign(ed, { ...claims, iat: now - 600, exp: now - 61 }), 'expired'],
    ['not yet', await sign(ed, { ...claims, nbf: now + 61 }), 'not_yet'],
    ['another issuer', await sign(ed, { ...claims, iss: 'https://evil.example' }), 'issuer'],
    ['another audience', await sign(ed, { ...claims, aud: ['x'] }), 'audience'],
    ['no end', await sign(ed, { ...claims, exp: undefined }), 'missing'],
    ['no subject', await sign(ed, { ...claims, sub: undefined }), 'missing'],
    ['padding', `${good}=`, 'malformed'],
    ['four parts', `${good}.x`, 'malformed'],
    ['encrypted', `${good}.x.y`, 'malformed'],
  ];
  const answers = judged(cases.map(([, token]) => ({ token })));
  for (const [i, [name, token, reason]] of cases.entries()) {
    assert.equal(answers[i].reason, reason, name);
    if (name !== 'padding') assert.equal(await joseSays(token), false, `jose on ${name}`);
  }
  assert.equal(await joseSays(good), true);
});

test('JWT: keys for something else are left out of a set, and the others still count', async () => {
  const other = await Promise.all([keyOf('ES384', 'p384'), keyOf('PS256', 'ps'), keyOf('RSA-OAEP-256', 'enc'), keyOf('ES512', 'p521')]);
  const mixed = { keys: [...jwks.keys, ...other.map((key) => ({ ...key.jwk, alg: key.alg })), { kty: 'oct', k: 'c2VjcmV0', kid: 's' }] };
  const [answer] = judged([{ token: await sign(keys[0]), jwks: mixed }]);
  assert.equal(answer.sub, 'ann');
  assert.equal(answer.refused.length, 5);
});
