// Our tokens against their judge: npm's gpt-tokenizer, whose vocabularies we use but whose code we do not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/tokens_tool');
const judges = path.join(root, 'tests/node/node_modules/gpt-tokenizer/esm');

// The judge reads bytes with a TextDecoder, which drops a leading U+FEFF unless told otherwise, and so has lost the tokens that begin
// with one: both in its lists and when it looks for them. Put right, it judges those texts too.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label, options) {
    super(label, { ignoreBOM: true, ...options });
  }
};
const repaired = (token) => (token[0] === 0xef && token[1] === 0xbb && token[2] === 0xbf ? new TextDecoder().decode(Uint8Array.from(token)) : token);
const { BytePairEncodingCore } = await import(path.join(judges, 'BytePairEncodingCore.js'));
const { O200K_TOKEN_SPLIT_REGEX, CL100K_TOKEN_SPLIT_REGEX } = await import(path.join(judges, 'encodingParams/constants.js'));

const ranks = async (name) => (await import(path.join(judges, 'bpeRanks', `${name}.js`))).default.map(repaired);
const encodings = {
  o200k_base: { split: O200K_TOKEN_SPLIT_REGEX, ranks: await ranks('o200k_base'), special: 199999 },
  cl100k_base: { split: CL100K_TOKEN_SPLIT_REGEX, ranks: await ranks('cl100k_base'), special: 100257 },
};

// tiktoken's regular expressions mean Unicode's white space and case folding, JavaScript's something a little different: U+FEFF is
// a space and U+0085 is none, and ſ is no s. We do as tiktoken; so does the judge when its expression is spelled out.
const asTiktoken = (regex) =>
  new RegExp(regex.source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}').replaceAll('[sS]', '[sSſ]'), 'gu');
const differsInJavaScript = /[\u0085\ufeffſ]/u;

const judge = ({ split, ranks: bytePairRankDecoder, special }) =>
  new BytePairEncodingCore({
    bytePairRankDecoder,
    tokenSplitRegex: split,
    specialTokensEncoder: new Map([['<|endoftext|>', special]]),
  });

function ours(mode, encoding, texts) {
  const input = texts.map((text) => JSON.stringify(text) + '\n').join('');
  const run = spawnSync(tool, [mode, encoding], { input, maxBuffer: 1 << 30 });
  assert.equal(run.error, undefined);
  assert.equal(run.status, 0, run.stderr.toString());
  const lines = run.stdout.toString('latin1').split('\n').slice(0, -1).map((line) => line.trim());
  assert.equal(lines.length, texts.length);
  return lines;
}

function agrees(texts) {
  for (const [name, encoding] of Object.entries(encodings)) {
    const published = judge(encoding);
    const spelledOut = judge({ ...encoding, split: asTiktoken(encoding.split) });
    ours('encode', name, texts).forEach((line, i) => {
      const text = texts[i];
      assert.equal(line, spelledOut.encodeNative(text).join(' '), `${name}: ${JSON.stringify(text).slice(0, 400)}`);
      if (!differsInJavaScript.test(text)) assert.equal(line, published.encodeNative(text).join(' '), JSON.stringify(text).slice(0, 400));
    });
  }
}

// One sequence on every machine (splitmix64), so that a failure can be repeated.
let state = 6n;
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
  'Größenwahn, naïveté, piñata, ΑΒΓ αβγ ΣΊΣΥΦΟΣ, Съешь ещё этих мягких французских булок, да выпей чаю. İstanbul ıIiİ ǅ ǲ',
  '敏捷的棕色狐狸跳过了懒狗。素早い茶色の狐がのろまな犬を飛び越える。カタカナｶﾅ 다람쥐 헌 쳇바퀴에 타고파 한글',
  'الثعلب البني السريع يقفز فوق الكلب الكسول ١٢٣٤ \u200fשָׁלוֹם עולם\u200e \u202eabc\u202c हिन्दी में लिखें ภาษาไทยไม่มีวรรค தமிழ்',
  '👩‍👩‍👧‍👦👨🏽‍💻🏳️‍🌈🇩🇪🇫🇷❤️‍🔥☝🏿 😀😃 1️⃣ #️⃣ ✈︎✈️ \u{1F9D1}\u200d\u{1F680}',
  'e\u0301 a\u0308\u0323 \u0301\u0302 \u0301ABC !\u0301 !!\u0301x Z\u0351\u036b\u0343 1\u0301 \u0301 1 \u0301\u0301A\u0301b',
  'int main(int argc, char** argv)\n{\n    for (auto& [k, v] : map) std::cout << k << "=" << v << \'\\n\';\n\treturn 0; // TODO(x): 0x1F\n}\n',
  'def f(x):\r\n    """Doc."""\r\n    return {k: v**2 for k, v in x.items() if v != 3.14159}\r\n\r\n\r\nclass A(B): pass\r',
  '{"id":"call_9f","arguments":{"path":"/usr/local/lib","depth":10,"all":[true,null,-1.5e-10]}}\n<div class="a b">&nbsp;</div>//\n/*\r\n*/',
  '1 12 123 1234 12345 1234567890123 3.14 1,000,000 2026-11-16T06:58:19Z ½ ² Ⅷ ٣٤٥٦ 一二三 𝟙𝟚𝟛𝟜 +49 (0)30/901820',
  ' \n  \n\n   x\t\ty   \r\n \r\n z \v\f \u00a0\u00a0 \u2003\u3000a \u2028\u2029b   ',
  '\u0000\u0001\u0007\b\u001b[31mred\u001b[0m\u007f\u0080\u009f\u200b\u2060\ufffd\ufffe\uffff\u{10ffff}\u{e0001}',
  '<|endoftext|><|im_start|>system<|fim_prefix|> <|endofprompt|>',
  "'s'S'd'D'm'M't'T'll'LL'Ll'lL've'VE'Ve're'RE'Re 'l 'v 'r 'x don't DON'T Don'T he'Ll x'rex 'sx ''s a''ll 1's ’s we’ll",
  "'ſ 'ſt it'ſ IT'ſX \ufeffx \ufeff{ \ufeff\ufeff 1\ufeff \u0085 \u0085\u0085x a\u0085\n \ufeff\n\u0085",
  'HTTPServer camelCase SCREAMING_SNAKE kebab-case XMLHttpRequest iOS McDonald ªA ªAª ABªCD ʰʱX ᾼbc AˇB ßẞ',
];

const words = prose.flatMap((text) => text.split(/(\s+|(?<=[^\p{L}])(?=\p{L}))/u)).filter((word) => word !== '');
const alphabets = [
  "aAeEsStTdDmMlLvVrR'' ", ' \t\n\r\v\f\u00a0\u0085\u2028\u3000\ufeff', '0123456789²½٣Ⅷ', '!/-_=<>|{}[]()*&^%$#@~`"\\;:,.?',
  '\u0301\u0308\u20e3\ufe0f\u200d\u093f', 'ªºʰˇǅǲ一あ한ا', 'áÁßẞσΣжЖſ', '😀👩💻🏽🇩\u{e0067}', '\u0000\u001b\u007f\u200b\ufffd',
].map((letters) => [...letters]);

function randomText() {
  const parts = [
    () => pick(words), () => pick(pick(alphabets)), () => pick(pick(alphabets)).repeat(1 + below(9)), () => ' '.repeat(below(40)),
    () => times(below(12), () => pick(alphabets[0])).join(''), () => times(below(6), () => pick(alphabets[4])).join(''),
    () => pick(["'s", "'LL", '\r\n', '\n', ' ', '/', '  ', '<|endoftext|>']),
    () => String.fromCodePoint(...times(below(8), () => below(pick([0x80, 0x800, 0x3000, 0xd800, 0x20000])) % 0xd800)),
    () => String.fromCodePoint(...times(below(4), () => 0xe000 + below(0x102000))),
  ];
  return times(1 + below(14), () => pick(parts)()).join('');
}

test('tokens: scripts, emoji, code, line ends, numbers, spaces, marks, controls and contractions', () => {
  agrees([...prose, ...prose.map((text) => text.toUpperCase()), prose.join('\n'), prose.join('')]);
  agrees(prose.flatMap((text) => times(40, () => [...text].slice(below(text.length >> 1)).slice(0, 1 + below(30)).join(''))));
});

test('tokens: thousands of random texts', () => {
  agrees(times(6000, randomText));
});

test('tokens: runs, from one to more than a queue is needed for', () => {
  const lengths = [1, 2, 3, 7, 16, 83, 95, 96, 97, 98, 128, 129, 200, 500];
  const units = ['a', 'A', ' ', '\n', '\r\n', '\t', '=', '-', '0', '你', 'é', '😀', 'ab', 'Ab', ' x', '\u0301', '\u0000', "'s", 'ACGT'];
  agrees(units.flatMap((unit) => lengths.flatMap((length) => [unit.repeat(length), `x${unit.repeat(length)}y`, `${unit.repeat(length)} 1`])));
  agrees(times(60, () => times(97 + below(400), () => pick(alphabets[0].slice(0, 18).filter((c) => c !== "'"))).join('')));
});

test('tokens: our own sources and pages', () => {
  const files = ['README.md', 'CHANGELOG.md', 'src/text/split.cpp', 'src/cli/char_width.cpp', 'scripts/setup', 'tests/node/package-lock.json'];
  agrees(files.map((file) => readFileSync(path.join(root, file), 'utf8')));
});

test('tokens: every character of Unicode has the class that Node gives it', () => {
  const around = (point) => {
    const c = point >= 0xd800 && point <= 0xdfff ? '' : String.fromCodePoint(point);
    return `a${c}${c}b1${c}Ab!!${c}1\n`;  // cut differently for each class
  };
  const texts = [];
  for (let first = 0; first < 0x110000; first += 0x100)
    if (first < 0x34000 || first >= 0xe0000 || first % 0x1000 === 0)  // the others are not assigned
      texts.push(times(0x100, (_, i) => around(first + i)).join(''));
  const split = asTiktoken(encodings.o200k_base.split);
  const lengths = (text) => text.match(split).map((piece) => Buffer.byteLength(piece)).join(' ');
  ours('split', 'o200k_base', texts).forEach((line, i) => assert.equal(line, lengths(texts[i]), JSON.stringify(texts[i])));
});
