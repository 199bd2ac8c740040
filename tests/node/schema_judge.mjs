// Ajv, which is not ours, holds values against schemas that `cadre schema --all` wrote. Prints the problems as JSON, one text each.
//     node schema_judge.mjs FOLDER < LINES, each [schema, where, value]; of YAML files the value is {"yaml": text}
import fs from 'node:fs';
import path from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const [folder] = process.argv.slice(2);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
const known = new Map();
const schema = (name) => {
  if (!known.has(name)) known.set(name, ajv.compile(JSON.parse(fs.readFileSync(path.join(folder, `${name}.schema.json`), 'utf8'))));
  return known.get(name);
};

const problems = [];
for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [name, where, value] = JSON.parse(line);
  const validate = schema(name);
  if (!validate(typeof value?.yaml === 'string' ? parse(value.yaml) : value))
    problems.push(...validate.errors.map((error) => `${where}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`));
}
console.log(JSON.stringify(problems));
