-- One row for each agent that the registry contract knows or knew; what is on the chain, and what its owner serves.
create table agents (
  -- The registry's token id.
  agent_id bigint primary key check (agent_id > 0),
  -- As the contract has it, and as we compare it; the second is null where it is no URL that we would call.
  endpoint_on_chain text not null,
  endpoint text,
  -- Who holds the token; lower-case address.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  stake_wei numeric(78) not null,
  registered_block bigint not null,
  registered_transaction text not null,
  registered_at timestamptz not null,
  -- waiting: on the chain, not looked at yet · listed · provisional: Phase 1, no /about (D36) · refused: not what it says ·
  -- taken-down: by the operator · deregistered: its stake was returned
  standing text not null default 'waiting'
    check (standing in ('waiting', 'listed', 'provisional', 'refused', 'taken-down', 'deregistered')),
  -- Why, where it is refused or was taken down.
  standing_reason text,
  standing_since timestamptz not null,
  -- The newest declaration; null in Phase 1. Not jsonb: the order of capabilities and fields is part of it (D14, D21).
  declaration json,
  declaration_version integer not null default 0,
  name text not null default '',
  description text not null default '',
  -- Who is paid, by the newest declaration; lower-case.
  wallet text check (wallet ~ '^0x[0-9a-f]{40}$'),
  -- Whose proof we have: always the owner's or none. Nobody is sent to pay while `wallet` is another.
  proven_wallet text check (proven_wallet ~ '^0x[0-9a-f]{40}$'),
  -- When `declaration` was last read and found to be what the agent serves.
  refreshed_at timestamptz,
  -- When it is to be looked at again; null: when something happens to it. A look under way pushes it on, as a lease.
  next_refresh_at timestamptz,
  -- The last look that began, what it stumbled over (null: nothing), and how many in a row did.
  looked_at timestamptz,
  look_problem text,
  look_failures integer not null default 0,
  -- Since when a look that fails is repeated soon: its registration, a change on the chain, somebody's request.
  look_since timestamptz,
  -- Since when a listed agent answers 404 for /about.
  about_missing_since timestamptz,
  -- Written by the monitor, at transitions only.
  is_offline boolean not null default false,
  -- As earned (D34), and as shown: one step lower while three checks in a row have failed.
  badge text not null default 'none' check (badge in ('none', 'verified', 'bronze', 'silver', 'gold')),
  badge_shown text not null default 'none'
    check (badge_shown in ('none', 'verified', 'bronze', 'silver', 'gold'))
);

-- One agent an endpoint among those that are shown with proof; a provisional one gives way (D36).
create unique index agents_endpoint on agents (endpoint) where standing = 'listed';
create index agents_by_endpoint on agents (endpoint);
create index agents_by_owner on agents (owner, agent_id);
create index agents_to_refresh on agents (next_refresh_at) where next_refresh_at is not null;

-- The newest declarations an agent has served, with what changed.
create table agent_declarations (
  agent_id bigint not null references agents,
  version integer not null,
  read_at timestamptz not null,
  declaration json not null,
  -- first · breaking · compatible · price · wallet; and the changes one by one, as JSON.
  severity text not null,
  changes jsonb not null,
  primary key (agent_id, version)
);

-- What the contract said, as far as it counts: an agent's row above is these, folded. Read again where the chain was
-- rewritten, so that nothing an abandoned block said stays.
create table registry_events (
  block_number bigint not null,
  log_index integer not null,
  agent_id bigint not null,
  kind text not null check (kind in ('registered', 'endpoint-updated', 'transferred', 'deregistered')),
  -- After the event; lower-case.
  owner text not null,
  endpoint text,
  stake_wei numeric(78),
  transaction text not null,
  block_at timestamptz not null,
  primary key (block_number, log_index)
);
create index registry_events_by_agent on registry_events (agent_id, block_number, log_index);

-- How far the contract has been followed; one row. Whoever holds its lock follows.
create table registry_cursor (
  only_row boolean primary key default true check (only_row),
  chain_id bigint not null,
  registry_address text not null,
  block_number bigint not null,
  -- The newest block of the chain when it was.
  head_number bigint not null default 0,
  -- When somebody last looked: the others need not.
  followed_at timestamptz
);

-- Hashes of blocks up to which it was followed: where the chain was rewritten, the newest that still stands is where
-- reading begins again.
create table registry_blocks (
  block_number bigint primary key,
  block_hash text not null
);

-- Registrations that wait for their confirmations; replaced at each look.
create table registry_pending (
  agent_id bigint primary key,
  endpoint text not null,
  owner text not null,
  block_number bigint not null,
  transaction text not null
);

-- What somebody is about to register: one row an endpoint, so that two tabs, or a program run again, go on together.
create table registrations (
  registration_id uuid primary key,
  -- Canonical.
  endpoint text not null unique,
  found json not null,
  created_at timestamptz not null,
  examined_at timestamptz not null
);
