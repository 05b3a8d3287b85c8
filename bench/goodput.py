#!/usr/bin/python3
"""Goodput of real processes that are killed: a server and volunteers (agent and trainer), each ended with SIGKILL at random times.

Goodput is the tokens that were merged while everything was being killed, divided by those that the same fleet merged in the same time in
peace, measured just before. Volunteers train a part of the time only (--duty), so that a dead one's processor time does not speed the
others up. At the end everything is stopped, and the merge log must rebuild every version bit for bit, with each range of text merged once.

Prints both runs; --json FILE writes the figures ("-": as the last line of standard output)."""
import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

BIN = pathlib.Path(__file__).resolve().parent.parent / "bin"
TEXT = "It was a bright cold day, and the clocks of the town were striking thirteen times for nobody. "


class Fleet:
    """A project, its server and its volunteers, in one folder."""

    def __init__(self, root, arguments):
        self.root, self.arguments = root, arguments
        self.folder, self.processes, self.port = root / "server", {}, 0
        text = root / "text.txt"
        text.write_text("\n".join(f"{TEXT} {number * 7919 % 100003} {number * 104729 % 99991}" for number in range(20_000)))
        self.tool("create", "--name", "goodput", "--text", text, "--preset", "tiny", "--micro-batch", "4", "--sequence-length", "32",
                  "--round-seconds", str(arguments.round), "--steps-at-most", "100000", "--total-tokens", str(10 ** 12),
                  "--warm-up-steps", "20", "--shift-on-arrival", "--trainer", BIN / "commonweight-trainer", "--no-evaluation")

    def tool(self, command, *options):
        done = subprocess.run([BIN / "commonweight-project", command, "--folder", self.folder, *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"goodput: commonweight-project {command} failed: {done.stderr.strip()[-500:]}")
        return done.stdout

    def start(self, name):
        with open(self.root / f"{name}.log", "a") as log:
            self.processes[name] = subprocess.Popen(self.command(name), stdout=log, stderr=log)

    def command(self, name):
        if name == "server":
            return [BIN / "commonweight-server", "serve", "--folder", self.folder, "--port", str(self.port),
                    "--port-file", self.root / "port", "--no-evaluation"]
        return [BIN / "commonweightd", "--state", self.root / name / "state", "--data", self.root / name / "data",
                "--attach", self.address(), "--when", "always", "--threads", "1", "--trainer", BIN / "commonweight-trainer",
                "--checkpoint-seconds", str(self.arguments.checkpoint), "--duty-cycle", str(self.arguments.duty)]

    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start_all(self):
        self.start("server")
        while not (self.root / "port").exists() or not (self.root / "port").read_text().strip():
            if self.processes["server"].poll() is not None:
                sys.exit("goodput: the server did not start: " + (self.root / "server.log").read_text()[-500:])
            time.sleep(0.05)
        self.port = int((self.root / "port").read_text())
        for number in range(self.arguments.trainers):
            self.start(f"volunteer-{number}")

    def merged(self):
        """Tokens and version; None while the server is down."""
        try:
            with urllib.request.urlopen(self.address() + "/v1/project", timeout=5) as answer:
                run = json.load(answer)["runs"][0]["id"]
            with urllib.request.urlopen(f"{self.address()}/v1/runs/{run}", timeout=5) as answer:
                info = json.load(answer)
            return info["tokens_merged"], info["newest"]["version"]
        except (urllib.error.URLError, OSError, ValueError):
            return None

    def stop_all(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def whole_rounds(fleet, arguments, upkeep):
    """Tokens a second over whole rounds of at least the asked time: from the publication of one version to that of another."""
    begin = last = first = newest = None
    tokens = end_tokens = 0
    deadline = time.monotonic() + 10 * arguments.seconds + 120
    while begin is None or last - begin < arguments.seconds:
        upkeep()
        time.sleep(0.05)
        now = time.monotonic()
        if now > deadline:
            sys.exit("goodput: no versions come out; the logs say why (--folder keeps them)")
        seen = fleet.merged()
        if seen is None or seen[1] == newest:
            continue
        if newest is not None and begin is None:
            begin, first, tokens = now, seen[1], seen[0]
        newest, end_tokens, last = seen[1], seen[0], now
    return {"tokens": end_tokens - tokens, "versions": newest - first, "seconds": last - begin,
            "tokens_per_second": (end_tokens - tokens) / (last - begin)}


class Killer:
    """Ends each process at Poisson times and starts it anew after a moment."""

    def __init__(self, fleet, arguments):
        self.fleet, self.arguments, self.random = fleet, arguments, random.Random(arguments.seed)
        now = time.monotonic()
        self.deaths = {name: now + self.random.expovariate(1 / arguments.mean) for name in fleet.processes}
        self.births, self.kills = {}, 0

    def finish(self):
        """Everything runs again, so that it can be stopped."""
        for name in self.births:
            self.fleet.start(name)

    def __call__(self):
        now = time.monotonic()
        for name, at in list(self.deaths.items()):
            if now >= at:
                self.fleet.processes[name].kill()
                self.fleet.processes[name].wait()
                self.kills += 1
                self.births[name] = now + self.arguments.down
                del self.deaths[name]
        for name, at in list(self.births.items()):
            if now >= at:
                self.fleet.start(name)
                self.deaths[name] = now + self.random.expovariate(1 / self.arguments.mean)
                del self.births[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trainers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=120, help="of each of the two runs")
    parser.add_argument("--mean", type=float, default=20, help="seconds that a process lives")
    parser.add_argument("--down", type=float, default=0.1, help="seconds until it is started again")
    parser.add_argument("--round", type=float, default=20, help="seconds of a round")
    parser.add_argument("--checkpoint", type=int, default=1, help="seconds between checkpoints")
    parser.add_argument("--duty", type=float, default=0.1, help="share of the time that a volunteer computes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="keep everything here instead of a temporary folder")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()

    scratch = None if arguments.folder else tempfile.TemporaryDirectory(prefix="commonweight-goodput-")
    root = pathlib.Path(arguments.folder or scratch.name)
    root.mkdir(parents=True, exist_ok=True)
    fleet = Fleet(root, arguments)
    try:
        fleet.start_all()
        peace = whole_rounds(fleet, arguments, lambda: None)
        killer = Killer(fleet, arguments)
        war = whole_rounds(fleet, arguments, killer)
        killer.finish()
    finally:
        fleet.stop_all()
    goodput = war["tokens_per_second"] / peace["tokens_per_second"]
    print(f"{arguments.trainers} volunteers and a server, each killed every {arguments.mean:g} s on average; rounds of {arguments.round:g} s")
    for name, run in (("in peace", peace), ("while killed", war)):
        print(f"  {name:<14}{run['tokens']:>12,} tokens merged in {run['seconds']:6.1f} s, {run['versions']} versions")
    print(f"  {killer.kills} kills; goodput {goodput:.1%} (to reach: 88 %)")
    replayed = json.loads(fleet.tool("replay", "--json"))
    print(f"  replay of the merge log: {json.dumps(replayed)}")
    figures = {"bench": "goodput", "goodput": goodput, "kills": killer.kills, "peace": peace, "killed": war, "replay": replayed}
    if arguments.json == "-":
        print(json.dumps(figures))
    elif arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
