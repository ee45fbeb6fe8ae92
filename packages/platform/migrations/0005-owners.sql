-- Handed out to be signed once; whoever deletes a row first has used it.
create table sign_in_nonces (
  nonce text primary key,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_age on sign_in_nonces (expires_at);

-- Who is signed in. A session that is revoked is deleted.
create table sessions (
  -- Public: names the session, opens nothing.
  session_id uuid primary key,
  -- SHA-256 of the token, which nobody can read back.
  token_hash bytea not null unique check (length(token_hash) = 32),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  created_at timestamptz not null,
  -- To the minute.
  used_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_address on sessions (address, created_at);
create index sessions_by_age on sessions (expires_at);

-- What owners and the operator did that somebody may ask about later. Never holds a secret.
create table audit_events (
  event_id bigint generated always as identity primary key,
  at timestamptz not null,
  -- An owner's lower-case address, or 'operator'.
  actor text not null,
  action text not null,
  -- What it was done to: 'agent 12', 'secret <id>'.
  subject text not null,
  detail jsonb not null default '{}'
);
create index audit_events_by_subject on audit_events (subject, event_id);
create index audit_events_by_age on audit_events (at);

-- What somebody has to say against an agent.
create table agent_reports (
  report_id uuid primary key,
  agent_id bigint not null references agents,
  -- 'owner 0x…' for who is signed in, else a salted hash of an address: enough to know that it is the same one again.
  reporter text not null,
  reason text not null,
  text text not null,
  reported_at timestamptz not null,
  -- One reporter, one report of an agent; the newest words stay.
  unique (agent_id, reporter)
);
create index agent_reports_newest on agent_reports (reported_at desc, report_id);

-- Makes hashes of reporters' addresses useless outside this database.
create table report_salt (
  salt uuid not null default gen_random_uuid()
);
insert into report_salt default values;
