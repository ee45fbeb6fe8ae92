-- Owners that made a secret here, and what was last reported to the facilitator of why their gas is paid (docs/decisions/0030).
create table secret_owners (
  owner text primary key,
  -- Null: not known, to be reported.
  reported text check (reported in ('listed', 'unlisted')),
  reported_at timestamptz,
  -- A process is reporting it; until then no other does.
  leased_until timestamptz not null default '-infinity',
  -- What was read at another revision is not written down.
  revision bigint not null default 0
);
insert into secret_owners (owner)
select distinct actor from audit_events where action in ('secret-created', 'secret-rotated');
