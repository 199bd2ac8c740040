// Our JSON Schema against its judge: the official JSON Schema Test Suite, as Debian packs it
// (libtest-json-schema-acceptance-perl). The npm package of that name holds no tests, only a git address.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tool = path.resolve(root, process.env.CADRE_BUILD ?? 'build/dev', 'tests/conformance/schema_tool');
const suite = process.env.CADRE_SCHEMA_SUITE ?? '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance';

const noMetaSchema = 'refers to the meta-schema of an old draft; only those of 2020-12 are built in';

// Everything that we do not answer as the suite wants, and why. No group: the whole file.
const exclusions = [
  ['draft2020-12/optional/format/idn-hostname.json', null, 'IDNA needs tables that are not worth it: the format is a remark'],
  ['draft2019-09/anchor.json', 'invalid anchors', noMetaSchema],
  ['draft2019-09/defs.json', 'validate definition against metaschema', noMetaSchema],
  ['draft2019-09/id.json', 'Invalid use of fragments in location-independent $id', noMetaSchema],
  ['draft2019-09/id.json', 'Valid use of empty fragments in location-independent $id', noMetaSchema],
  ['draft2019-09/id.json', 'Unnormalized $ids are allowed but discouraged', noMetaSchema],
  ['draft2019-09/ref.json', 'remote ref, containing refs itself', noMetaSchema],
  ['draft2019-09/ref.json', 'URN base URI with f-component', noMetaSchema],
  ['draft7/definitions.json', 'validate definition against metaschema', noMetaSchema],
  ['draft7/ref.json', 'remote ref, containing refs itself', noMetaSchema],
];

const suites = [
  { folder: 'draft2020-12', draft: '', formats: false, least: 1100 },
  { folder: 'draft2020-12/optional', draft: '', formats: true, least: 100 },
  { folder: 'draft2020-12/optional/format', draft: '', formats: true, least: 400 },
  { folder: 'draft2019-09', draft: 'https://json-schema.org/draft/2019-09/schema', formats: false, least: 1100 },
  { folder: 'draft7', draft: 'http://json-schema.org/draft-07/schema#', formats: false, least: 800 },
];

function answers({ folder, draft, formats }) {
  const names = readdirSync(path.join(suite, 'tests', folder)).filter((name) => name.endsWith('.json'));
  const files = names.map((name) => path.join(suite, 'tests', folder, name));
  const run = spawnSync(tool, [path.join(suite, 'remotes'), draft, `${formats}`, ...files], { maxBuffer: 1 << 30 });
  assert.equal(run.error, undefined);
  assert.equal(run.status, 0, run.stderr.toString());
  const lines = run.stdout.toString('utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  return lines.map((line) => ({ ...line, file: path.relative(path.join(suite, 'tests'), line.file) }));
}

const skip = existsSync(suite) ? false : `the suite is not installed (libtest-json-schema-acceptance-perl): ${suite}`;

for (const entry of suites)
  test(`schema: every answer is the suite's: ${entry.folder}`, { skip }, (t) => {
    const all = answers(entry);
    assert.ok(all.length >= entry.least, `only ${all.length} tests found`);
    const excluded = ({ file, group }) => exclusions.find(([f, g]) => f === file && (g === null || g === group));
    const wrong = all.filter(({ answer, valid }) => answer !== valid);
    assert.deepEqual(wrong.filter((line) => !excluded(line)), []);

    for (const exclusion of exclusions.filter(([file]) => path.dirname(file) === entry.folder)) {
      const [file, group, reason] = exclusion;
      const count = wrong.filter((line) => excluded(line) === exclusion).length;
      assert.ok(count > 0, `${file}, ${group}: excluded without need`);
      t.diagnostic(`not answered: ${file}${group ? `, "${group}"` : ''} (${count} tests): ${reason}`);
    }
    t.diagnostic(`${all.length - wrong.length} of ${all.length} answers are the suite's`);
  });
