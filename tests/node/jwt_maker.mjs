// jose, which is not ours, makes keys and signs tokens with them.
//     node jwt_maker.mjs < {"secret": TEXT, "tokens": [{"alg": …, "kid": …, "claims": {…}, "header": {…}}]} > {"jwks": …, "tokens": […]}
// Each `kid` is a key of its own; tokens of HS256 are signed with the secret; `alg` none is not signed.
import fs from 'node:fs';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';

const wanted = JSON.parse(fs.readFileSync(0, 'utf8'));
const pairs = new Map();
const pairOf = async ({ alg, kid }) => {
  if (!pairs.has(kid)) pairs.set(kid, { alg, ...(await generateKeyPair(alg, { extractable: true, modulusLength: 2048 })) });
  return pairs.get(kid);
};
const sign = async (token) => {
  const { alg, kid, claims, header = {} } = token;
  if (alg === 'none') return new UnsecuredJWT(claims).encode();
  const key = alg === 'HS256' ? new TextEncoder().encode(wanted.secret) : (await pairOf(token)).privateKey;
  return new SignJWT(claims).setProtectedHeader({ alg, ...(kid ? { kid } : {}), ...header }).sign(key);
};
const tokens = [];
for (const token of wanted.tokens) tokens.push(await sign(token));
const keys = [];
for (const [kid, { alg, publicKey }] of pairs) keys.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
console.log(JSON.stringify({ jwks: { keys }, tokens }));
