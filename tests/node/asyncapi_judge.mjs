// What AsyncAPI's own parser says about a document on standard input: one line for each finding that is an error or a warning.
import { Parser } from "@asyncapi/parser";

let text = "";
for await (const piece of process.stdin) text += piece;
const { document, diagnostics } = await new Parser().parse(text);
for (const found of diagnostics.filter((one) => one.severity <= 1)) console.log(`${found.path.join("/")}: ${found.message}`);
if (!document) console.log("it is not a document");
else console.error(document.channels().all().length, document.operations().all().length);
