// What we send, against its judges: npm's sms-segments-calculator counts segments, adaptivecards parses our cards.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/message_tool');
const require = createRequire(path.join(root, 'tests/node/package.json'));
const { SegmentedMessage } = require('sms-segments-calculator');
const cards = require('adaptivecards/dist/adaptivecards.js');

function ours(mode, texts) {
  const input = texts.map((text) => JSON.stringify(text) + '\n').join('');
  const run = spawnSync(tool, [mode], { input, maxBuffer: 1 << 30 });
  assert.equal(run.status, 0, run.stderr?.toString());
  const lines = run.stdout.toString().split('\n').slice(0, -1);
  assert.equal(lines.length, texts.length);
  return lines;
}

let seed = 7;
const below = (bound) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % bound;
};
const any = (list) => list[below(list.length)];

// The judge's graphemes are Unicode 10's, so newer emoji stay out.
const PIECES = ['a', 'b ', 'word ', '€', 'é', '{', '~', '\n', 'ç', 'ê', '😀', '漢', '—', '🇩🇪', '👍🏽', '1', '@'];

test('segments are counted as sms-segments-calculator counts them', () => {
  const texts = [];
  for (let i = 0; i < 600; ++i) {
    const pieces = i % 2 ? PIECES.slice(0, 8) : PIECES;
    texts.push(Array.from({ length: 1 + below(300) }, () => any(pieces)).join(''));
  }
  ours('segments', texts).forEach((line, i) => {
    const judged = new SegmentedMessage(texts[i], 'auto');
    const encoding = judged.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2';
    assert.equal(line, `${encoding} ${judged.segments.length}`, JSON.stringify(texts[i]));
  });
});

const BLOCKS = ['# Head *x*', 'Words **bold** _it_ [a](https://a.example/b?c=1) `code` \\*q\\*', '- one\n- two\n  - three', '1. a\n2. b',
  '| A | B |\n|---|---|\n| 1 | [x](mailto:a@b.example) |', '```\nint *p = __x__;\n```', '> said', '![pic](c.png)', '---', '🎉 done',
  '<script>alert(1)</script> [go](javascript:x)', '| A |\n|---|'];
// What Adaptive Cards 1.5 has, as far as we write it: the judge does not say when an element is newer than the card.
const KNOWN = new Set(['AdaptiveCard', 'TextBlock', 'Table', 'TableRow', 'TableCell', 'Action.OpenUrl']);

function typesIn(value, found) {
  if (Array.isArray(value)) value.forEach((one) => typesIn(one, found));
  else if (value && typeof value === 'object') {
    if (value.type) found.add(value.type);
    Object.values(value).forEach((one) => typesIn(one, found));
  }
  return found;
}

test('cards are valid for adaptivecards, and of version 1.5', () => {
  const texts = [];
  for (let i = 0; i < 500; ++i) texts.push(Array.from({ length: 1 + below(40) }, () => any(BLOCKS)).join('\n\n'));
  ours('teams', texts).forEach((line, i) => {
    for (const content of JSON.parse(line)) {
      assert.ok(Buffer.byteLength(content) <= 28 * 1024);
      const json = JSON.parse(content);
      assert.equal(json.version, '1.5');
      for (const type of typesIn(json, new Set())) assert.ok(KNOWN.has(type), type);
      const context = new cards.SerializationContext(cards.Versions.v1_5);
      const card = new cards.AdaptiveCard();
      card.parse(json, context);
      const events = [];
      for (let n = 0; n < context.eventCount; ++n) events.push(context.getEventAt(n).message);
      assert.deepEqual(events, [], texts[i]);
      assert.deepEqual(card.validateProperties().validationEvents.map((event) => event.message), [], texts[i]);
    }
  });
});
