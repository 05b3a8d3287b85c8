-- The first layout. Times are milliseconds since 1970 in UTC, hashes lower-case hex, JSON as text.
-- Statements end with a semicolon at the end of a line. Written for SQLite and PostgreSQL alike.

CREATE TABLE project (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    terms TEXT NOT NULL
);

CREATE TABLE hosts (
    id TEXT PRIMARY KEY,
    public_key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    devices TEXT NOT NULL,
    tokens_per_second DOUBLE PRECISION NOT NULL,
    registered_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    banned INTEGER NOT NULL,
    is_project INTEGER NOT NULL
);

CREATE TABLE nonces (
    host TEXT NOT NULL,
    nonce TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (host, nonce)
);
CREATE INDEX nonces_by_age ON nonces (seen_at);

-- closes_at is 0 while a round waits for its first unit. next_epoch and next_position say up to where lanes were ever leased.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    config TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    newest_version BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    closes_at BIGINT NOT NULL,
    next_epoch BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    units_issued BIGINT NOT NULL
);

CREATE TABLE fragments (
    run TEXT NOT NULL REFERENCES runs (id),
    number BIGINT NOT NULL,
    tensors TEXT NOT NULL,
    PRIMARY KEY (run, number)
);

CREATE TABLE shards (
    run TEXT NOT NULL REFERENCES runs (id),
    held_out INTEGER NOT NULL,
    number BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    lanes BIGINT NOT NULL,
    PRIMARY KEY (run, held_out, number)
);

CREATE TABLE versions (
    run TEXT NOT NULL REFERENCES runs (id),
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    tokens_merged BIGINT NOT NULL,
    results_merged BIGINT NOT NULL,
    second_moments TEXT NOT NULL,
    second_moments_bytes BIGINT NOT NULL,
    PRIMARY KEY (run, version)
);

CREATE TABLE fragment_versions (
    run TEXT NOT NULL,
    version BIGINT NOT NULL,
    fragment BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    momentum TEXT NOT NULL,
    momentum_bytes BIGINT NOT NULL,
    opposed BIGINT NOT NULL,
    PRIMARY KEY (run, version, fragment),
    FOREIGN KEY (run, version) REFERENCES versions (run, version)
);

CREATE TABLE units (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    host TEXT NOT NULL REFERENCES hosts (id),
    base_version BIGINT NOT NULL,
    state TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    closes_at BIGINT NOT NULL,
    deadline BIGINT NOT NULL,
    envelope TEXT NOT NULL,
    FOREIGN KEY (run, base_version) REFERENCES versions (run, version)
);
CREATE INDEX units_by_state ON units (run, state, deadline);
CREATE INDEX units_by_version ON units (run, base_version, host);
CREATE INDEX units_by_host ON units (host, state);

-- The rows of an epoch do not overlap and cover every position that was ever leased.
CREATE TABLE leases (
    run TEXT NOT NULL REFERENCES runs (id),
    epoch BIGINT NOT NULL,
    first_position BIGINT NOT NULL,
    positions BIGINT NOT NULL CHECK (positions > 0),
    state TEXT NOT NULL,
    unit TEXT REFERENCES units (id),
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (run, epoch, first_position),
    CHECK ((state = 'free') = (unit IS NULL))
);
CREATE INDEX leases_by_unit ON leases (unit);
CREATE INDEX leases_by_state ON leases (run, state);

CREATE TABLE results (
    id TEXT PRIMARY KEY,
    unit TEXT NOT NULL UNIQUE REFERENCES units (id),
    run TEXT NOT NULL REFERENCES runs (id),
    host TEXT NOT NULL REFERENCES hosts (id),
    base_version BIGINT NOT NULL,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    steps BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    norm_rate DOUBLE PRECISION NOT NULL,
    merged_version BIGINT NOT NULL,
    fragments TEXT NOT NULL,
    envelope TEXT NOT NULL,
    UNIQUE (run, number)
);
CREATE INDEX results_by_state ON results (run, state);
CREATE INDEX results_by_merge ON results (run, merged_version);

CREATE TABLE merges (
    run TEXT NOT NULL,
    version BIGINT NOT NULL,
    fragment BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, version, fragment),
    FOREIGN KEY (run, version) REFERENCES versions (run, version)
);

CREATE TABLE ledger (
    sequence BIGINT PRIMARY KEY,
    time BIGINT NOT NULL,
    kind TEXT NOT NULL,
    run TEXT NOT NULL REFERENCES runs (id),
    body TEXT NOT NULL,
    leaf TEXT NOT NULL
);
CREATE INDEX ledger_by_run ON ledger (run, sequence);

CREATE TABLE losses (
    run TEXT NOT NULL,
    version BIGINT NOT NULL,
    loss DOUBLE PRECISION NOT NULL,
    tokens BIGINT NOT NULL,
    time BIGINT NOT NULL,
    PRIMARY KEY (run, version),
    FOREIGN KEY (run, version) REFERENCES versions (run, version)
);
