// Our OpenAPI document against its judges: Redocly's linter, and openapi-typescript, whose types must compile.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/server_tool');
const modules = path.join(root, 'tests/node/node_modules');
const folder = mkdtempSync(path.join(os.tmpdir(), 'cadre_openapi_'));
const document = path.join(folder, 'openapi.json');
writeFileSync(document, spawnSync(tool, ['openapi']).stdout);
after(() => rmSync(folder, { recursive: true }));

const node = (...args) => {
  const run = spawnSync(process.execPath, args, { cwd: folder, env: { ...process.env, REDOCLY_TELEMETRY: 'off', CI: 'true' } });
  return { status: run.status, text: `${run.stdout}${run.stderr}` };
};

test('OpenAPI: the linter finds nothing wrong', () => {
  writeFileSync(path.join(folder, 'redocly.yaml'), 'extends: [spec]\nrules:\n  no-unused-components: error\n  operation-operationId-unique: error\n  path-parameters-defined: error\n');
  const { status, text } = node(path.join(modules, '@redocly/cli/bin/cli.js'), 'lint', document);
  assert.equal(status, 0, text);
  writeFileSync(path.join(folder, 'broken.json'), readFileSync(document, 'utf8').replaceAll('#/components/schemas/task"', '#/components/schemas/tusk"'));
  assert.notEqual(node(path.join(modules, '@redocly/cli/bin/cli.js'), 'lint', 'broken.json').status, 0);
});

test('OpenAPI: types made of it compile, and know a task', () => {
  const made = node(path.join(modules, 'openapi-typescript/bin/cli.js'), document, '-o', 'api.ts');
  assert.equal(made.status, 0, made.text);
  writeFileSync(path.join(folder, 'use.ts'), `import type { paths } from './api';
type Task = paths['/tasks/{task_id}']['get']['responses']['200']['content']['application/json'];
export const id = (task: Task): string | undefined => task.id;
export const wrong = (task: Task): number =>
  // @ts-expect-error: it is a text
  task.id;
`);
  const compiled = node(path.join(modules, 'typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', 'use.ts');
  assert.equal(compiled.status, 0, compiled.text);
});
