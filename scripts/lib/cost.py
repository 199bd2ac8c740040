"""What a build cost: time, processor time, its slowest units, what the compiler cache knew."""
import collections
import json
import re
import resource
import time

from lib import build, tree

RECORDED = "bench/build.json"  # {preset: seconds of processor time that a cold build took}

Edge = collections.namedtuple("Edge", "start end what")  # milliseconds after ninja's start


class Watch:
    """Looks at what is built of a preset from its creation until report()."""

    def __init__(self, preset):
        self.preset = preset
        self.started, self.cpu = time.monotonic(), children_cpu()
        self.before = edges(preset)
        build.cache_log(preset).unlink(missing_ok=True)

    def report(self):
        """Lines for people."""
        seconds, cpu = time.monotonic() - self.started, children_cpu() - self.cpu
        after = edges(self.preset)
        ran = {output: edge for output, edge in after.items() if self.before.get(output) != edge}
        hits, units = cache_hits(build.cache_log(self.preset))
        cached = f", {hits} of {units} units from the compiler cache" if units else ""
        yield f"  built {self.preset} in {seconds:.0f} s ({cpu:.0f} s of CPU){cached}"
        for output, edge in sorted(ran.items(), key=lambda item: item[1].start - item[1].end)[:10]:
            yield f"    {(edge.end - edge.start) / 1000:5.1f} s  {unit_name(output)}"[:79]
        if ran and len(ran) >= 0.9 * len(after) and hits <= 0.1 * units:
            yield from self.compared(cpu)

    def compared(self, cpu):
        """A cold build is held against the recorded one. Machines differ, so this never fails a run."""
        recorded = json.loads(tree.read(RECORDED)) if (tree.ROOT / RECORDED).exists() else {}
        usual = recorded.get(self.preset)
        if usual is None:
            yield f"  a cold build; {RECORDED} has no figure for it: \"{self.preset}\": {cpu:.0f}"
        elif cpu > 1.1 * usual:
            yield (f"  WARNING: this cold build took {cpu:.0f} s of CPU, {100 * cpu / usual - 100:.0f} % more than the "
                   f"{usual}\n  of {RECORDED}. Fix: make it cheaper (slowest units above), or record it there")


def edges(preset):
    """{output: Edge} of the last time that ninja made it."""
    log = build.folder(preset) / ".ninja_log"
    lines = [line.split("\t") for line in log.read_text().splitlines()[1:]] if log.exists() else []
    return {line[3]: Edge(int(line[0]), int(line[1]), line[2] + line[4]) for line in lines if len(line) == 5}


def unit_name(output):
    """src/cli/chat.cpp for src/cli/CMakeFiles/cli.dir/chat.cpp.o"""
    return re.sub(r"CMakeFiles/[^/]+\.dir/|\.o$", "", output)


def cache_hits(log):
    """(hits, units) as ccache wrote them down."""
    lines = log.read_text().splitlines() if log.exists() else []
    hits = sum(line in ("direct_cache_hit", "preprocessed_cache_hit") for line in lines)
    return hits, hits + lines.count("cache_miss")


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
