#!/usr/bin/python3
"""Writes the traces beside this file: what comes in over eight merges (contributions.json), and what each rule of
merging makes of it.

The rules are written here a second time, straight from the formulas in docs/protocol.md and the papers named there, in
double precision and with every contribution at hand. tst_merge_traces compares engine/exchange with what comes out.
With --check nothing is written; the exit status says whether the files are what this program makes.
"""
import json
import math
import pathlib
import sys

TENSORS = [
    ("model.embed_tokens.weight", [3, 4]),
    ("model.layers.0.mlp.up_proj.weight", [4, 5]),
    ("model.norm.weight", [5]),
    ("lm_head.weight", [3, 4]),
]
SETTINGS = {
    "decoupled": {"learning_rate": 0.42, "momentum": 0.9},
    "mean": {"learning_rate": 0.7, "momentum": 0.8},
    "diloco": {"learning_rate": 0.7, "momentum": 0.9},
    "delayed-nesterov": {"learning_rate": 0.7, "momentum": 0.9, "period": 3},
    "once": {"learning_rate": 0.3, "momentum": 0.5},
}
S_MAX = 8
SIZE = sum(math.prod(shape) for _, shape in TENSORS)


class Numbers:
    """Multiples of 2^-10 in [-1, 1) and simple fractions of them: exact as 32-bit floats."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return ((self.state >> 16) % 2048 - 1024) / 1024

    def vector(self, base=None, share=0.0, noise=1.0):
        return [share * base[i] + noise * self.next() if base else self.next() for i in range(SIZE)]


def contribution(account, tokens, steps, staleness, values, trust=1.0):
    return {"account": account, "tokens": tokens, "steps": steps, "staleness": staleness, "trust": trust,
            "values": values}


def story():
    """What comes in, the same for each rule."""
    draw = Numbers(7)
    way = draw.vector()
    merges = []
    # Six fresh ones of five accounts: one is very large, one account has far more tokens than the others.
    first = [contribution(name, tokens, steps, 0, draw.vector(way, 3.0))
             for name, tokens, steps in (("a", 4000, 10), ("b", 1000, 10), ("c", 900, 9), ("d", 500, 10),
                                         ("e", 1000, 5), ("e", 1000, 10))]
    first[1]["values"] = [64 * value for value in first[1]["values"]]
    merges.append(first)
    # Some late, one beyond the limit, one not trusted much.
    merges.append([contribution("a", 1000, 10, 0, draw.vector(way, 3.0)),
                   contribution("b", 1000, 10, 1, draw.vector(way, 3.0)),
                   contribution("c", 1000, 10, 9, draw.vector()),
                   contribution("d", 1000, 10, 0, draw.vector(way, 1.0), trust=0.25)])
    # Three merges against everything before.
    for _ in range(3):
        merges.append([contribution(name, 1000, 10, 0, draw.vector(way, -0.25, 0.125)) for name in "ab"])
    # Nothing but old ones.
    merges.append([contribution("a", 1000, 10, 2, draw.vector(way, 1.0)),
                   contribution("b", 1000, 10, 3, draw.vector(way, 1.0))])
    # A single volunteer.
    merges.append([contribution("a", 600, 6, 0, draw.vector())])
    # Directions that cancel.
    last = draw.vector()
    merges.append([contribution("a", 1000, 10, 0, last),
                   contribution("b", 1000, 10, 0, [-2 * value for value in last])])
    return merges


def norm(values):
    return math.sqrt(sum(value * value for value in values))


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def weights_of(rule, contributions):
    weights = []
    for each in contributions:
        s = each["staleness"]
        fading = 0.0 if s > S_MAX else 0.5 * (1 + math.cos(math.pi * s / (S_MAX + 1))) * math.exp(-0.1 * s)
        if rule in ("diloco", "once") and s > 0:
            fading = 0.0
        weights.append(each["tokens"] ** 2 / each["steps"] * fading * each["trust"])
    total = sum(weights)
    if total == 0:
        return []
    weights = [weight / total for weight in weights]
    if rule in ("decoupled", "mean"):
        cap_accounts(contributions, weights)
    return weights


def cap_accounts(contributions, weights):
    shares = {}
    for each, weight in zip(contributions, weights):
        if weight > 0:
            shares[each["account"]] = shares.get(each["account"], 0.0) + weight
    if len(shares) < 4:
        return
    final = {}
    while True:
        open_ones = {name: share for name, share in shares.items() if name not in final}
        left = 1 - sum(final.values())
        over = [name for name, share in open_ones.items() if share * left / sum(open_ones.values()) > 0.25]
        if not over:
            break
        final.update({name: 0.25 for name in over})
    for name, share in open_ones.items():
        final[name] = share * left / sum(open_ones.values())
    for i, each in enumerate(contributions):
        if weights[i] > 0:
            weights[i] *= final[each["account"]] / shares[each["account"]]


def outer_settings(rule, contributions, weights):
    """Learning rate, momentum, gain of what is averaged plainly."""
    eta, mu = SETTINGS[rule]["learning_rate"], SETTINGS[rule]["momentum"]
    if rule not in ("decoupled", "mean"):
        return eta, mu, 1.0
    age = sum(weight * each["staleness"] for weight, each in zip(weights, contributions))
    care = min(max((age - 0.1) / 0.9, 0.0), 1.0)
    eta_old = eta * max(1 / (3 * (1 - mu)), 2.0) / (1 + max(age, 1.0))
    gain = 1.0
    if rule == "decoupled":
        n = 1 / sum(weight * weight for weight in weights)
        gain = 0.5 + 0.5 * n if n <= 2 else 1.5 if n <= 4 else min(1.5 + (n - 4) / 8, 2.0)
    return (1 - care) * eta + care * eta_old, (1 - care) * mu, gain


def average(rule, contributions, weights):
    """The merged outer gradient, tensor by tensor."""
    pairs = [(weight, each["values"]) for weight, each in zip(weights, contributions) if weight > 0]
    merged, first = [], 0
    for name, shape in TENSORS:
        count = math.prod(shape)
        parts = [values[first:first + count] for _, values in pairs]
        norms = [norm(part) for part in parts]
        limit = median(norms) if rule in ("decoupled", "mean") and len(pairs) >= 5 else math.inf
        clipped = [min(length, limit) for length in norms]
        mean = [sum(weight * part[i] * c / n for (weight, _), part, c, n in zip(pairs, parts, clipped, norms))
                for i in range(count)]
        is_matrix = len(shape) == 2 and name not in ("model.embed_tokens.weight", "lm_head.weight")
        if rule == "decoupled" and is_matrix:
            direction = [sum(weight * part[i] / n for (weight, _), part, n in zip(pairs, parts, norms))
                         for i in range(count)]
            length = sum(weight * c for (weight, _), c in zip(pairs, clipped))
            agreement = norm(direction)
            if agreement >= 0.25:
                mean = [value * length / agreement for value in direction]
        merged.append((is_matrix, mean))
        first += count
    return merged


class Trace:
    def __init__(self, rule):
        self.rule = rule
        self.theta = Numbers(99).vector()
        self.momentum = [0.0] * SIZE
        self.buffer = [0.0] * SIZE  # of delayed-nesterov
        self.counter = 0

    def merge(self, contributions):
        step = {"weights": weights_of(self.rule, contributions), "restarted": False}
        if step["weights"]:
            step["learning_rate"], step["momentum_factor"], step["mean_gain"] = outer_settings(
                self.rule, contributions, step["weights"])
            if self.rule == "delayed-nesterov":
                self.push_each(contributions, step["weights"])
            else:
                self.step_once(contributions, step)
        shown = self.momentum
        if self.rule == "delayed-nesterov":  # what the next move of the momentum starts from
            mu, n = SETTINGS[self.rule]["momentum"], SETTINGS[self.rule]["period"]
            shown = [mu * b + held / n for b, held in zip(self.momentum, self.buffer)]
        step.update(parameters=list(self.theta), momentum=list(shown), counter=self.counter)
        return step

    def step_once(self, contributions, step):
        tensors = average(self.rule, contributions, step["weights"])
        merged = [value for _, tensor in tensors for value in tensor]
        if self.rule == "once":
            self.theta = [theta - v for theta, v in zip(self.theta, merged)]
            self.momentum = merged
            return
        if self.rule in ("decoupled", "mean"):
            dot = sum(b * v for b, v in zip(self.momentum, merged))
            opposed = dot < -0.5 * norm(merged) * norm(self.momentum)
            self.counter = self.counter + 1 if opposed else 0
            if self.counter == 3:
                self.counter, self.momentum, step["restarted"] = 0, [0.0] * SIZE, True
        eta, mu = step["learning_rate"], step["momentum_factor"]
        self.momentum = [mu * b + v for b, v in zip(self.momentum, merged)]
        i = 0
        for is_matrix, tensor in tensors:
            rate = eta * (1.0 if is_matrix else step["mean_gain"])
            for v in tensor:
                self.theta[i] -= rate * (v + mu * self.momentum[i])
                i += 1

    def push_each(self, contributions, weights):
        eta, mu, n = (SETTINGS[self.rule][name] for name in ("learning_rate", "momentum", "period"))
        pushes = [(weight, each["values"]) for weight, each in zip(weights, contributions) if weight > 0]
        for weight, values in pushes:
            delta = [weight * len(pushes) * value for value in values]
            self.buffer = [held + d for held, d in zip(self.buffer, delta)]
            self.counter += 1
            if self.counter == n:
                self.momentum = [mu * b + held / n for b, held in zip(self.momentum, self.buffer)]
                self.theta = [theta - eta * mu * b for theta, b in zip(self.theta, self.momentum)]
                self.buffer, self.counter = [0.0] * SIZE, 0
            self.theta = [theta - eta / n * d for theta, d in zip(self.theta, delta)]


def trace_of(rule):
    trace = Trace(rule)
    return {"rule": rule, "settings": SETTINGS[rule], "merges": [trace.merge(each) for each in story()]}


def files():
    yield "contributions", {"tensors": [{"name": name, "shape": shape} for name, shape in TENSORS],
                            "start": Trace("mean").theta, "merges": story()}
    for rule in SETTINGS:
        yield rule, trace_of(rule)


def text_of(content):
    def rounded(text):
        return float(f"{float(text):.12g}")
    short = json.loads(json.dumps(content), parse_float=rounded)
    return json.dumps(short, separators=(",", ":")).replace('{"weights"', '\n{"weights"') + "\n"


def main():
    same = True
    for name, content in files():
        file = pathlib.Path(__file__).parent / f"{name}.json"
        if "--check" not in sys.argv:
            file.write_text(text_of(content))
        elif file.read_text() != text_of(content):
            print(f"{file.name} is not what this program makes")
            same = False
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
