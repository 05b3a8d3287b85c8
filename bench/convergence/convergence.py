#!/usr/bin/python3
"""Loss at equal tokens: volunteers with merged outer gradients against one machine, on real text.

Every row trains the same model (nanoGPT's small CPU configuration on bytes: 4 layers, 4 heads, width 128, context 64; with --quick a
tiny one) for the same number of tokens from the same warm start. The control is one machine that simply goes on: one uninterrupted AdamW
run. A row of M volunteers shares its batch evenly and merges every H steps.

Rows marked "programs" run the real server, agents and trainers. The others run the same units, inner steps, codecs, weights and merge in
one process for each row (bench/convergence_row), because the network is the only thing that they leave out; the first of them repeats the
row of the real programs, so that the difference shows.

Prints a table; --json FILE writes the same figures ("-": as the last line of standard output)."""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BENCH = pathlib.Path(__file__).resolve().parent
BIN = BENCH.parent / "bin"
CONTEXT = 64
SPEEDS = (1, 1.3, 2.6, 5.7)
SCALING = "2503.09799 T4, 35 M"


class Row:
    """A line of the table: its name, the project it starts from, its options, what was published, and what is aimed at (percent)."""

    def __init__(self, name, options="", batch=12, volunteers=4, against="control", published="", goal=None, programs=False):
        self.name, self.options, self.batch, self.volunteers = name, options.split(), batch, volunteers
        self.against, self.published, self.goal, self.programs = against, published, goal, programs


MAIN_ROW = "M = 4"
ROWS = [
    Row("M = 4, programs", programs=True, published=f"+2.0 % ({SCALING})", goal=2.0),
    Row(MAIN_ROW, published=f"+2.0 % ({SCALING})", goal=2.0),
    Row("M = 1", volunteers=1, published=f"-0.1 % ({SCALING})"),
    Row("M = 8", batch=16, volunteers=8, published=f"+3.9 % ({SCALING})", goal=3.9),
    Row("H = 20", "--inner-steps 20", published="H = 30: +2.0 % (the same)"),
    Row("H = 100", "--inner-steps 100", published="slow growth with H (2503.09799)"),
    Row("rule mean", "--rule mean --outer-learning-rate 0.7", published="RDA +1.3 points at M = 8 (2604.21428 T8)"),
    Row("rule diloco", "--rule diloco --outer-learning-rate 0.7", published="the baseline of all (2311.08105)"),
    Row("rule delayed-nesterov", "--rule delayed-nesterov --outer-learning-rate 0.7",
        published="-0.5 % perplexity against diloco (2401.09135)"),
    Row("rule once", "--rule once --inner-steps 1600", published="for fine-tunes only (2210.11948)"),
    Row("codec fp32", "--codec fp32", against=MAIN_ROW, published="0"),
    Row("codec bf16", "--codec bf16", against=MAIN_ROW, published="0 (2604.21428 T10)"),
    Row("codec int8", "--codec int8", against=MAIN_ROW, published="0 (2412.01152)"),
    Row("codec int4", "--codec int4", against="codec fp32", published="+0.09 % (2604.21428 T10)", goal=0.1),
    Row("topk's outer step, fp32", "--codec fp32 --rule mean --outer-learning-rate 0.7 --outer-momentum 0.5", against="codec fp32",
        published="-"),
    Row("codec topk", "--codec topk --rule mean --outer-learning-rate 0.7 --outer-momentum 0.5", against="topk's outer step, fp32",
        published="0 at 512 M (2508.15706), pilot +2.9 %", goal=2.0),
    Row("four speeds", "--speeds " + " ".join(str(speed) for speed in SPEEDS), against=MAIN_ROW,
        published="better than a barrier (2401.09135)"),
    Row("half of the uploads lost", "--lost 0.5", against=MAIN_ROW, published="+0.8 % (2311.08105)", goal=0.8),
    Row("2 of 8 attack, bounded merge", "--attackers 2", batch=16, volunteers=8, against="M = 8", published="-", goal=12.0),
    Row("2 of 8 attack, with checks", "--attackers 2 --checks", batch=16, volunteers=8, against="M = 8", published="-", goal=5.0),
    Row("staleness 0 to 8", "--staleness 8", against=MAIN_ROW, published="diverges without care (2605.09126)"),
]


def find_text(given):
    """The text to train on: the given file, tiny Shakespeare beside the checkout, or the Debian package's Bible."""
    if given:
        return pathlib.Path(given)
    for parent in pathlib.Path(__file__).resolve().parents:
        text = parent.parent / "shared" / "data" / "tinyshakespeare.txt"
        if text.exists():
            return text
    bible = shutil.which("bible")
    if not bible:
        sys.exit("convergence: name a text with --text FILE, or install the Debian package bible-kjv-text")
    text = pathlib.Path(tempfile.gettempdir()) / "commonweight-kjv.txt"
    verses = subprocess.run([bible, "-f", "gen1:1-rev22:21"], capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
    text.write_bytes(b"\n".join(line.partition(b" ")[2] for line in verses.splitlines())[:1_115_394])
    return text


def tool(command, folder, *options):
    done = subprocess.run([BIN / "commonweight-project", command, "--folder", folder, *options],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"commonweight-project {command} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def get(address, path):
    with urllib.request.urlopen(address + path, timeout=30) as answer:
        return json.load(answer)


class Table:
    """Makes the projects, runs the rows, prints."""

    def __init__(self, arguments, root):
        self.arguments, self.root = arguments, root
        self.text = find_text(arguments.text)
        self.tokens = arguments.steps * 12 * CONTEXT
        self.figures = {}

    def kept(self, name, make):
        """What `make` gives; what an earlier run in this folder finished is read."""
        path = self.root / (re.sub(r"[^a-z0-9]+", "-", name.lower()) + ".json")
        if not path.exists():
            figures = make()
            if "failed" in figures:
                return figures
            path.with_suffix(".part").write_text(json.dumps(figures), encoding="utf-8")
            path.with_suffix(".part").rename(path)
        return json.loads(path.read_text(encoding="utf-8"))

    def create(self, name, batch, volunteers, warm_up):
        """A project whose warm-up runs at the whole batch; its volunteers take 1/M of it. An interrupted warm-up goes on."""
        folder = self.root / name
        micro = batch // volunteers
        tool("create", folder, "--name", "convergence", "--text", str(self.text), "--preset", self.arguments.preset, "--held-out", "0.1",
             "--sequence-length", str(CONTEXT), "--micro-batch", str(micro), "--warm-up-accumulation", str(volunteers),
             "--steps-at-most", str(self.arguments.inner_steps), "--round-seconds", "900", "--codec", self.arguments.codec,
             "--learning-rate", str(self.arguments.learning_rate), "--warm-up-steps", str(warm_up),
             "--total-tokens", str(self.tokens), "--seed", str(self.arguments.seed),
             "--trainer", str(BIN / "commonweight-trainer"), "--threads", "1")
        return folder

    def steps(self, batch, steps):
        return steps * 12 // batch

    def control(self, batch):
        begin = time.monotonic()
        folder = self.create(f"alone-{batch}", batch, batch // 3 if batch == 12 else batch // 2, self.steps(batch, self.arguments.steps))
        loss = json.loads(tool("evaluate", folder, "--json"))["loss"]
        return {"loss": loss, "tokens": self.tokens, "seconds": time.monotonic() - begin}

    def start(self, batch):
        self.create(f"start-{batch}", batch, batch // 3 if batch == 12 else batch // 2, self.steps(batch, self.arguments.warm_up))
        return {"made": True}

    def simulated(self, row):
        begin = time.monotonic()
        command = [BENCH / "convergence_row", "--project", self.root / f"start-{row.batch}", "--volunteers", str(row.volunteers),
                   "--batch", str(row.batch), "--codec", self.arguments.codec, "--inner-steps", str(self.arguments.inner_steps)]
        given = set(row.options)
        command = [part for index, part in enumerate(command) if not (part in given or (index and command[index - 1] in given))]
        done = subprocess.run([*command, "--evaluate-every", "4", *row.options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"}
        return {**json.loads(done.stdout), "seconds": time.monotonic() - begin}

    def programs(self, row):
        """The real server, and an agent with a trainer for each volunteer."""
        begin = time.monotonic()
        for old in self.root.glob("programs*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        for old in self.root.glob("volunteer-*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        folder = self.create("programs", row.batch, row.volunteers, self.steps(row.batch, self.arguments.warm_up))
        port_file = folder.with_suffix(".port")
        processes = [subprocess.Popen([BIN / "commonweight-server", "serve", "--folder", folder, "--port", "0", "--port-file", port_file,
                                       "--no-evaluation"], stdout=subprocess.DEVNULL, stderr=open(folder.with_suffix(".log"), "w"))]
        try:
            while not port_file.exists() or not port_file.read_text().strip():
                if processes[0].poll() is not None:
                    raise RuntimeError("the server did not start: " + folder.with_suffix(".log").read_text()[-500:])
                time.sleep(0.1)
            address = "http://127.0.0.1:" + port_file.read_text().strip()
            for number in range(row.volunteers):
                home = folder.with_name(f"volunteer-{number}")
                processes.append(subprocess.Popen(
                    [BIN / "commonweightd", "--state", home / "state", "--data", home / "data", "--attach", address, "--when", "always",
                     "--threads", "1", "--trainer", BIN / "commonweight-trainer"], stdout=subprocess.DEVNULL,
                    stderr=open(folder.with_name(f"volunteer-{number}.log"), "w")))
            info = self.wait_for_end(address, row, begin)
        finally:
            for process in reversed(processes):
                process.send_signal(signal.SIGTERM)
            for process in processes:
                process.wait(30)
        return {"loss": json.loads(tool("evaluate", folder, "--json"))["loss"], "tokens": info["tokens_merged"],
                "versions": info["newest"]["version"] - 1, "seconds": time.monotonic() - begin}

    def wait_for_end(self, address, row, begin):
        run = get(address, "/v1/project")["runs"][0]["id"]
        round_tokens = row.batch * CONTEXT * self.arguments.inner_steps
        while True:
            info = get(address, f"/v1/runs/{run}")
            print(f"\r  programs: version {info['newest']['version']}, {info['tokens_merged']:,} of {self.tokens:,} tokens ",
                  end="", file=sys.stderr, flush=True)
            if info["tokens_merged"] + round_tokens > self.tokens or info["state"] == "finished":
                print(file=sys.stderr)
                return info
            if time.monotonic() - begin > self.arguments.timeout:
                raise RuntimeError(f"no end after {self.arguments.timeout} s; logs are in {self.root}")
            time.sleep(1)

    def run(self):
        rows = [row for row in ROWS if self.arguments.rows is None or row.name in self.arguments.rows]
        batches = sorted({row.batch for row in rows})
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            starts = [pool.submit(self.kept, f"start {batch}", functools.partial(self.start, batch)) for batch in batches]
            controls = {batch: pool.submit(self.kept, f"control {batch}", functools.partial(self.control, batch)) for batch in batches}
            for start in starts:
                start.result()
            waiting = {pool.submit(self.kept, row.name, functools.partial(self.simulated, row)): row for row in rows if not row.programs}
            for done in concurrent.futures.as_completed(waiting):
                self.figures[waiting[done].name] = done.result()
                print(f"  {waiting[done].name}: {done.result().get('loss', 'failed')}", file=sys.stderr, flush=True)
            for batch, control in controls.items():
                self.figures[f"control, batch {batch}"] = control.result()
        for row in rows:
            if row.programs:
                self.figures[row.name] = self.kept(row.name, functools.partial(self.programs, row))
        return rows

    def penalty(self, row):
        """In percent, against the control or another row; None where something is missing."""
        other = self.figures.get(f"control, batch {row.batch}" if row.against == "control" else row.against, {})
        own = self.figures.get(row.name, {})
        if "loss" not in own or "loss" not in other:
            return None
        return 100 * (own["loss"] / other["loss"] - 1)

    def print(self, rows):
        arguments = self.arguments
        print(f"{arguments.preset} on {self.text.name}: {self.tokens:,} tokens in all, {arguments.warm_up * 12 * CONTEXT:,} of them in the "
              f"warm start; H = {arguments.inner_steps}, codec {arguments.codec}, seed {arguments.seed} unless said")
        print(f"{'row':<30}{'loss':>8}{'penalty':>10} {'against':<18}{'aim':>8}  {'published':<44}{'merges':>7}{'s':>6}")
        for name in sorted(name for name in self.figures if name.startswith("control")):
            print(f"{name:<30}{self.figures[name]['loss']:>8.4f}{'':>10} {'':<18}{'':>8}  {'':<44}{'':>7}{self.figures[name]['seconds']:>6.0f}")
        for row in rows:
            figures, penalty = self.figures[row.name], self.penalty(row)
            if "failed" in figures:
                print(f"{row.name:<30}{'-':>8}  {figures['failed']}")
                continue
            figures["penalty_percent"] = penalty
            aim = f"{row.goal:+.1f} %" if row.goal is not None else ""
            shown = f"{penalty:+.2f} %" if penalty is not None else "-"
            print(f"{row.name:<30}{figures['loss']:>8.4f}{shown:>10} {row.against:<18}{aim:>8}  {row.published:<44}"
                  f"{figures.get('versions', ''):>7}{figures['seconds']:>6.0f}")
        self.print_speeds()

    def print_speeds(self):
        """What the clock says where hosts are unequal: a barrier moves as its slowest."""
        alike, unequal = self.figures.get(MAIN_ROW), self.figures.get("four speeds")
        if not alike or not unequal or "points" not in unequal:
            return
        gain = sum(SPEEDS) / len(SPEEDS) / min(SPEEDS)
        start = self.arguments.warm_up * 12 * CONTEXT
        reached = start + (self.tokens - start) / gain
        behind = min(alike["points"], key=lambda point: abs(point["tokens"] - reached))
        print(f"Four speeds 1 : 1.3 : 2.6 : 5.7: in the time of this row a barrier merges {reached:,.0f} tokens ({gain:.2f} times slower) and is "
              f"at {behind['loss']:.4f}; rounds closed by the clock are at {unequal['loss']:.4f}.")
        self.figures["four speeds"]["clock_gain"] = gain
        self.figures["four speeds"]["barrier_loss_at_equal_time"] = behind["loss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--text", help="file to train on (default: tiny Shakespeare, else the King James Bible)")
    parser.add_argument("--quick", action="store_true", help="a tiny model: all rows within five minutes on two calm cores")
    parser.add_argument("--rows", nargs="+", choices=[row.name for row in ROWS], metavar="NAME", help="only these")
    parser.add_argument("--steps", type=int, default=2000, help="steps of a batch of 12 in all, warm-up included")
    parser.add_argument("--warm-up", type=int, default=400, help="of these, on one machine before the volunteers come")
    parser.add_argument("--inner-steps", type=int, default=50, help="H")
    parser.add_argument("--codec", default="int4", choices=["fp32", "bf16", "int8", "int4"])
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=3600, help="seconds for the real programs")
    parser.add_argument("--folder", help="keep everything here, and go on from what an interrupted run left (same options)")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    arguments.preset = "tiny" if arguments.quick else "nanogpt-cpu"
    if arguments.learning_rate is None:
        arguments.learning_rate = 3e-3 if arguments.quick else 1.5e-3

    scratch = None if arguments.folder else tempfile.TemporaryDirectory(prefix="commonweight-convergence-")
    root = pathlib.Path(arguments.folder or scratch.name)
    root.mkdir(parents=True, exist_ok=True)
    table = Table(arguments, root)
    try:
        table.print(table.run())
    except RuntimeError as error:
        sys.exit(f"convergence: {error}")
    if arguments.json:
        figures = json.dumps({"bench": "convergence", "settings": vars(arguments), "rows": table.figures})
        if arguments.json == "-":
            print(figures)
        else:
            pathlib.Path(arguments.json).write_text(figures + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
