-- One row for each agent that is, or was, checked. Its agents row is written at transitions only; this one at each check.
create table agent_health (
  agent_id bigint primary key references agents,
  watched_since timestamptz not null,
  -- Consecutive failed checks; what an agent is seen as follows from it alone.
  failures integer not null default 0 check (failures >= 0),
  -- When a worker may take it. A worker that takes it moves this to the end of its lease, so that where the worker dies
  -- somebody else takes it then; infinity: not checked.
  due_at timestamptz not null,
  -- Raised whenever it is taken and whenever a result is written: only the newest holder's result counts.
  fence bigint not null default 0,
  checked_at timestamptz,
  last_ok_at timestamptz,
  last_latency_ms integer,
  -- Why the newest check failed; null after a success.
  last_reason text,
  -- The hour under way; moved to agent_hours by the first check of a later one.
  hour timestamptz not null default 'epoch',
  hour_ok integer not null default 0,
  hour_failed integer not null default 0,
  hour_latencies_ms integer[] not null default '{}'
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create index agent_health_due on agent_health (due_at);

-- What the checks of an hour found; kept 35 days.
create table agent_hours (
  agent_id bigint not null references agents,
  hour timestamptz not null,
  ok integer not null,
  failed integer not null,
  -- Of the checks that passed: the newest 60 of the hour.
  latencies_ms integer[] not null,
  primary key (agent_id, hour)
);

-- Hours come in order, so the old ones lie together.
create index agent_hours_by_hour on agent_hours using brin (hour);

-- What an agent's badge rests on, as it was last computed.
create table agent_badges (
  agent_id bigint primary key references agents,
  due_at timestamptz not null,
  computed_at timestamptz,
  inputs jsonb
);

create index agent_badges_due on agent_badges (due_at);

-- Where an owner wants to hear of it. Belongs to whoever owned the agent when it was set, and to nobody after.
create table agent_webhooks (
  agent_id bigint primary key references agents,
  owner text not null,
  url text not null,
  -- Signs each delivery; shown once, when it is made.
  secret text not null,
  created_at timestamptz not null
);

-- Written in the transaction of the transition it tells of.
create table webhook_deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  agent_id bigint not null references agents,
  body text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- The next attempt, or the end of the lease of who makes one; infinity: nothing is left to do.
  due_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given-up')),
  -- Why the newest attempt failed.
  failure text
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
