// Our canonical JSON against a judge that did not learn from us: JavaScript's own JSON and the definition of RFC 8785.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/json_tool');

// One sequence on every machine (splitmix64), so that a failure can be repeated.
let state = 42n;
function random64() {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let mixed = state;
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}
const below = (bound) => Number(random64() % BigInt(bound));

function randomDouble() {
  const number = new Float64Array(new BigUint64Array([random64()]).buffer)[0];
  return Number.isFinite(number) ? number : randomDouble();
}

// Any characters but surrogates without their other half, which UTF-8 cannot write.
function randomText() {
  const limits = [0x20, 0x80, 0x800, 0xffff, 0x10ffff];
  const points = Array.from({ length: below(12) }, () => below(limits[below(limits.length)]));
  return String.fromCodePoint(...points.filter((point) => point < 0xd800 || point > 0xdfff));
}

function randomValue(depth) {
  const kinds = [() => null, () => below(2) === 1, randomDouble, () => below(2 ** 31) - 2 ** 30, randomText];
  if (depth === 0) return kinds[below(kinds.length)]();
  if (below(2) === 0) return Array.from({ length: below(5) }, () => randomValue(depth - 1));
  return Object.fromEntries(Array.from({ length: below(6) }, () => [randomText(), randomValue(depth - 1)]));
}

// RFC 8785, section 3.2: JSON.stringify for everything but the order of keys, which sort() compares by UTF-16 units.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

// The same JSON in another spelling: some characters of strings as \u escapes.
function escapedSomewhere(text) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\x00-\x7f]/gu, (character) =>
    below(2) === 0 ? character : character.split('').map(escape).join(''),
  );
}

function judge(lines) {
  const run = spawnSync(tool, { input: lines.map((line) => line + '\n').join(''), maxBuffer: 1 << 30 });
  assert.equal(run.error, undefined);
  assert.equal(run.status, 0);
  const answers = run.stdout.toString('utf8').split('\n');
  assert.equal(answers.length, lines.length + 1);
  return answers;
}

function agrees(lines) {
  const answers = judge(lines);
  lines.forEach((line, i) => assert.equal(answers[i], canonical(JSON.parse(line)), line.slice(0, 400)));
}

test('doubles of any bit pattern are read exactly and written as JavaScript writes them', () => {
  agrees(Array.from({ length: 20000 }, () => JSON.stringify(randomDouble())));
});

test('doubles written with more digits than they have are read to the nearest', () => {
  const spelled = () => {
    const number = randomDouble();
    return below(2) === 0 ? number.toExponential(below(101)) : `${number.toPrecision(1 + below(100))}`;
  };
  // an integer of more than 53 bits keeps its digits with us, and does not with JavaScript
  agrees(Array.from({ length: 20000 }, spelled).map((text) => (/[.e]/.test(text) ? text : `${text}.0`)));
});

test('doubles between two neighbours are read to the nearest, ties to the even one', () => {
  const halfway = () => {
    const bits = random64() & 0x7fffffffffffffffn;
    const [low, high] = new Float64Array(new BigUint64Array([bits, bits + 1n]).buffer);
    if (!(low >= 2 ** 53 && high < 2 ** 900)) return halfway();
    return `${(BigInt(low) + BigInt(high)) / 2n}${['', '.0', '.000000000000000000000001'][below(3)]}`;
  };
  agrees(Array.from({ length: 2000 }, halfway).filter((text) => text.includes('.')));
});

test('strings of any characters are escaped as JavaScript escapes them', () => {
  agrees(Array.from({ length: 5000 }, () => escapedSomewhere(JSON.stringify(randomText()))));
});

test('nested values have their keys sorted by UTF-16 units', () => {
  agrees(Array.from({ length: 3000 }, () => escapedSomewhere(JSON.stringify(randomValue(1 + below(5))))));
});

test('what JavaScript cannot parse is refused', () => {
  const wrong = [];
  while (wrong.length < 3000) {
    const text = JSON.stringify(randomValue(2));
    const at = below(text.length);
    const broken = text.slice(0, at) + ['', '}', '"', ',', '\\', '0', 'e', '-'][below(8)] + text.slice(at + 1);
    try {
      JSON.parse(broken);
    } catch {
      wrong.push(broken.toWellFormed());
    }
  }
  judge(wrong).slice(0, -1).forEach((answer, i) => assert.match(answer, /^error: line \d+, column \d+: /, wrong[i]));
});
