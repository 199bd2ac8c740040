// A reporter for `node --test` that writes the ledger (see ledger.py): one line for each test, and for each describe() that was skipped.
const oneLine = (text) => String(text ?? '').replace(/\s+/g, ' ').trim();

export default async function* ledger(events) {
    yield '# started\n';
    for await (const { type, data } of events) {
        if (!/^test:(pass|fail)$/.test(type)) continue;
        if (type === 'test:pass' && data.file?.endsWith(data.name)) continue;  // the file: the pattern fits nothing in it
        const left = data.skip ?? data.todo;  // true when no reason was given
        if (data.details?.type === 'suite' && left === undefined) continue;  // its tests have lines of their own
        const status = type === 'test:fail' ? 'failed' : left === undefined ? 'passed' : 'skipped';
        const error = data.details?.error;
        const reason = status === 'failed' ? error?.cause?.message ?? error?.message : left === true ? '' : left;
        const seconds = ((data.details?.duration_ms ?? 0) / 1000).toFixed(3);
        yield [status, `${data.file}:${data.line}`, data.name, reason, seconds].map(oneLine).join('\t') + '\n';
    }
    yield '# ended\n';
}
