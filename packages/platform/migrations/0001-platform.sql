-- Everything the platform keeps, in this order: agents and the contract they are registered with, what
-- checks find, jobs and what they come to, the search, owners and the operator, flows that are kept.
--
-- Runs with search_path set to the schema. Whatever locks several agents takes them in the order of their numbers, and
-- agents before what refers to them. Once a version of this is deployed, the file stays as it is, and changes follow in
-- files of higher numbers.

------------------------------------------------------------------------------------------------------------------------
-- Agents
------------------------------------------------------------------------------------------------------------------------

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
  -- Written by changeListing alone, as everything that it rests on (packages/platform/src/listing).
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

-- Endpoints at which the operator took an agent down: nobody new is listed there until that agent is restored, whatever
-- becomes of its number meanwhile. Beside `agents`, whose rows follow the chain: an owner who takes the stake back or
-- moves the agent changes those.
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

-- How far a contract has been followed: `registry` or `permissions`. A process that holds a row's lock follows it.
create table followed_contracts (
  contract text primary key,
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  -- The newest block of the chain when it was.
  head_number bigint not null default 0,
  -- When a process last read the chain: the others need not.
  followed_at timestamptz
);

-- Hashes of blocks up to which a contract was followed: where the chain was rewritten, the newest that still stands is
-- where reading begins again.
create table followed_blocks (
  contract text not null,
  block_number bigint not null,
  block_hash text not null,
  primary key (contract, block_number)
);

------------------------------------------------------------------------------------------------------------------------
-- The registry contract
------------------------------------------------------------------------------------------------------------------------

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
  -- What was checked when it was examined, as it is shown.
  checks json not null,
  created_at timestamptz not null,
  examined_at timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- The SpendPermissions contract
------------------------------------------------------------------------------------------------------------------------

-- What the contract said. A permission's terms are those it was set to last; what was spent is the sum of its spends. Read
-- again where the chain was rewritten. Amounts are atomic units; addresses and hashes are lower-case.
create table permission_events (
  block_number bigint not null,
  log_index integer not null,
  kind text not null check (kind in ('set', 'revoked', 'spent')),
  permission_id text not null,
  owner text not null,
  spender text not null,
  token text not null,
  -- Of `set` and `revoked`: what the permission is for, and what the next signature for it is made with.
  scope text,
  nonce bigint,
  -- Of `set`. An owner may name any agent and any capability; the name is cut to 128 characters.
  agent_id numeric(78),
  capability text,
  spend_limit numeric(78),
  cap numeric(78),
  expiry bigint,
  recipients text[],
  -- Of `spent`. The refs of one job differ in the last byte alone: this is what is before it.
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
  hour_latencies_ms integer[] not null default '{}',
  -- The UTC day under way; moved to agent_days by the first check of a later one.
  day timestamptz not null default 'epoch',
  day_ok integer not null default 0,
  day_failed integer not null default 0,
  -- From the check that made it offline, or from midnight, to the newest check or the one that brought it back.
  day_offline_seconds integer not null default 0,
  -- The checks of the 29 days before it, so that nobody adds them up to show an uptime.
  month_ok integer not null default 0,
  month_failed integer not null default 0
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

-- What the checks of a UTC day found; kept 90 days.
create table agent_days (
  agent_id bigint not null references agents,
  day timestamptz not null,
  ok integer not null,
  failed integer not null,
  offline_seconds integer not null,
  primary key (agent_id, day)
);

-- Days come in order as well.
create index agent_days_by_day on agent_days using brin (day);

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
  failure text,
  -- When its receiver took it.
  delivered_at timestamptz
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
-- An owner asks for the newest notice of an agent, and deletes all of one.
create index webhook_deliveries_of_agent on webhook_deliveries (agent_id, created_at desc);

------------------------------------------------------------------------------------------------------------------------
-- Jobs
------------------------------------------------------------------------------------------------------------------------

-- One row for each job that the platform sent for somebody, written before it was sent.
create table jobs (
  -- Lower-case UUID v4.
  job_id uuid primary key,
  -- The run of a flow that ordered it; null: its payer did.
  run_id uuid,
  agent_id bigint not null references agents,
  capability text not null,
  -- caller: somebody's · canary: the platform's own daily one (badges do not count it)
  kind text not null check (kind in ('caller', 'canary')),
  -- Who pays; lower-case.
  payer text not null check (payer ~ '^0x[0-9a-f]{40}$'),
  amount_atomic bigint not null check (amount_atomic > 0),
  -- sent: no answer yet · pending: money may still move · completed: the transfer is proven · failed: the agent said so ·
  -- expired: no answer by its deadline (D35), which a later proof turns into completed, or none that was paid
  state text not null check (state in ('sent', 'pending', 'completed', 'failed', 'expired')),
  -- It was marked expired once (D35): nothing but a proof changes its state from then on.
  has_expired boolean not null default false,
  -- Whose fault it was that it did not go well, and what that is concluded from (decision 34).
  -- agent: counts against it · deadline: the order left it too little time · payer: could not pay · refused: the agent
  -- took no such order · outage: what both rely on was away · unseen: this platform was not there when it should have been
  fault text check (fault in ('agent', 'deadline', 'payer', 'refused', 'outage', 'unseen')),
  error_type text,
  error text,
  created_at timestamptz not null,
  -- How often it was ordered: 1, and one more for each retry. What a worker finds out of an earlier attempt is not written.
  attempt integer not null default 1,
  -- When it was last retried; null: never.
  retried_at timestamptz,
  -- The agent may have kept a response to the input of an earlier attempt: no retry changes it.
  keeps_input boolean not null default false,
  -- When its agent's time is over.
  expires_at timestamptz not null,
  -- When it became completed or failed.
  finished_at timestamptz,
  -- From sending to the agent's last word.
  elapsed_ms integer,
  -- The transfer, once it is proven on the chain, and the block that has it.
  transaction text,
  block_number bigint,

  -- From here to valid_before: given with every job that is sent.
  -- What was asked, so that a repeat of the same job_id can be told from another request.
  input_hash text check (input_hash ~ '^[0-9a-f]{64}$'),
  -- Where it is sent: the agent's base URL when it was ordered.
  endpoint text,
  max_deadline_seconds double precision,
  -- Unix seconds, as the body says.
  deadline double precision,
  -- The very bytes that are sent, and sent again (D8); gone when contents are deleted.
  request_body bytea,
  -- As valuable as a signed cheque: encrypted with a key that is not in the database, and gone as soon as it is used up
  -- or dead.
  sealed_payment text,
  -- The authorization without its signature, for the chain's events.
  network text,
  asset text,
  pay_to text check (pay_to ~ '^0x[0-9a-f]{40}$'),
  nonce text check (nonce ~ '^0x[0-9a-f]{64}$'),
  valid_after bigint,
  valid_before bigint,

  -- What the agent has said so far, and what the chain has; the state follows from both and the time.
  answer text not null default 'none' check (answer in ('none', 'pending', 'failed', 'completed')),
  payment text not null default 'open' check (payment in ('open', 'paid', 'dead')),
  -- The agent is not asked any more, whatever it has said.
  asking_over boolean not null default false,
  -- When the first sending began that was seen to its end.
  first_asked_at timestamptz,
  -- One of the sendings that were seen to their end left the agent its fair time.
  had_fair_time boolean not null default false,
  -- The signed payment may have reached somebody.
  has_left boolean not null default false,
  -- The newest sending was answered "not now" as agents do: 503 with Retry-After and a failure.
  put_off boolean not null default false,
  paid_at timestamptz,
  -- The last answer that meant something, as it came; the body goes when contents are deleted.
  response_status integer,
  response_headers jsonb,
  response_body bytea,
  output_hash text check (output_hash ~ '^[0-9a-f]{64}$'),
  -- What the output breaks of its declared schema: "<field>: <reason>".
  output_problem text,
  -- Unix seconds, as the agent says.
  completed_at double precision,
  -- FLOW-08: money moved and no usable output came; counts against the badge.
  charged_without_delivery boolean not null default false,
  -- A salted hash of the address that the order came from, as long as its contents are kept and not paid for.
  ordered_from text,
  contents_deleted_at timestamptz,
  -- The signed statement, made once.
  receipt text,
  -- SHA-256 of the tokens that open this job, newest last; given to who proved to be the payer.
  token_hashes text[] not null default '{}',

  -- When somebody should look at it again; null: nothing is left to be done.
  next_look_at timestamptz,
  -- Whether the next look may send it; else the chain alone is asked.
  sends boolean not null default true,
  -- Held by a worker until then; free when past.
  lease_until timestamptz,
  lease_holder uuid,
  -- Sendings so far, and how many of the last ones in a row were answered by something that is no agent.
  sendings integer not null default 0,
  foreign_answers integer not null default 0
);

-- One payment pays for one job (D6).
create unique index jobs_by_payment on jobs (payer, nonce, network);

-- Whose they are.
create index jobs_by_agent on jobs (agent_id, created_at desc, job_id desc);
create index jobs_by_payer on jobs (payer, created_at desc, job_id desc);
-- The same of one state: in a long list the few that failed are found without reading the others.
create index jobs_by_agent_state on jobs (agent_id, state, created_at desc, job_id desc);
create index jobs_by_payer_state on jobs (payer, state, created_at desc, job_id desc);
create index jobs_canary on jobs (agent_id, created_at) where kind = 'canary';
create index jobs_unanswered on jobs (expires_at) where state = 'sent';

-- What somebody has ordered and not paid. What somebody has under way is found by the state.
create index jobs_unpaid_by_payer on jobs (payer, created_at) where payment = 'open';
create index jobs_ordered_by on jobs (payer) where ordered_from is not null;
create index jobs_ordered_from on jobs (ordered_from) where ordered_from is not null;
-- A payer whose own deadlines ran out at one agent again and again.
create index jobs_own_deadlines on jobs (payer, agent_id, created_at) where fault = 'deadline';

-- What is due. No host keeps the jobs of others waiting: those that are to be sent are found host by host, as many of
-- each as may be under way, and those of which only the chain is looked at apart from them. All of this is about the few
-- jobs in which something is left to be done; the others are in none of these indexes.
create index jobs_due on jobs (next_look_at) where next_look_at is not null;
create index jobs_to_look_at on jobs (next_look_at) where not sends and next_look_at is not null;
-- By host, the one nearest its end first.
create index jobs_to_send_by_end on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), expires_at)
  where sends and next_look_at is not null;
-- By host, the longest waiting first, for those whose time is over.
create index jobs_to_send_by_look on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), next_look_at)
  where sends and next_look_at is not null;
-- By the moment from which nobody would want it sent any more, but for a while.
create index jobs_to_send_until on jobs (greatest(to_timestamp(valid_before), expires_at, paid_at))
  where sends and next_look_at is not null;

-- What is to be forgotten.
create index jobs_with_contents on jobs (created_at) where contents_deleted_at is null;

-- Jobs that ended without being paid, and when their contents go. A table of its own rather than an index on `jobs`,
-- which nobody could write to while it is made.
create table unpaid_contents (
  job_id uuid primary key references jobs,
  forget_at timestamptz not null
);
create index unpaid_contents_by_time on unpaid_contents (forget_at);

-- When something was away that a job needs and its agent does not answer for; one row for each time.
create table outages (
  outage_id bigint generated always as identity primary key,
  -- facilitator · node · platform: this program did not run
  what text not null check (what in ('facilitator', 'node', 'platform')),
  began_at timestamptz not null,
  -- The newest moment at which it was still away.
  seen_at timestamptz not null
);
create index outages_by_end on outages (seen_at);

-- What receipts are signed with. Public parts are kept for good, so that old receipts can be checked.
create table platform_keys (
  -- RFC 7638 thumbprint.
  key_id text primary key,
  public_jwk jsonb not null,
  -- Null once it is retired.
  private_jwk jsonb,
  created_at timestamptz not null,
  retired_at timestamptz,
  -- Others may have had it: its receipts are signed anew when they are asked for.
  revoked_at timestamptz,
  check ((private_jwk is null) = (retired_at is not null)),
  constraint platform_keys_revoked_is_retired check (revoked_at is null or retired_at is not null)
);
create unique index platform_keys_active on platform_keys ((true)) where retired_at is null;

-- Which keys payments were encrypted with. The keys themselves are nowhere in the database.
create table payment_keys (
  -- Derived from the key.
  key_id text primary key,
  first_used_at timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- Runs of flows
------------------------------------------------------------------------------------------------------------------------

-- One row for each run: what it was started with, and how it stands. What a state is, and what follows from it, is known
-- to packages/flows alone; here it is text.
create table runs (
  run_id uuid primary key,
  -- SHA-256 of the token that opens and controls it.
  token_hash bytea not null check (length(token_hash) = 32),
  -- Where it came from, as a salted hash; null once something of it was paid.
  started_from text,
  -- Who pays: the signer of its first payment; lower-case. Null: none has come.
  payer text check (payer ~ '^0x[0-9a-f]{40}$'),
  flow_id uuid,
  name text not null,
  flow text not null,
  input text not null,
  -- Decimal USDC.
  max_total text not null,
  state text not null,
  -- Raised by every change of the state: who has read another one writes nothing.
  revision bigint not null default 1,
  -- What follows from the state for those who drive it.
  plan jsonb not null,
  status text not null
    check (status in ('running', 'waiting', 'completed', 'failed', 'paused', 'cancelled')),
  paid text not null default '0',
  created_at timestamptz not null,
  changed_at timestamptz not null,
  ended_at timestamptz,
  -- Raised by every change of the state and of its jobs.
  news bigint not null default 1,
  -- When somebody should look at it; -infinity: at once; null: when something happens.
  due_at timestamptz,
  -- Held by a worker until then; free when past.
  lease_until timestamptz,
  lease_holder uuid
);
create index runs_due on runs (due_at) where due_at is not null;
create index runs_by_payer on runs (payer, created_at desc, run_id desc) where payer is not null;
create index runs_started_from on runs (started_from) where started_from is not null;
create index runs_by_age on runs (changed_at);

-- Every payment that was brought for a job of a run, under the id of the job that it is bound to.
create table run_payments (
  job_id uuid primary key,
  run_id uuid not null references runs on delete cascade,
  -- The job's key in the run.
  key text not null,
  -- Encrypted; null once it was used, or is not to be used: no job is ordered with it from then on.
  sealed_payment text,
  -- Why it was given up before its order was written down.
  given_up text,
  -- What is ordered, from when it is to be.
  input text
);
create index run_payments_by_run on run_payments (run_id);
create index jobs_by_run on jobs (run_id) where run_id is not null;

-- The room for orders of one payer, and what it has promised to other jobs. Locks the payer and the address until the
-- transaction ends, so that what is counted still holds when the orders are written. Each statement in here has a snapshot of
-- its own, taken after the locks; a single statement would have one from before them.
create function room_for_orders(
  given_payer text, address text, given_jobs uuid[], given_runs uuid[],
  out ordered_from text, out bytes_of_payer bigint, out bytes_from_address bigint, out promised numeric,
  -- Without those orders of runs whose payment was given up. The others are held until they are written: `giveUp` waits.
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
    -- The locks are not held while the disk is waited for. The runs, which say that these jobs are to be sent, are on disk
    -- already: a job that a power cut takes is ordered again with the same payment.
    perform set_config('synchronous_commit', 'off', true);
    -- Of the others who write to these rows, `giveUp` alone has to wait.
    writable := array(
      select p.job_id
      from run_payments p join unnest(given_jobs, given_runs) as given(job_id, run_id) using (job_id, run_id)
      where p.sealed_payment is not null
      for key share of p);
  end if;
end $$;

-- A change of a job makes its run due at once; a retry does not, because the run itself has caused it. Nor does the end of a
-- job that the process has sent which has the run: it tells its driver of the run itself. A payment of a run may also be used
-- for an order of its payer's own: that job makes the run due as well. The commit does not wait for the disk:
-- the run's next state is written later and does. After a power cut in between the agent is asked again, and answers the
-- same.
create function note_news_of_run() returns trigger language plpgsql set search_path from current as $$
declare
  of_run uuid := coalesce(new.run_id, (select run_id from run_payments where job_id = new.job_id));
begin
  if of_run is not null then
    perform set_config('synchronous_commit', 'off', true);
    -- Whoever ends a job gives up its lease with the same statement. Of an order of the payer's own nobody tells the driver.
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

-- When each agent gets its next one, and how the last one went.
create table canaries (
  agent_id bigint primary key references agents,
  next_run_at timestamptz not null,
  lease_until timestamptz,
  job_id uuid,
  -- ok · failed · skipped: none was made, for a reason that is not the agent's doing
  outcome text check (outcome in ('ok', 'failed', 'skipped')),
  reason text,
  ran_at timestamptz
);
create index canaries_due on canaries (next_run_at);

-- What the platform's own daily jobs may have cost, by day: counted before anything is signed.
create table canary_days (
  day date primary key,
  spent_atomic numeric(78) not null check (spent_atomic >= 0)
);

-- The same for each owner, on the owner's agents.
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

-- What each payer's jobs at an agent came to.
create table agent_payers (
  agent_id bigint not null references agents,
  payer text not null,
  jobs_done bigint not null,
  -- Of the newest ten that count: paid for, and failed by the agent. And of the newest ten that were left out.
  paid smallint not null,
  failed smallint not null,
  left_out smallint not null,
  primary key (agent_id, payer)
);

-- The sums of these, so that nobody adds up an agent's jobs to show it.
create table agent_tallies (
  agent_id bigint primary key references agents,
  jobs_done bigint not null,
  -- Payers with at least one job done, and with one that counts as paid.
  payers bigint not null,
  paying bigint not null,
  paid bigint not null,
  failed bigint not null,
  left_out bigint not null,
  -- What half of the newest jobs that others paid for took at most, and what 95 % of them did; null before the first.
  job_p50_ms integer,
  job_p95_ms integer
);

-- The newest of a payer's jobs at an agent that count for or against it, and those that are left out.
create index jobs_judged on jobs (agent_id, payer, created_at desc, job_id)
  where kind = 'caller' and
    (fault = 'agent' or (state = 'completed' and not charged_without_delivery and transaction is not null));
-- Paid jobs as everybody may see them, an agent's and all: by the minute and, within it, by the hash of their job_id, so
-- that their order says nothing more. An agent's are also what tells how long its jobs take.
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

-- Mistyped words are found by their groups of three letters, which is what the extension pg_trgm is for. It comes with
-- PostgreSQL and any owner of a database may add it; where it is there already, nothing is asked for.
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

-- One row for each agent that search may find, in the form search asks for. Made anew from `agents` by indexAgent.
create table search_entries (
  agent_id bigint primary key references agents,
  -- Decides between equals: a number without meaning, so that nobody is ahead for having come early or late.
  position bigint not null,
  -- The name's words in order, as a query that names the agent has them.
  name_key text not null,
  -- Words, each once: how often one is repeated is not known here. Each set contains the one before it.
  name_words tsvector not null,
  capability_words tsvector not null,
  all_words tsvector not null,
  -- What is asked for exactly: capability=…, takes=…, gives=…, badge=… (and every lower one).
  tags text[] not null,
  is_provisional boolean not null,
  -- Earned, never written by the agent: the badge shown, then how many have paid it. The larger the earlier, as everywhere
  -- but for prices.
  standing integer not null,
  jobs_done bigint not null,
  -- The cheapest and the dearest capability; both the largest number there is where nothing is sold.
  min_price_atomic bigint not null,
  max_price_atomic bigint not null,
  -- The first 32 bits of each tag's SHA-256, badges aside; null where there are too many. What has them may have the tags.
  tag_hashes integer[]
  -- Vacuumed and counted sooner than usual: what is known to be visible need not be read, and common words are known as such.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.05);

-- Rare words and tags, together or alone. Without a list of pending entries: a search never pays for others' changes.
create index search_entries_words on search_entries
  using gin (name_words, capability_words, all_words, tags) with (fastupdate = off);
create index search_entries_by_name on search_entries (name_key, standing, position);
-- Common words: everybody is walked in the order that was asked for. The usual order has with it what is looked at on the
-- way, so that the table itself is not read; what an entry may hold is bounded for that (an index row takes 2,704 bytes),
-- and kept as it is, since it would be unpacked at each look.
alter table search_entries alter column name_words set storage external;
alter table search_entries alter column capability_words set storage external;
alter table search_entries alter column all_words set storage external;
alter table search_entries alter column tag_hashes set storage external;
create index search_entries_by_standing on search_entries (standing, position)
  include (agent_id, is_provisional, name_key, name_words, capability_words, all_words, tag_hashes);
create index search_entries_by_jobs on search_entries (jobs_done, position);
create index search_entries_by_price on search_entries (min_price_atomic, position);

-- How common a word is decides how it is searched for: ten times the usual sample of words.
alter table search_entries alter column name_words set statistics 1000;
alter table search_entries alter column capability_words set statistics 1000;
alter table search_entries alter column all_words set statistics 1000;
alter table search_entries alter column tags set statistics 1000;

-- What one capability costs, takes and gives, for questions about one and the same capability.
create table search_capabilities (
  agent_id bigint not null references search_entries on delete cascade,
  -- Compared without regard to case.
  capability_key text not null,
  capability text not null,
  ordinal integer not null,
  price_atomic bigint not null,
  -- takes=… and gives=…, as in search_entries.
  tags text[] not null,
  -- As its agent's.
  position bigint not null,
  -- The fields that a list shows, [name, type, required] in declared order, and how many there are.
  takes jsonb not null default '[]',
  takes_count integer not null default 0,
  gives jsonb not null default '[]',
  gives_count integer not null default 0,
  primary key (agent_id, capability_key)
);
create index search_capabilities_by_price on search_capabilities (capability_key, price_atomic, position);

-- Every word that was ever to be found, to guess from what a mistyped one was meant to be. Not unique: two agents that
-- bring the same new word at once do not wait for each other.
create table search_words (
  word text collate "C" not null
);
create index search_words_exactly on search_words (word);
create index search_words_alike on search_words using gin (word public.gin_trgm_ops);

------------------------------------------------------------------------------------------------------------------------
-- Owners and the operator
------------------------------------------------------------------------------------------------------------------------

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

-- Owners that made a secret here, what was last reported to the facilitator of why their gas is paid and how much (decision
-- 30 and decision 68), and what they were last told of their use.
create table secret_owners (
  owner text primary key,
  -- Null: not known, to be reported.
  reported text check (reported in ('listed', 'unlisted')),
  -- Wei, one sum for each badge, the lowest first.
  reported_stakes numeric[],
  reported_at timestamptz,
  -- A process is reporting it; until then no other does.
  leased_until timestamptz not null default '-infinity',
  -- What was read at another revision is not written down.
  revision bigint not null default 0,
  -- The UTC day of the newest notice, the limit it told of, and what: 1, four fifths are used; 2, all.
  noticed_day date,
  noticed_limit bigint,
  noticed_level smallint
);

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

------------------------------------------------------------------------------------------------------------------------
-- Flows
------------------------------------------------------------------------------------------------------------------------

-- One row for each flow that somebody keeps here. Its document is that of its newest version.
create table flows (
  flow_id uuid primary key,
  -- Who is signed in; lower-case address.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  -- Raised by every save: who saves on top of another is told so.
  revision integer not null default 1,
  -- The newest version.
  version integer not null default 1,
  -- As a list shows it: paid steps, and all pinned prices together.
  name text not null,
  jobs integer not null,
  price_atomic numeric(78) not null,
  -- Of all its versions.
  bytes bigint not null,
  -- A salted hash of the address that the newest save came from.
  saved_from text not null,
  -- The session that saved it last.
  saved_by uuid not null,
  -- Opens a copy for whoever has it: 128 random bits; null: it is not shared.
  share_id text unique,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create index flows_by_owner on flows (owner, changed_at desc, flow_id desc);
create index flows_by_origin on flows (saved_from);

-- Saves within ten minutes are one version; the newest hundred are kept, and of large ones fewer.
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

-- What the newest version of a flow orders. Without a reference to agents: a flow keeps what has gone.
create table flow_capabilities (
  flow_id uuid not null references flows on delete cascade,
  agent_id bigint not null,
  capability text not null,
  -- As it is pinned in every step that orders it, and the lowest price that is; null where they differ.
  hash text,
  price_atomic bigint not null,
  primary key (flow_id, agent_id, capability)
);
-- Whose flows a change of an agent concerns.
create index flow_capabilities_by_agent on flow_capabilities (agent_id, capability, flow_id);
