#!/usr/bin/env python3
"""Reads a journal without a line of Cadre's code: its own decoder, its own hashes. The witness of the crash harness.

journal_reader.py HOME          what is wrong with the journal in this home folder, one line each; exit code 1 if anything
journal_reader.py HOME --dump   every record as a line of JSON, bodies as their SHA-256

Format: docs of src/storage/record.hpp (what is hashed) and the tables in src/storage/sqlite/database.cpp.
"""
import argparse
import collections
import contextlib
import hashlib
import json
import pathlib
import shutil
import sqlite3
import struct
import sys
import tempfile

APPLICATION_ID = 0x43616472
BLOB_THRESHOLD = 32 * 1024
GENESIS = bytes(32)

Record = collections.namedtuple(
    "Record", "task tenant seq version kind event_seq epoch at path ask body body_size body_hash hash")


class Journal:
    """A snapshot of the journal in a home folder: of its files, which nobody may be writing, or through SQLite, `live`."""

    def __init__(self, home, live=False):
        self.home = pathlib.Path(home)
        self._stack = contextlib.ExitStack()
        self._records = None
        file = self.home / "cadre.db"
        if not live:  # a copy, because whoever opens a database changes files beside it
            folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            for name in ("cadre.db", "cadre.db-wal"):
                if (self.home / name).exists():
                    shutil.copyfile(self.home / name, folder / name)
            file = folder / "cadre.db"
        uri = f"file:{file}" + ("?mode=ro" if live else "")
        self.database = self._stack.enter_context(contextlib.closing(sqlite3.connect(uri, uri=True)))
        self.database.text_factory = bytes  # texts are bytes that nobody may have checked
        (application,) = self.database.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise ValueError(f"{file} is not a journal of Cadre")

    def close(self):
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def tasks(self):
        """{id: (status, open)} of all tasks; a status of None: the task has no entry."""
        rows = self.database.execute("SELECT name, status, open FROM task ORDER BY id")
        return {name.decode(): (status.decode() if status is not None else None, bool(opened)) for name, status, opened in rows}

    def records(self, task):
        """The records of a task in the order of their numbers, twins included."""
        if self._records is None:  # all at once: the file has no index for one task at a time
            self._records = {name: [] for name in self.tasks()}
            rows = self.database.execute(
                "SELECT task.name, record.tenant, record.seq, version, kind, event_seq, epoch, at, path, ask, body, blob, "
                "size, hash FROM record JOIN task ON task.id = record.task ORDER BY task.id, record.seq, record.id")
            for name, *row in rows:
                self._records[name.decode()].append(self._record(name.decode(), row))
        return self._records.get(task, [])

    def body(self, record):
        """Its bytes, from its blob if it has one. Raises FileNotFoundError."""
        return self.blob_file(record.body_hash).read_bytes() if record.body_hash else record.body

    def blob_file(self, name):
        return self.home / "blobs" / name.hex()[:2] / name.hex()

    @staticmethod
    def _record(task, row):
        tenant, seq, version, kind, event_seq, epoch, at, path, ask, body, blob, size, stored = row
        return Record(task, tenant, seq, version, kind, event_seq, epoch, at, path, ask or bytes(16), body,
                      len(body) if blob is None else size, blob, stored)

    def problems(self):
        """Everything that is wrong, as lines of text: I1, I2 and I3 of each task, its blobs, the file itself."""
        found = [f"cadre.db: {row[0].decode()}" for row in self.database.execute("PRAGMA integrity_check")
                 if row[0] != b"ok"]
        for task in self.tasks():
            records = self.records(task)
            found += [f"{task}: {text}" for text in [*check_numbers(records), *check_chain(records),
                                                     *check_epochs(records), *self._check_blobs(records)]]
        return found

    def _check_blobs(self, records):
        for record in records:
            if record.body_hash is None:
                continue
            try:
                body = self.body(record)
            except OSError as error:
                yield f"record {record.seq}: its blob: {error.strerror}"
                continue
            if hashlib.sha256(body).digest() != record.body_hash or len(body) != record.body_size:
                yield f"record {record.seq}: its blob is damaged"


def check_numbers(records):
    """I1: 1, 2, 3, … without gap or repeat."""
    for expected, record in enumerate(records, 1):
        if record.seq != expected:
            yield f"I1: expected record {expected}, found record {record.seq}"
            return


def check_chain(records):
    """I2: every hash follows from its predecessor and the content; tenant and task are those of the first record."""
    previous = GENESIS
    for record in records:
        if record.hash != chain_hash(record, previous):
            yield f"I2: record {record.seq} does not have its hash"
        if record.tenant != records[0].tenant:
            yield f"I2: record {record.seq} belongs to another tenant"
        previous = record.hash


def check_epochs(records):
    """I3: epochs never decrease."""
    for before, after in zip(records, records[1:]):
        if after.epoch < before.epoch:
            yield f"I3: record {after.seq} has epoch {after.epoch} after {before.epoch}"


def chain_hash(record, previous):
    def text(data):
        return struct.pack("<I", len(data)) + data

    numbers = struct.pack("<BBIIIq", record.version, record.kind, record.seq, record.event_seq, record.epoch, record.at)
    body = record.body if record.body_hash is None else record.body_hash
    return hashlib.sha256(previous + numbers + bytes.fromhex(record.task.replace("-", "")) + record.ask +
                          text(record.tenant) + text(record.path) + struct.pack("<I", record.body_size) + body).digest()


def dump(journal, out):
    for task in journal.tasks():
        for record in journal.records(task):
            fields = {"task": task, "seq": record.seq, "version": record.version, "kind": record.kind,
                      "event_seq": record.event_seq, "epoch": record.epoch, "at": record.at,
                      "tenant": record.tenant.hex(), "path": record.path.hex(), "ask": record.ask.hex(),
                      "body": hashlib.sha256(journal.body(record)).hexdigest(), "hash": record.hash.hex()}
            print(json.dumps(fields, separators=(",", ":")), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--dump", action="store_true")
    parser.add_argument("--live", action="store_true", help="while the owner works")
    args = parser.parse_args()
    with Journal(args.home, args.live) as journal:
        if args.dump:
            return dump(journal, sys.stdout)
        problems = journal.problems()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
