-- Versions as a chain of differences with error feedback, trust and quarantine of hosts, rollbacks, claims.

-- exact: the server's own parameters, when the published ones differ from them by what the encoding lost.
ALTER TABLE fragment_versions ADD COLUMN exact TEXT NOT NULL DEFAULT '';
ALTER TABLE fragment_versions ADD COLUMN exact_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE fragment_versions ADD COLUMN delta TEXT NOT NULL DEFAULT '';
ALTER TABLE fragment_versions ADD COLUMN delta_bytes BIGINT NOT NULL DEFAULT 0;

-- restored: the version whose content this one has again; -1: none. reverted: it was rolled back.
ALTER TABLE versions ADD COLUMN restored BIGINT NOT NULL DEFAULT -1;
ALTER TABLE versions ADD COLUMN reverted INTEGER NOT NULL DEFAULT 0;

-- content: hash of the decoded outer gradients, so that a copy is known.
ALTER TABLE results ADD COLUMN second_moments TEXT NOT NULL DEFAULT '';
ALTER TABLE results ADD COLUMN second_moments_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN content TEXT NOT NULL DEFAULT '';
CREATE INDEX results_by_content ON results (run, content);

-- quarantine: why a host gets no work and is not merged; empty when it does.
ALTER TABLE hosts ADD COLUMN validated_units BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN quarantine TEXT NOT NULL DEFAULT '';
UPDATE hosts SET validated_units = (SELECT COUNT(*) FROM results WHERE results.host = hosts.id AND results.state = 'merged');

-- round: that of its version, or the next one for a host that goes on while it still sends.
ALTER TABLE units ADD COLUMN round BIGINT NOT NULL DEFAULT 0;
UPDATE units SET round = base_version;
CREATE INDEX units_by_round ON units (run, round, host);

-- Work that must happen once at a time: who does it, and until when that holds.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE rollbacks (
    run TEXT NOT NULL,
    version BIGINT NOT NULL,
    restored BIGINT NOT NULL,
    first_reverted BIGINT NOT NULL,
    last_reverted BIGINT NOT NULL,
    suspects TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run, version),
    FOREIGN KEY (run, version) REFERENCES versions (run, version)
);
