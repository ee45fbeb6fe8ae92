-- One row for each job that the platform sent for somebody, written before it was sent.
create table jobs (
  -- Lower-case UUID v4.
  job_id uuid primary key,
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
  error_type text,
  error text,
  created_at timestamptz not null,
  -- When its agent's time is over.
  expires_at timestamptz not null,
  -- When it became completed or failed.
  finished_at timestamptz,
  -- From sending to the agent's last word.
  elapsed_ms integer,
  -- The transfer, once it is proven on the chain.
  transaction text,
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
  -- As valuable as a signed cheque: gone as soon as it is used up or dead.
  payment_header text,
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
  contents_deleted_at timestamptz,
  -- The signed statement, made once.
  receipt text,
  -- SHA-256 of the tokens that open this job, newest last; given to who proved to be the payer.
  token_hashes text[] not null default '{}',
  -- When somebody should look at it again; null: nothing is left to be done.
  next_look_at timestamptz,
  -- Held by a worker until then; free when past.
  lease_until timestamptz,
  lease_holder uuid,
  -- Sendings so far, and how many of the last ones in a row were answered by something that is no agent.
  sendings integer not null default 0,
  foreign_answers integer not null default 0
);

-- One payment pays for one job (D6).
create unique index jobs_by_payment on jobs (payer, nonce, network);
create index jobs_due on jobs (next_look_at) where next_look_at is not null;
create index jobs_with_contents on jobs (created_at) where contents_deleted_at is null;

create index jobs_by_agent on jobs (agent_id, created_at desc);
create index jobs_by_payer on jobs (payer, created_at desc);
create index jobs_unanswered on jobs (expires_at) where state = 'sent';
create index jobs_open_by_agent on jobs (agent_id) where state in ('sent', 'pending');
create index jobs_open_by_payer on jobs (payer) where state in ('sent', 'pending');
create index jobs_canary on jobs (agent_id, created_at) where kind = 'canary';

-- What receipts are signed with. Public parts are kept for good, so that old receipts can be checked.
create table platform_keys (
  -- RFC 7638 thumbprint.
  key_id text primary key,
  public_jwk jsonb not null,
  -- Null once it is retired.
  private_jwk jsonb,
  created_at timestamptz not null,
  retired_at timestamptz,
  check ((private_jwk is null) = (retired_at is not null))
);

create unique index platform_keys_active on platform_keys ((true)) where retired_at is null;

-- What the platform's own daily jobs may have cost, by day: counted before anything is signed.
create table canary_days (
  day date primary key,
  spent_atomic numeric(78) not null check (spent_atomic >= 0)
);

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
