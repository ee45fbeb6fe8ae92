-- Everything the platform keeps, in this order: agents and the contract they are registered with, what
-- checks find, jobs and what they come to, the search, owners and the operator, flows that are kept.
--
-- Runs with search_path set to the schema. Whatever locks several agents takes them in the order of their numbers, and
-- agents before what refers to them. Once a version of this is deployed, the file stays as it is, and changes follow in
-- files of higher numbers.

------------------------------------------------------------------------------------------------------------------------
-- Agents
------------------------------------------------------------------------------------------------------------------------

-- One row for each agent that the registry contract knows or knew: its data on the chain, and its declaration.
create table agents (
  -- The registry's token id.
  agent_id bigint primary key check (agent_id > 0),
  -- As in the contract, and in its canonical form; the second is null if the platform would not call the URL.
  endpoint_on_chain text not null,
  endpoint text,
  -- The owner of the token; lower-case address.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  stake_wei numeric(78) not null,
  registered_block bigint not null,
  registered_transaction text not null,
  registered_at timestamptz not null,
  -- Written only by changeListing, like everything it is based on (packages/platform/src/listing). waiting: on the
  -- chain, not inspected yet · listed · provisional: Phase 1, no /about (D36) · refused: its declaration is not
  -- confirmed · taken-down: by the operator · deregistered: its stake was returned
  standing text not null default 'waiting'
    check (standing in ('waiting', 'listed', 'provisional', 'refused', 'taken-down', 'deregistered')),
  -- The reason, if it is refused or was taken down.
  standing_reason text,
  standing_since timestamptz not null,
  -- The newest declaration; null in Phase 1. Not jsonb: the order of capabilities and fields is part of it (D14, D21).
  declaration json,
  declaration_version integer not null default 0,
  name text not null default '',
  description text not null default '',
  -- The payee of the newest declaration; lower-case.
  wallet text check (wallet ~ '^0x[0-9a-f]{40}$'),
  -- The proven wallet: always the owner's or none. Callers are not sent to pay while `wallet` is another.
  proven_wallet text check (proven_wallet ~ '^0x[0-9a-f]{40}$'),
  -- When `declaration` was last read and confirmed.
  refreshed_at timestamptz,
  -- When it is due for inspection; null: after an event. A running inspection postpones it, as a lease.
  next_refresh_at timestamptz,
  -- The start of the last inspection, its error (null: none), and the number of consecutive errors.
  looked_at timestamptz,
  look_problem text,
  look_failures integer not null default 0,
  -- Since when a failed inspection is repeated soon: its registration, a change on the chain, a request.
  look_since timestamptz,
  -- Since when a listed agent answers 404 for /about.
  about_missing_since timestamptz,
  -- Written by the monitor, only at transitions.
  is_offline boolean not null default false,
  -- The earned badge (D34), and the shown one: one step lower while three checks in a row have failed.
  badge text not null default 'none' check (badge in ('none', 'verified', 'bronze', 'silver', 'gold')),
  badge_shown text not null default 'none'
    check (badge_shown in ('none', 'verified', 'bronze', 'silver', 'gold'))
);

-- One agent for each endpoint among those shown with proof; a provisional one is displaced (D36).
create unique index agents_endpoint on agents (endpoint) where standing = 'listed';
create index agents_by_endpoint on agents (endpoint);
create index agents_by_owner on agents (owner, agent_id);
create index agents_to_refresh on agents (next_refresh_at) where next_refresh_at is not null;

-- The newest declarations of an agent, with the changes.
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

-- Endpoints at which the operator took an agent down: no other agent is listed there until that agent is restored,
-- whatever happens to its number meanwhile. A separate table, because the rows of `agents` follow the chain: an owner
-- who withdraws the stake or moves the agent changes those.
create table taken_down_endpoints (
  -- Canonical, at most 2,048 characters.
  endpoint text not null,
  agent_id bigint not null references agents,
  reason text not null,
  since timestamptz not null,
  primary key (endpoint, agent_id)
);
create index taken_down_endpoints_by_agent on taken_down_endpoints (agent_id);

------------------------------------------------------------------------------------------------------------------------
-- Contracts that are followed
------------------------------------------------------------------------------------------------------------------------

-- The progress of following a contract: `registry` or `permissions`. A process that holds a row's lock follows it.
create table followed_contracts (
  contract text primary key,
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  -- The newest block of the chain at that time.
  head_number bigint not null default 0,
  -- When a process last read the chain: the others need not.
  followed_at timestamptz
);

-- Hashes of blocks up to which a contract was followed: after a rewrite of the chain, reading restarts at the newest
-- block that is still on the chain.
create table followed_blocks (
  contract text not null,
  block_number bigint not null,
  block_hash text not null,
  primary key (contract, block_number)
);

------------------------------------------------------------------------------------------------------------------------
-- The registry contract
------------------------------------------------------------------------------------------------------------------------

-- The relevant events of the contract: an agent's row above is their result. Read again after a rewrite of the chain,
-- so that no event of an abandoned block remains.
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

-- Registrations that wait for their confirmations; replaced at each read.
create table registry_pending (
  agent_id bigint primary key,
  endpoint text not null,
  owner text not null,
  block_number bigint not null,
  transaction text not null
);

-- Planned registrations: one row for each endpoint, so that two tabs, or a repeated command, share it.
create table registrations (
  registration_id uuid primary key,
  -- Canonical.
  endpoint text not null unique,
  found json not null,
  -- The checks of the inspection, as shown.
  checks json not null,
  created_at timestamptz not null,
  examined_at timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- The SpendPermissions contract
------------------------------------------------------------------------------------------------------------------------

-- The events of the contract. A permission has the terms of its last setting; the spent amount is the sum of its
-- spends. Read again after a rewrite of the chain. Amounts are atomic units; addresses and hashes are lower-case.
create table permission_events (
  block_number bigint not null,
  log_index integer not null,
  kind text not null check (kind in ('set', 'revoked', 'spent')),
  permission_id text not null,
  owner text not null,
  spender text not null,
  token text not null,
  -- Of `set` and `revoked`: the purpose of the permission, and the nonce of the next signature for it.
  scope text,
  nonce bigint,
  -- Of `set`. An owner may name any agent and any capability; the name is cut to 128 characters.
  agent_id numeric(78),
  capability text,
  spend_limit numeric(78),
  cap numeric(78),
  expiry bigint,
  recipients text[],
  -- Of `spent`. The refs of one job differ only in the last byte: this is the part before it.
  recipient text,
  amount numeric(78),
  ref_prefix text,
  transaction text not null,
  block_at timestamptz not null,
  primary key (block_number, log_index)
);
create index permission_events_by_owner on permission_events (owner, kind, block_number, log_index);
create index permission_events_by_permission on permission_events (permission_id, kind, block_number, log_index);
create index permission_events_by_ref on permission_events (ref_prefix) where ref_prefix is not null;

------------------------------------------------------------------------------------------------------------------------
-- Checks, badges, notices
------------------------------------------------------------------------------------------------------------------------

-- One row for each agent that is, or was, checked. Its agents row is written only at transitions; this one at each
-- check.
create table agent_health (
  agent_id bigint primary key references agents,
  watched_since timestamptz not null,
  -- Consecutive failed checks; the shown status follows from it alone.
  failures integer not null default 0 check (failures >= 0),
  -- When a worker may take it. A worker that takes it moves this to the end of its lease, so that another worker takes
  -- it if the first one dies; infinity: not checked.
  due_at timestamptz not null,
  -- Raised whenever it is taken and whenever a result is written: only the newest holder's result counts.
  fence bigint not null default 0,
  checked_at timestamptz,
  last_ok_at timestamptz,
  last_latency_ms integer,
  -- The reason why the newest check failed; null after a success.
  last_reason text,
  -- The current hour; moved to agent_hours by the first check of a later one.
  hour timestamptz not null default 'epoch',
  hour_ok integer not null default 0,
  hour_failed integer not null default 0,
  hour_latencies_ms integer[] not null default '{}',
  -- The current UTC day; moved to agent_days by the first check of a later one.
  day timestamptz not null default 'epoch',
  day_ok integer not null default 0,
  day_failed integer not null default 0,
  -- From the check that made it offline, or from midnight, to the newest check or the one that made it online.
  day_offline_seconds integer not null default 0,
  -- The checks of the 29 days before, so that showing an uptime needs no sum.
  month_ok integer not null default 0,
  month_failed integer not null default 0
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create index agent_health_due on agent_health (due_at);

-- The results of the checks of an hour; kept 35 days.
create table agent_hours (
  agent_id bigint not null references agents,
  hour timestamptz not null,
  ok integer not null,
  failed integer not null,
  -- Of the checks that passed: the newest 60 of the hour.
  latencies_ms integer[] not null,
  primary key (agent_id, hour)
);

-- Hours are inserted in order, so the old ones are adjacent.
create index agent_hours_by_hour on agent_hours using brin (hour);

-- The results of the checks of a UTC day; kept 90 days.
create table agent_days (
  agent_id bigint not null references agents,
  day timestamptz not null,
  ok integer not null,
  failed integer not null,
  offline_seconds integer not null,
  primary key (agent_id, day)
);

-- Days are inserted in order as well.
create index agent_days_by_day on agent_days using brin (day);

-- The values from which an agent's badge was last computed.
create table agent_badges (
  agent_id bigint primary key references agents,
  due_at timestamptz not null,
  computed_at timestamptz,
  inputs jsonb
);

create index agent_badges_due on agent_badges (due_at);

-- An owner's webhook. It belongs to the owner of the agent at the time it was set, and is not used for later owners.
create table agent_webhooks (
  agent_id bigint primary key references agents,
  owner text not null,
  url text not null,
  -- Signs each delivery; shown once, at its creation.
  secret text not null,
  created_at timestamptz not null
);

-- Written in the transaction of the reported transition.
create table webhook_deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  agent_id bigint not null references agents,
  body text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- The next attempt, or the end of the lease of the current one; infinity: no work is left.
  due_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given-up')),
  -- The reason why the newest attempt failed.
  failure text,
  -- When its receiver accepted it.
  delivered_at timestamptz
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
-- An owner reads the newest notice of an agent, and deletes all of one.
create index webhook_deliveries_of_agent on webhook_deliveries (agent_id, created_at desc);

------------------------------------------------------------------------------------------------------------------------
-- Jobs
------------------------------------------------------------------------------------------------------------------------

-- One row for each job that the platform sent for a caller, written before it was sent.
create table jobs (
  -- Lower-case UUID v4.
  job_id uuid primary key,
  -- The run of a flow that ordered it; null: its payer ordered it.
  run_id uuid,
  agent_id bigint not null references agents,
  capability text not null,
  -- caller: ordered by a caller · canary: the platform's own daily one (badges do not count it)
  kind text not null check (kind in ('caller', 'canary')),
  -- The payer; lower-case.
  payer text not null check (payer ~ '^0x[0-9a-f]{40}$'),
  amount_atomic bigint not null check (amount_atomic > 0),
  -- sent: no answer yet · pending: money may still move · completed: the transfer is proven · failed: the agent
  -- reported a failure · expired: no answer by its deadline (D35), which a later proof turns into completed, or no paid
  -- answer
  state text not null check (state in ('sent', 'pending', 'completed', 'failed', 'expired')),
  -- It was marked expired once (D35): only a proof changes its state from then on.
  has_expired boolean not null default false,
  -- The party at fault, and the basis of that judgement (decision 34). agent: counts against it · deadline: the order
  -- left it too little time · payer: could not pay · refused: the agent refused such an order · outage: a shared
  -- dependency was unavailable · unseen: this platform was not running when it should have been
  fault text check (fault in ('agent', 'deadline', 'payer', 'refused', 'outage', 'unseen')),
  error_type text,
  error text,
  created_at timestamptz not null,
  -- The number of orders: 1, and one more for each retry. Results of an earlier attempt are not written.
  attempt integer not null default 1,
  -- When it was last retried; null: never.
  retried_at timestamptz,
  -- The agent may have kept a response to the input of an earlier attempt: no retry changes it.
  keeps_input boolean not null default false,
  -- The agent's deadline.
  expires_at timestamptz not null,
  -- The time of completion or failure.
  finished_at timestamptz,
  -- From the request to the agent's last answer.
  elapsed_ms integer,
  -- The transfer, once it is proven on the chain, and its block.
  transaction text,
  block_number bigint,

  -- From here to valid_before: set for every sent job. The order, to distinguish a repeat of the same job_id from
  -- another request.
  input_hash text check (input_hash ~ '^[0-9a-f]{64}$'),
  -- The target: the agent's base URL at the time of the order.
  endpoint text,
  max_deadline_seconds double precision,
  -- Unix seconds, as in the body.
  deadline double precision,
  -- The exact bytes that are sent, and sent again (D8); deleted with the contents.
  request_body bytea,
  -- As valuable as a signed cheque: encrypted with a key that is not in the database, and deleted as soon as it is used
  -- up or void.
  sealed_payment text,
  -- The authorization without its signature, for the chain's events.
  network text,
  asset text,
  pay_to text check (pay_to ~ '^0x[0-9a-f]{40}$'),
  nonce text check (nonce ~ '^0x[0-9a-f]{64}$'),
  valid_after bigint,
  valid_before bigint,

  -- The agent's answers so far, and the state of the payment on the chain; the job's state follows from both and the
  -- time.
  answer text not null default 'none' check (answer in ('none', 'pending', 'failed', 'completed')),
  payment text not null default 'open' check (payment in ('open', 'paid', 'dead')),
  -- The agent is no longer asked, whatever it has answered.
  asking_over boolean not null default false,
  -- When the first send began that completed.
  first_asked_at timestamptz,
  -- One of the completed sends left the agent its fair time.
  had_fair_time boolean not null default false,
  -- The signed payment may have reached an agent.
  has_left boolean not null default false,
  -- The newest send was answered "not now" in the documented form: 503 with Retry-After and a failure.
  put_off boolean not null default false,
  paid_at timestamptz,
  -- The last meaningful answer, unchanged; the body is deleted with the contents.
  response_status integer,
  response_headers jsonb,
  response_body bytea,
  output_hash text check (output_hash ~ '^[0-9a-f]{64}$'),
  -- How the output violates its declared schema: "<field>: <reason>".
  output_problem text,
  -- Unix seconds, as the agent reports.
  completed_at double precision,
  -- FLOW-08: money moved without a usable output; counts against the badge.
  charged_without_delivery boolean not null default false,
  -- A salted hash of the client address of the order, as long as its contents are kept and not paid for.
  ordered_from text,
  contents_deleted_at timestamptz,
  -- The signed statement, created once.
  receipt text,
  -- SHA-256 of the tokens that open this job, newest last; issued to callers that proved to be the payer.
  token_hashes text[] not null default '{}',

  -- When it is due for work; null: no work is left.
  next_look_at timestamptz,
  -- Whether the next work may send it; otherwise only the chain is read.
  sends boolean not null default true,
  -- Leased by a worker until then; free afterwards.
  lease_until timestamptz,
  lease_holder uuid,
  -- The number of sends so far, and of the last consecutive ones whose answer was not an agent's.
  sendings integer not null default 0,
  foreign_answers integer not null default 0
);

-- One payment pays for one job (D6).
create unique index jobs_by_payment on jobs (payer, nonce, network);

-- The jobs of a payer.
create index jobs_by_agent on jobs (agent_id, created_at desc, job_id desc);
create index jobs_by_payer on jobs (payer, created_at desc, job_id desc);
-- The same for one state: in a long list the few failed jobs are found without reading the others.
create index jobs_by_agent_state on jobs (agent_id, state, created_at desc, job_id desc);
create index jobs_by_payer_state on jobs (payer, state, created_at desc, job_id desc);
create index jobs_canary on jobs (agent_id, created_at) where kind = 'canary';
create index jobs_unanswered on jobs (expires_at) where state = 'sent';

-- A payer's unpaid orders. A payer's jobs in progress are found by the state.
create index jobs_unpaid_by_payer on jobs (payer, created_at) where payment = 'open';
create index jobs_ordered_by on jobs (payer) where ordered_from is not null;
create index jobs_ordered_from on jobs (ordered_from) where ordered_from is not null;
-- A payer whose own deadlines repeatedly expired at one agent.
create index jobs_own_deadlines on jobs (payer, agent_id, created_at) where fault = 'deadline';

-- Due jobs. No host delays the jobs of others: jobs to send are found host by host, up to the limit of each, and jobs
-- with only a payment check separately. These indexes only contain the few jobs with work left.
create index jobs_due on jobs (next_look_at) where next_look_at is not null;
create index jobs_to_look_at on jobs (next_look_at) where not sends and next_look_at is not null;
-- By host, the one that expires first comes first.
create index jobs_to_send_by_end on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), expires_at)
  where sends and next_look_at is not null;
-- By host, the longest waiting first, for expired jobs.
create index jobs_to_send_by_look on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), next_look_at)
  where sends and next_look_at is not null;
-- By the time from which it should no longer be sent, plus a while.
create index jobs_to_send_until on jobs (greatest(to_timestamp(valid_before), expires_at, paid_at))
  where sends and next_look_at is not null;

-- Contents to delete.
create index jobs_with_contents on jobs (created_at) where contents_deleted_at is null;

-- Jobs that ended unpaid, and when their contents are deleted. A separate table rather than an index on `jobs`, which
-- would block writes while it is created.
create table unpaid_contents (
  job_id uuid primary key references jobs,
  forget_at timestamptz not null
);
create index unpaid_contents_by_time on unpaid_contents (forget_at);

-- Outages of dependencies that a job needs and its agent is not responsible for; one row for each.
create table outages (
  outage_id bigint generated always as identity primary key,
  -- facilitator · node · platform: this program did not run
  what text not null check (what in ('facilitator', 'node', 'platform')),
  began_at timestamptz not null,
  -- The newest time at which it was still unavailable.
  seen_at timestamptz not null
);
create index outages_by_end on outages (seen_at);

-- The keys that sign receipts. Public parts are kept permanently, so that old receipts can be checked.
create table platform_keys (
  -- RFC 7638 thumbprint.
  key_id text primary key,
  public_jwk jsonb not null,
  -- Null once it is retired.
  private_jwk jsonb,
  created_at timestamptz not null,
  retired_at timestamptz,
  -- It may have leaked: its receipts are signed again on request.
  revoked_at timestamptz,
  check ((private_jwk is null) = (retired_at is not null)),
  constraint platform_keys_revoked_is_retired check (revoked_at is null or retired_at is not null)
);
create unique index platform_keys_active on platform_keys ((true)) where retired_at is null;

-- The keys with which payments were encrypted. The keys themselves are not in the database.
create table payment_keys (
  -- Derived from the key.
  key_id text primary key,
  first_used_at timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- Runs of flows
------------------------------------------------------------------------------------------------------------------------

-- One row for each run: its start and its state. Only packages/flows interprets a state; here it is text.
create table runs (
  run_id uuid primary key,
  -- SHA-256 of the token that opens and controls it.
  token_hash bytea not null check (length(token_hash) = 32),
  -- Its client address, as a salted hash; null once it has a paid job.
  started_from text,
  -- The payer: the signer of its first payment; lower-case. Null: there is none yet.
  payer text check (payer ~ '^0x[0-9a-f]{40}$'),
  flow_id uuid,
  name text not null,
  flow text not null,
  input text not null,
  -- Decimal USDC.
  max_total text not null,
  state text not null,
  -- Raised by every change of the state: a process that has read an older one writes nothing.
  revision bigint not null default 1,
  -- Values derived from the state for its driver.
  plan jsonb not null,
  status text not null
    check (status in ('running', 'waiting', 'completed', 'failed', 'paused', 'cancelled')),
  paid text not null default '0',
  created_at timestamptz not null,
  changed_at timestamptz not null,
  ended_at timestamptz,
  -- Raised by every change of the state and of its jobs.
  news bigint not null default 1,
  -- When it is due; -infinity: at once; null: after an event.
  due_at timestamptz,
  -- Leased by a worker until then; free afterwards.
  lease_until timestamptz,
  lease_holder uuid
);
create index runs_due on runs (due_at) where due_at is not null;
create index runs_by_payer on runs (payer, created_at desc, run_id desc) where payer is not null;
create index runs_started_from on runs (started_from) where started_from is not null;
create index runs_by_age on runs (changed_at);

-- Every payment added for a job of a run, under the id of the job that it is bound to.
create table run_payments (
  job_id uuid primary key,
  run_id uuid not null references runs on delete cascade,
  -- The job's key in the run.
  key text not null,
  -- Encrypted; null once it was used or abandoned: no job is ordered with it from then on.
  sealed_payment text,
  -- The reason why it was abandoned before its order was written.
  given_up text,
  -- The order, once it is due.
  input text
);
create index run_payments_by_run on run_payments (run_id);
create index jobs_by_run on jobs (run_id) where run_id is not null;

-- The room for orders of one payer, and the amount promised to other jobs. Locks the payer and the address until the
-- transaction ends, so that the counts still hold when the orders are written. Each statement in here has a snapshot of
-- its own, taken after the locks; a single statement would have one from before them.
create function room_for_orders(
  given_payer text, address text, given_jobs uuid[], given_runs uuid[],
  out ordered_from text, out bytes_of_payer bigint, out bytes_from_address bigint, out promised numeric,
  -- Without orders of runs whose payment was abandoned. The others are held until they are written: `giveUp` waits.
  out writable uuid[]
) language plpgsql set search_path from current as $$
begin
  select encode(sha256(convert_to(salt || ' ' || address, 'UTF8')), 'hex') into ordered_from from report_salt;
  perform pg_advisory_xact_lock(hashtextextended('payer ' || given_payer, 34));
  perform pg_advisory_xact_lock(hashtextextended('from ' || ordered_from, 34));
  select coalesce(sum(coalesce(octet_length(request_body), 0) + coalesce(octet_length(response_body), 0)), 0)
    into bytes_of_payer
    from jobs where payer = given_payer and jobs.ordered_from is not null and not job_id = any(given_jobs);
  select coalesce(sum(coalesce(octet_length(request_body), 0) + coalesce(octet_length(response_body), 0)), 0)
    into bytes_from_address
    from jobs where jobs.ordered_from = room_for_orders.ordered_from and not job_id = any(given_jobs);
  select coalesce(sum(amount_atomic), 0) into promised
    from jobs where payer = given_payer and state in ('sent', 'pending');
  if given_runs = array_fill(null::uuid, array[cardinality(given_runs)]) then
    writable := given_jobs;
  else
    -- The locks are not held while the disk is written. The runs, which name these jobs as ordered, are on disk
    -- already: a job lost in a power cut is ordered again with the same payment.
    perform set_config('synchronous_commit', 'off', true);
    -- Of the other writers of these rows, only `giveUp` has to wait.
    writable := array(
      select p.job_id
      from run_payments p join unnest(given_jobs, given_runs) as given(job_id, run_id) using (job_id, run_id)
      where p.sealed_payment is not null
      for key share of p);
  end if;
end $$;

-- A change of a job makes its run due at once; a retry does not, because the run itself has caused it. Nor does the end
-- of a job sent by the process that keeps the run: that process notifies the run's driver itself. A payment of a run
-- may also be used for an order of its payer's own: that job makes the run due as well. The commit does not wait for
-- the disk: the run's next state is written later and does. After a power cut in between the agent is asked again, and
-- gives the same answer.
create function note_news_of_run() returns trigger language plpgsql set search_path from current as $$
declare
  of_run uuid := coalesce(new.run_id, (select run_id from run_payments where job_id = new.job_id));
begin
  if of_run is not null then
    perform set_config('synchronous_commit', 'off', true);
    -- A process that ends a job releases its lease with the same statement. For an order of the payer's own, no process
    -- notifies the driver.
    update runs set news = news + 1,
      due_at = case
        when new.run_id is not null and new.lease_holder is null and lease_holder = old.lease_holder then due_at
        else '-infinity' end
    where run_id = of_run;
  end if;
  return null;
end $$;

create trigger job_of_run_changed after update on jobs for each row
  when (new.attempt = old.attempt and
    (old.state, old.answer, old.payment, old.asking_over, old.charged_without_delivery)
      is distinct from
    (new.state, new.answer, new.payment, new.asking_over, new.charged_without_delivery))
  execute function note_news_of_run();

------------------------------------------------------------------------------------------------------------------------
-- The platform's own daily jobs
------------------------------------------------------------------------------------------------------------------------

-- When each agent gets its next one, and the result of the last one.
create table canaries (
  agent_id bigint primary key references agents,
  next_run_at timestamptz not null,
  lease_until timestamptz,
  job_id uuid,
  -- ok · failed · skipped: none was sent, for a reason other than the agent
  outcome text check (outcome in ('ok', 'failed', 'skipped')),
  reason text,
  ran_at timestamptz
);
create index canaries_due on canaries (next_run_at);

-- The maximum cost of the platform's own daily jobs, by day: counted before anything is signed.
create table canary_days (
  day date primary key,
  spent_atomic numeric(78) not null check (spent_atomic >= 0)
);

-- The same for each owner, for the owner's agents.
create table canary_owner_days (
  owner text not null,
  day date not null,
  spent_atomic numeric(78) not null check (spent_atomic >= 0),
  primary key (owner, day)
);

------------------------------------------------------------------------------------------------------------------------
-- What the jobs of an agent come to
------------------------------------------------------------------------------------------------------------------------

-- Jobs whose outcome has not been added to the tallies yet. Written by the trigger below, together with the outcome.
create table recounts (
  recount_id bigint generated always as identity primary key,
  agent_id bigint not null references agents,
  payer text not null,
  -- By how much the number of the payer's completed jobs changed.
  done_change bigint not null
);
create index recounts_by_agent on recounts (agent_id, recount_id);

-- The results of each payer's jobs at an agent.
create table agent_payers (
  agent_id bigint not null references agents,
  payer text not null,
  jobs_done bigint not null,
  -- Of the newest ten that count: paid ones, and those failed by the agent. And of the newest ten that were left out.
  paid smallint not null,
  failed smallint not null,
  left_out smallint not null,
  primary key (agent_id, payer)
);

-- The sums of these, so that showing them needs no sum over an agent's jobs.
create table agent_tallies (
  agent_id bigint primary key references agents,
  jobs_done bigint not null,
  -- Payers with at least one completed job, and with one that counts as paid.
  payers bigint not null,
  paying bigint not null,
  paid bigint not null,
  failed bigint not null,
  left_out bigint not null,
  -- The median and the 95th percentile of the newest jobs that other wallets paid for; null before the first.
  job_p50_ms integer,
  job_p95_ms integer
);

-- The newest of a payer's jobs at an agent that count for or against it, and those that are left out.
create index jobs_judged on jobs (agent_id, payer, created_at desc, job_id)
  where kind = 'caller' and
    (fault = 'agent' or (state = 'completed' and not charged_without_delivery and transaction is not null));
-- Paid jobs as the public sees them, of one agent and of all: by the minute and, within it, by the hash of their
-- job_id, so that their order reveals nothing more. An agent's also show how long its jobs take.
create index jobs_paid on jobs
  (agent_id, date_trunc('minute', finished_at at time zone 'UTC') desc, sha256(job_id::text::bytea) desc)
  include (payer, elapsed_ms)
  where kind = 'caller' and state = 'completed' and not charged_without_delivery and transaction is not null;
create index jobs_paid_of_all on jobs
  (date_trunc('minute', finished_at at time zone 'UTC') desc, sha256(job_id::text::bytea) desc)
  where kind = 'caller' and state = 'completed' and not charged_without_delivery and transaction is not null;
create index jobs_paid_by_hash on jobs (sha256(job_id::text::bytea))
  where kind = 'caller' and state = 'completed' and not charged_without_delivery and transaction is not null;
create index jobs_left_out on jobs (agent_id, payer, created_at desc) where kind = 'caller' and fault <> 'agent';

create function note_outcome() returns trigger language plpgsql set search_path from current as $$
declare
  done smallint := (new.state = 'completed' and not new.charged_without_delivery)::int;
  was_done smallint := 0;
begin
  if tg_op = 'UPDATE' then
    was_done := (old.state = 'completed' and not old.charged_without_delivery)::int;
  end if;
  insert into recounts (agent_id, payer, done_change) values (new.agent_id, new.payer, done - was_done);
  return null;
end $$;

create trigger outcome_written after insert on jobs for each row
  when (new.kind = 'caller' and (new.state = 'completed' or new.fault is not null))
  execute function note_outcome();
create trigger outcome_changed after update on jobs for each row
  when (new.kind = 'caller' and
    (old.state = 'completed', old.charged_without_delivery, old.fault, old.transaction is null)
      is distinct from (new.state = 'completed', new.charged_without_delivery, new.fault, new.transaction is null))
  execute function note_outcome();

------------------------------------------------------------------------------------------------------------------------
-- Search
------------------------------------------------------------------------------------------------------------------------

-- Misspelt words are found by their trigrams, with the extension pg_trgm. It comes with PostgreSQL, and any owner of a
-- database may create it; if it exists, no right is needed.
do $$
declare
  found_in text;
begin
  select nspname into found_in
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname = 'pg_trgm';
  if found_in is null then
    begin
      create extension pg_trgm schema public;
    exception when insufficient_privilege or undefined_file or feature_not_supported or invalid_schema_name then
      raise exception 'search needs the PostgreSQL extension pg_trgm in schema public: %', sqlerrm
        using hint = 'have an administrator of this database run: create extension pg_trgm schema public '
          || '(its files are in the package of contributed modules, often called postgresql-contrib)';
    end;
  elsif found_in <> 'public' then
    raise exception 'search needs the PostgreSQL extension pg_trgm in schema public, it is in %', found_in
      using hint = 'have an administrator of this database run: alter extension pg_trgm set schema public';
  end if;
end
$$;

-- One row for each agent that search may find, in the form that search needs. Written again from `agents` by
-- indexAgent.
create table search_entries (
  agent_id bigint primary key references agents,
  -- Decides between equals: a meaningless number, so that no agent is ahead because of its age.
  position bigint not null,
  -- The name's words in order, as in a query that names the agent.
  name_key text not null,
  -- Words, each once: repetitions are not recorded. Each set contains the one before it.
  name_words tsvector not null,
  capability_words tsvector not null,
  all_words tsvector not null,
  -- Exact conditions: capability=…, takes=…, gives=…, badge=… (and every lower one).
  tags text[] not null,
  is_provisional boolean not null,
  -- Earned, never written by the agent: the shown badge, then the number of payers. Larger values come first, as
  -- everywhere except for prices.
  standing integer not null,
  jobs_done bigint not null,
  -- The cheapest and the most expensive capability; both the largest possible number if there is none.
  min_price_atomic bigint not null,
  max_price_atomic bigint not null,
  -- The first 32 bits of each tag's SHA-256, without badges; null if there are too many. A match may be a false
  -- positive.
  tag_hashes integer[]
  -- Vacuumed and analyzed sooner than usual: pages known to be visible need not be read, and common words are known as
  -- such.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.05);

-- Rare words and tags, together or alone. Without a list of pending entries: a search never pays for others' changes.
create index search_entries_words on search_entries
  using gin (name_words, capability_words, all_words, tags) with (fastupdate = off);
create index search_entries_by_name on search_entries (name_key, standing, position);
-- Common words: all rows are scanned in the requested order. The usual order includes the columns that the scan needs,
-- so that the table itself is not read; the size of an entry is bounded for that (an index row takes 2,704 bytes), and
-- stored uncompressed, because it would be decompressed at each read.
alter table search_entries alter column name_words set storage external;
alter table search_entries alter column capability_words set storage external;
alter table search_entries alter column all_words set storage external;
alter table search_entries alter column tag_hashes set storage external;
create index search_entries_by_standing on search_entries (standing, position)
  include (agent_id, is_provisional, name_key, name_words, capability_words, all_words, tag_hashes);
create index search_entries_by_jobs on search_entries (jobs_done, position);
create index search_entries_by_price on search_entries (min_price_atomic, position);

-- The frequency of a word decides how it is searched: ten times the usual sample of words.
alter table search_entries alter column name_words set statistics 1000;
alter table search_entries alter column capability_words set statistics 1000;
alter table search_entries alter column all_words set statistics 1000;
alter table search_entries alter column tags set statistics 1000;

-- The price, inputs and outputs of one capability, for queries about one and the same capability.
create table search_capabilities (
  agent_id bigint not null references search_entries on delete cascade,
  -- Compared without regard to case.
  capability_key text not null,
  capability text not null,
  ordinal integer not null,
  price_atomic bigint not null,
  -- takes=… and gives=…, as in search_entries.
  tags text[] not null,
  -- Its agent's rank.
  position bigint not null,
  -- The fields that a list shows, [name, type, required] in declared order, and their number.
  takes jsonb not null default '[]',
  takes_count integer not null default 0,
  gives jsonb not null default '[]',
  gives_count integer not null default 0,
  primary key (agent_id, capability_key)
);
create index search_capabilities_by_price on search_capabilities (capability_key, price_atomic, position);

-- Every word that was ever indexed, to guess the intended word from a misspelt one. Not unique: two agents that add the
-- same new word at once do not wait for each other.
create table search_words (
  word text collate "C" not null
);
create index search_words_exactly on search_words (word);
create index search_words_alike on search_words using gin (word public.gin_trgm_ops);

------------------------------------------------------------------------------------------------------------------------
-- Owners and the operator
------------------------------------------------------------------------------------------------------------------------

-- Issued to be signed once; the first process that deletes a row has used it.
create table sign_in_nonces (
  nonce text primary key,
  expires_at timestamptz not null
);
create index sign_in_nonces_by_age on sign_in_nonces (expires_at);

-- Sessions of signed-in owners. A revoked session is deleted.
create table sessions (
  -- Public: identifies the session without opening it.
  session_id uuid primary key,
  -- SHA-256 of the token, which cannot be recovered from it.
  token_hash bytea not null unique check (length(token_hash) = 32),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  created_at timestamptz not null,
  -- To the minute.
  used_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_address on sessions (address, created_at);
create index sessions_by_age on sessions (expires_at);

-- Owners that created a secret here, the last report to the facilitator about why their gas is paid and how much
-- (decision 30 and decision 68), and the last notice about their usage.
create table secret_owners (
  owner text primary key,
  -- Null: not known, must be reported.
  reported text check (reported in ('listed', 'unlisted')),
  -- Wei, one sum for each badge, the lowest first.
  reported_stakes numeric[],
  reported_at timestamptz,
  -- A process is reporting it; until then no other process does.
  leased_until timestamptz not null default '-infinity',
  -- Values read at another revision are not written.
  revision bigint not null default 0,
  -- The UTC day of the newest notice, its limit, and its kind: 1, four fifths are used; 2, all.
  noticed_day date,
  noticed_limit bigint,
  noticed_level smallint
);

-- Actions of owners and the operator that may have to be explained later. Never contains a secret.
create table audit_events (
  event_id bigint generated always as identity primary key,
  at timestamptz not null,
  -- An owner's lower-case address, or 'operator'.
  actor text not null,
  action text not null,
  -- The object of the action: 'agent 12', 'secret <id>'.
  subject text not null,
  detail jsonb not null default '{}'
);
create index audit_events_by_subject on audit_events (subject, event_id);
create index audit_events_by_age on audit_events (at);

-- A report about an agent.
create table agent_reports (
  report_id uuid primary key,
  agent_id bigint not null references agents,
  -- 'owner 0x…' for a signed-in reporter, else a salted hash of an address, which shows repeated reports from it.
  reporter text not null,
  reason text not null,
  text text not null,
  reported_at timestamptz not null,
  -- One reporter, one report of an agent; the newest text stays.
  unique (agent_id, reporter)
);
create index agent_reports_newest on agent_reports (reported_at desc, report_id);

-- Makes hashes of reporters' addresses useless outside this database.
create table report_salt (
  salt uuid not null default gen_random_uuid()
);
insert into report_salt default values;

------------------------------------------------------------------------------------------------------------------------
-- Flows
------------------------------------------------------------------------------------------------------------------------

-- One row for each flow that an owner stores here. Its document is that of its newest version.
create table flows (
  flow_id uuid primary key,
  -- The signed-in owner; lower-case address.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  -- Raised by every save: a save based on an older one is refused.
  revision integer not null default 1,
  -- The newest version.
  version integer not null default 1,
  -- For a list: paid steps, and all pinned prices together.
  name text not null,
  jobs integer not null,
  price_atomic numeric(78) not null,
  -- Of all its versions.
  bytes bigint not null,
  -- A salted hash of the client address of the newest save.
  saved_from text not null,
  -- The session that saved it last.
  saved_by uuid not null,
  -- Opens a copy for anyone who has it: 128 random bits; null: it is not shared.
  share_id text unique,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create index flows_by_owner on flows (owner, changed_at desc, flow_id desc);
create index flows_by_origin on flows (saved_from);

-- Saves within ten minutes are one version; the newest hundred are kept, and fewer of large ones.
create table flow_versions (
  flow_id uuid not null references flows on delete cascade,
  version integer not null,
  -- Of its first save, and of its last.
  began_at timestamptz not null,
  saved_at timestamptz not null,
  name text not null,
  -- Not jsonb: the order of fields and steps is part of it.
  document json not null,
  bytes integer not null,
  primary key (flow_id, version)
);

-- The capabilities that the newest version of a flow orders. Without a reference to agents: a flow keeps removed ones.
create table flow_capabilities (
  flow_id uuid not null references flows on delete cascade,
  agent_id bigint not null,
  capability text not null,
  -- As pinned in every step that orders it, and the lowest of these prices; null if they differ.
  hash text,
  price_atomic bigint not null,
  primary key (flow_id, agent_id, capability)
);
-- The flows that a change of an agent affects.
create index flow_capabilities_by_agent on flow_capabilities (agent_id, capability, flow_id);
