-- The ledger of payments and of the transactions that settle them. Runs with search_path set to the schema.

create table transactions (
  id               bigint generated always as identity primary key,
  network          text not null,
  relayer          text not null,
  nonce            bigint not null,
  state            text not null default 'open' check (state in ('open', 'mined', 'dropped')),
  -- Every hash it was signed under, newest last: any of them may be the one that is mined.
  hashes           text[] not null,
  raw              text not null,
  max_fee          numeric(78, 0) not null,
  priority_fee     numeric(78, 0) not null,
  saved_at         timestamptz not null default now(),
  closed_at        timestamptz
);

-- An account's nonce belongs to one transaction at a time.
create unique index transactions_open on transactions (network, relayer, nonce) where state = 'open';

create table payments (
  -- chain id : asset : payer : nonce, see paymentKey.
  key              text primary key,
  network          text not null,
  asset            text not null,
  payer            text not null,
  pay_to           text not null,
  value            numeric(78, 0) not null,
  valid_after      bigint not null,
  valid_before     bigint not null,
  nonce            text not null,
  signature        text not null,
  binding          text not null,
  owner            text not null,
  secret_id        text not null,
  state            text not null
    check (state in ('held', 'captured', 'submitted', 'settled', 'failed', 'released', 'expired')),
  hold_id          text not null,
  hold_until       bigint not null,
  observed_block   bigint not null,
  attempts         integer not null default 0,
  transaction_id   bigint references transactions,
  transaction_hash text not null default '',
  block_number     bigint,
  failure_reason   text,
  failure_message  text,
  -- Chain time of the reconciler's last look at a row that was not charged.
  audited_at       bigint not null default 0,
  created_at       timestamptz not null default now(),
  captured_at      timestamptz,
  changed_at       timestamptz not null default now(),
  check ((state = 'submitted') = (transaction_id is not null)),
  check ((state = 'settled') = (block_number is not null)),
  check ((state = 'failed') = (failure_reason is not null))
);

create unique index payments_hold on payments (hold_id);
create index payments_open on payments (network, payer) include (value)
  where state in ('held', 'captured', 'submitted');
create index payments_settled_of_payer on payments (network, payer, block_number) where state = 'settled';
create index payments_settled on payments (network, block_number) where state = 'settled';
create index payments_captured on payments (network, attempts, captured_at) where state = 'captured';
create index payments_submitted on payments (transaction_id) where state = 'submitted';
create index payments_held_until on payments (network, hold_until) where state = 'held';
create index payments_uncharged on payments (network, audited_at)
  where state in ('failed', 'released', 'expired');

-- Settlements a secret caused in a UTC day: its gas budget is counted in them.
create table settlement_counts (
  secret_id    text not null,
  day          date not null,
  settlements  integer not null,
  primary key (secret_id, day)
);

-- Payers whose settlements failed by their own fault, in a row.
create table payer_failures (
  network       text not null,
  payer         text not null,
  failures      integer not null,
  barred_until  bigint not null,
  primary key (network, payer)
);

create table sender_leases (
  network     text not null,
  relayer     text not null,
  holder      text not null,
  fence       bigint not null,
  expires_at  timestamptz not null,
  primary key (network, relayer)
);

create table secrets (
  id          text primary key,
  hash        bytea not null,
  owner       text not null,
  wallets     text[] not null,
  created_at  bigint not null,
  revoked_at  bigint
);

create index secrets_owner on secrets (owner);
