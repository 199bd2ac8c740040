// tokens_bench.mjs FILE ENCODING: what npm's gpt-tokenizer takes to count the tokens of a file, for tokens_bench.cpp.
import { readFileSync } from 'node:fs';

const [file, encoding] = process.argv.slice(2);
const { countTokens, clearMergeCache } = await import(`../tests/node/node_modules/gpt-tokenizer/esm/encoding/${encoding}.js`);
const text = readFileSync(file, 'utf8');
const megabytes = Buffer.byteLength(text) / 1e6;

// Processor time in seconds, as in the program beside it.
const seconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;

function speed(before) {
  before();
  const start = seconds();
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  return { tokens, speed: megabytes / (seconds() - start) };
}

const first = speed(() => {});
const begin = seconds();
const best = { cold: 0, warm: 0 };
do {
  best.warm = Math.max(best.warm, speed(() => {}).speed);
  best.cold = Math.max(best.cold, speed(clearMergeCache).speed);
} while (seconds() - begin < 1);
console.log(`${first.tokens} tokens, ${best.cold.toFixed(2)} MB/s, ${best.warm.toFixed(2)} with its cache full of this very text`);
