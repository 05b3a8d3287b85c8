#!/usr/bin/python3
"""Loss at equal tokens: volunteers with merged outer gradients against one machine, with the real programs and real text.

Every row trains nanoGPT's small CPU configuration (4 layers, 4 heads, width 128, context 64, global batch 12 sequences) on bytes for
the same number of tokens, from the same warm start: the first steps of all rows are the same work unit. The control is one machine that
simply goes on (one uninterrupted AdamW run). A row of M volunteers gives each a batch of 12/M and merges every H steps.

Prints a table; --json FILE writes the same figures ("-": as the last line of standard output)."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = pathlib.Path(__file__).resolve().parent.parent / "bin"
GLOBAL_BATCH, CONTEXT = 12, 64


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
        sys.exit(f"convergence: commonweight-project {command} failed: {done.stderr.strip()}")
    return done.stdout


def create(folder, text, arguments, volunteers, warm_up):
    """A project whose warm-up runs at the global batch; volunteers then take 12/M sequences a step."""
    micro = GLOBAL_BATCH // volunteers
    tool("create", folder, "--name", "convergence", "--text", str(text), "--preset", "nanogpt-cpu", "--held-out", "0.1",
         "--sequence-length", str(CONTEXT), "--micro-batch", str(micro), "--warm-up-accumulation", str(volunteers),
         "--steps-at-most", str(arguments.inner_steps), "--round-seconds", "900", "--codec", arguments.codec,
         "--learning-rate", str(arguments.learning_rate), "--warm-up-steps", str(warm_up),
         "--total-tokens", str(arguments.steps * GLOBAL_BATCH * CONTEXT), "--seed", str(arguments.seed),
         "--trainer", str(BIN / "commonweight-trainer"), "--threads", str(os.cpu_count()))


def held_out(folder):
    return json.loads(tool("evaluate", folder, "--json"))["loss"]


def get(address, path):
    with urllib.request.urlopen(address + path, timeout=30) as answer:
        return json.load(answer)


def start_server(folder):
    port_file = folder.with_suffix(".port")
    server = subprocess.Popen([BIN / "commonweight-server", "serve", "--folder", folder, "--port", "0", "--port-file", port_file,
                               "--no-evaluation"], stdout=subprocess.DEVNULL, stderr=open(folder.with_suffix(".log"), "w"))
    while not port_file.exists() or not port_file.read_text().strip():
        if server.poll() is not None:
            sys.exit("convergence: the server did not start: " + folder.with_suffix(".log").read_text()[-500:])
        time.sleep(0.1)
    return server, "http://127.0.0.1:" + port_file.read_text().strip()


def with_volunteers(folder, text, arguments, volunteers):
    create(folder, text, arguments, volunteers, arguments.warm_up)
    start_loss = held_out(folder)
    server, address = start_server(folder)
    run = get(address, "/v1/project")["runs"][0]["id"]
    begin = time.monotonic()
    daemons = []
    for number in range(volunteers):
        home = folder.with_name(f"{folder.name}-volunteer-{number}")
        daemons.append(subprocess.Popen(
            [BIN / "commonweightd", "--state", home / "state", "--data", home / "data", "--attach", address, "--when", "always",
             "--threads", "1", "--trainer", BIN / "commonweight-trainer"], stdout=subprocess.DEVNULL,
            stderr=open(folder.with_name(f"{folder.name}-volunteer-{number}.log"), "w")))
    try:
        total = arguments.steps * GLOBAL_BATCH * CONTEXT
        step = GLOBAL_BATCH * CONTEXT * arguments.inner_steps
        while True:
            info = get(address, f"/v1/runs/{run}")
            done = info["tokens_merged"]
            print(f"\r  {volunteers} volunteers: version {info['newest']['version']}, {done:,} of {total:,} tokens ",
                  end="", file=sys.stderr, flush=True)
            if done + step > total or info["state"] == "finished":
                break
            if time.monotonic() - begin > arguments.timeout:
                sys.exit(f"\nconvergence: no end after {arguments.timeout} s; logs are beside {folder}")
            time.sleep(1)
        print(file=sys.stderr)
    finally:
        seconds = time.monotonic() - begin
        for process in [*daemons, server]:
            process.send_signal(signal.SIGTERM)
        for process in [*daemons, server]:
            process.wait(30)
    return {"loss": held_out(folder), "start_loss": start_loss, "tokens": done, "versions": info["newest"]["version"], "seconds": seconds}


def alone(folder, text, arguments, steps, volunteers):
    begin = time.monotonic()
    create(folder, text, arguments, volunteers, steps)
    return {"loss": held_out(folder), "tokens": steps * GLOBAL_BATCH * CONTEXT, "seconds": time.monotonic() - begin}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--text", help="file to train on (default: tiny Shakespeare, else the King James Bible)")
    parser.add_argument("--volunteers", type=int, nargs="+", default=[4], choices=[1, 2, 3, 4, 6, 12], metavar="M")
    parser.add_argument("--steps", type=int, default=2000, help="steps of the global batch in all, warm-up included")
    parser.add_argument("--warm-up", type=int, default=400, help="of these, on one machine before the volunteers come")
    parser.add_argument("--inner-steps", type=int, default=50, help="H")
    parser.add_argument("--codec", default="int4", choices=["fp32", "bf16", "int8", "int4"])
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=3600, help="seconds for one row")
    parser.add_argument("--folder", help="keep everything here instead of a temporary folder")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()

    text = find_text(arguments.text)
    scratch = None if arguments.folder else tempfile.TemporaryDirectory(prefix="commonweight-convergence-")
    root = pathlib.Path(arguments.folder or scratch.name)
    root.mkdir(parents=True, exist_ok=True)
    rows = [("one machine", alone(root / "alone", text, arguments, arguments.steps, max(arguments.volunteers)))]
    for volunteers in arguments.volunteers:
        rows.append((f"{volunteers} volunteers", with_volunteers(root / f"volunteers-{volunteers}", text, arguments, volunteers)))

    control = rows[0][1]["loss"]
    print(f"text {text.name}, {arguments.steps} steps of {GLOBAL_BATCH} x {CONTEXT} bytes, warm-up {arguments.warm_up}, "
          f"H {arguments.inner_steps}, codec {arguments.codec}, seed {arguments.seed}")
    print(f"{'row':<16}{'held-out loss':>14}{'vs one machine':>16}{'tokens':>12}{'versions':>10}{'seconds':>9}")
    for name, row in rows:
        row["penalty"] = row["loss"] / control - 1
        print(f"{name:<16}{row['loss']:>14.4f}{row['penalty']:>+15.2%} {row['tokens']:>12,}{row.get('versions', ''):>10}{row['seconds']:>9.0f}")
    if arguments.json:
        figures = json.dumps({"bench": "convergence", "settings": vars(arguments), "rows": dict(rows)})
        if arguments.json == "-":
            print(figures)
        else:
            pathlib.Path(arguments.json).write_text(figures + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
