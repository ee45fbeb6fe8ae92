-- The ledger: payments, the transactions that settle them, and what their payers and owners have used.
--
-- Runs with search_path set to the schema. Whatever locks several payments takes them in the order of their keys, which
-- begin with chain, asset and payer, and owners before payers: of any two that do, neither can wait for the other. Once a
-- version of this is deployed, the file stays as it is, and changes follow in files of higher numbers.

------------------------------------------------------------------------------------------------------------------------
-- Tables
------------------------------------------------------------------------------------------------------------------------

-- Transactions that were signed and sent to the chain.
create table transactions (
  id               bigint generated always as identity primary key,
  network          text not null,
  relayer          text not null,
  nonce            bigint not null,
  state            text not null default 'open' check (state in ('open', 'mined', 'dropped')),
  -- Every hash under which it was signed, newest last: any of them may be mined.
  hashes           text[] not null,
  raw              text not null,
  max_fee          numeric(78, 0) not null,
  priority_fee     numeric(78, 0) not null,
  saved_at         timestamptz not null default now(),
  closed_at        timestamptz
);

-- An account's nonce belongs to one transaction at a time.
create unique index transactions_open on transactions (network, relayer, nonce) where state = 'open';

-- One row for each authorization that was ever held, for ever unless it came to nothing.
--
--   held ──▶ captured ──▶ submitted ──▶ settled
--    │           └────────────┴───────▶ failed
--    ├──▶ released
--    └──▶ expired
create table payments (
  -- chain id : asset : payer : nonce, see paymentKey.
  key              text primary key,

  -- The authorization as signed.
  network          text not null,
  asset            text not null,
  payer            text not null,
  pay_to           text not null,
  value            numeric(78, 0) not null,
  valid_after      bigint not null,
  valid_before     bigint not null,
  nonce            text not null,
  signature        text not null,

  -- The job that it pays for, and its owner.
  binding          text not null,
  owner            text not null,
  secret_id        text not null,

  state            text not null
    check (state in ('held', 'captured', 'submitted', 'settled', 'failed', 'released', 'expired')),
  hold_id          text not null,
  hold_until       bigint not null,
  -- The newest block at which the payer's balance, or the outcome of the payment, was read.
  observed_block   bigint not null,

  -- Sent in a transaction of its own, because its payer's account has unknown code.
  alone            boolean not null default false,
  -- How often it was removed from a transaction, and how often one of our transactions did not pay it although no other
  -- payment was the cause.
  attempts         integer not null default 0,
  faults           integer not null default 0,
  -- A transaction failed with it through no fault of its own: it goes before all others.
  harmed           boolean not null default false,
  -- If several processes share the ledger: the one that is about to send it, and until when others leave it alone.
  claimed_by       text not null default '',
  claimed_until    timestamptz,

  -- Its transaction, and the hash under which its agent can look it up.
  transaction_id   bigint references transactions,
  transaction_hash text not null default '',
  block_number     bigint,
  failure_reason   text,
  failure_message  text,

  -- Chain time of the reconciler's last check of a row that was not charged.
  audited_at       bigint not null default 0,
  -- The reconciler has compared the row with a chain past the end of its authorization and finality.
  audit_done       boolean not null default false,
  -- Settled for so long, and seen so often, that it is not checked again.
  confirmed        boolean not null default false,

  created_at       timestamptz not null default now(),
  captured_at      timestamptz,
  -- When it was first settled, by our own time: its agent was notified then, so this never changes.
  settled_at       timestamptz,
  changed_at       timestamptz not null default now(),

  check ((state = 'submitted') = (transaction_id is not null)),
  check ((state = 'settled') = (block_number is not null)),
  check ((state = 'failed') = (failure_reason is not null))
);

-- The open payments of a payer and an owner, and the amount that a payer paid since a balance was read.
create unique index payments_hold on payments (hold_id);
create index payments_open on payments (network, payer) include (value)
  where state in ('held', 'captured', 'submitted');
create index payments_open_of_owner on payments (owner) where state in ('held', 'captured', 'submitted');
create index payments_settled_of_payer on payments (network, payer, block_number) where state = 'settled';

-- The next work: payments to send, follow or expire.
create index payments_captured on payments (network) where state = 'captured';
create index payments_submitted on payments (transaction_id) where state = 'submitted';
create index payments_held_until on payments (network, hold_until) where state = 'held';

-- Rows to compare with the chain.
create index payments_settled on payments (network, block_number) where state = 'settled';
create index payments_unconfirmed on payments (network, settled_at) where state = 'settled' and not confirmed;
create index payments_to_audit on payments (network, (state <> 'failed'), audited_at)
  where state in ('failed', 'released', 'expired') and not audit_done;
-- Failed rows that can never be paid, until they are deleted.
create index payments_done_with on payments (network, audited_at)
  where state in ('released', 'expired') and audit_done;

-- The process that may send from an account, and until when.
create table sender_leases (
  network     text not null,
  relayer     text not null,
  holder      text not null,
  fence       bigint not null,
  expires_at  timestamptz not null,
  primary key (network, relayer)
);

-- The secrets with which agents authenticate.
create table secrets (
  id          text primary key,
  hash        bytea not null,
  owner       text not null,
  -- The wallets to which it may accept payments.
  wallets     text[] not null,
  -- Its label, and the secret that it replaces.
  label       text,
  replaces    text,
  created_at  bigint not null,
  revoked_at  bigint,
  -- To the minute: written at most once a minute.
  last_used_at  bigint
);

create index secrets_owner on secrets (owner);
-- A platform shows an owner every secret that accepts payments to a wallet of theirs, regardless of its creator.
create index secrets_wallets on secrets using gin (wallets);

-- The owners whose settlement gas the operator pays. Owners without a row are named: their secrets were created with
-- the service token, without a statement about them.
create table owners (
  owner        text primary key,
  sponsorship  text not null check (sponsorship in ('named', 'listed', 'unlisted')),
  -- Settlements a UTC day that a platform grants a listed owner; null: those of every listed owner.
  granted      integer check (granted > 0)
);

-- The usage of an owner in a UTC day. It belongs to the owner, not to a secret, so that a new secret does not reset it.
create table owner_use (
  owner         text not null,
  day           date not null,
  settlements   integer not null default 0,
  reverted_gas  bigint not null default 0,
  primary key (owner, day)
);

-- Today's rows are counted for the metrics.
create index owner_use_by_day on owner_use (day);

-- Gas of transactions that were reverted with payments of this payer, in a UTC day.
create table payer_gas (
  network       text not null,
  payer         text not null,
  day           date not null,
  reverted_gas  bigint not null,
  primary key (network, payer, day)
);

-- Consecutive settlements that failed by the payer's own fault, for each pair of payer and owner.
create table payer_failures (
  network       text not null,
  payer         text not null,
  owner         text not null,
  failures      integer not null,
  failed_at     bigint not null,
  barred_until  bigint not null,
  primary key (network, payer, owner)
);

------------------------------------------------------------------------------------------------------------------------
-- Hold and capture: the two steps agents wait for, each one round trip
------------------------------------------------------------------------------------------------------------------------

-- In PL/pgSQL, here and below, because a session plans such a function once; a function in SQL is planned at every
-- call.
--
-- Until when this owner may not hold a payment of this payer; null if it may. One owner's failures count for that
-- owner, and at most twice for the others; those of unlisted owners, who cost nothing to create, count for no other
-- owner.
create function barring_end(
  p_network text, p_payer text, p_owner text, p_now bigint, p_failures_allowed integer, p_barred_seconds integer
)
returns bigint language plpgsql stable set search_path from current as $$
begin
  return (
    select greatest(
      (select f.barred_until from payer_failures f
        where f.network = p_network and f.payer = p_payer and f.owner = p_owner and f.barred_until > p_now),
      (select max(f.failed_at) + p_barred_seconds
        from payer_failures f left join owners o on o.owner = f.owner
        where f.network = p_network and f.payer = p_payer and f.failed_at > p_now - p_barred_seconds
          and coalesce(o.sponsorship, 'named') <> 'unlisted'
        having sum(least(f.failures, 2)) >= p_failures_allowed)));
end $$;

-- The number of settlements of an owner in a UTC day; null: no limit. `p_limits` are the limits of owners.
create function daily_limit(p_sponsorship text, p_granted integer, p_limits jsonb)
returns integer language sql immutable as $$
  select case when p_sponsorship = 'listed' and p_granted is not null
    then least(p_granted, (p_limits ->> 'granted_at_most')::integer)
    else (p_limits -> 'daily_settlements' ->> p_sponsorship)::integer end
$$;

-- The usage and the open payments of an owner at this time.
create function owner_use_now(p_owner text, p_now bigint)
returns jsonb language plpgsql stable set search_path from current as $$
begin
  return (
    select jsonb_build_object(
      'sponsorship', coalesce(max(o.sponsorship), 'named'), 'granted', max(o.granted),
      'settlements', coalesce(max(u.settlements), 0),
      'reverted_gas', coalesce(max(u.reverted_gas), 0),
      'open', max(p.open), 'alone', max(p.alone), 'unsent', max(p.unsent))
    from (
      select count(*) as open, count(*) filter (where alone) as alone,
          count(*) filter (where state <> 'submitted') as unsent
        from payments
        where owner = p_owner and state in ('held', 'captured', 'submitted')
          and (state <> 'held' or hold_until > p_now)) p
    left join owner_use u on u.owner = p_owner and u.day = (to_timestamp(p_now) at time zone 'UTC')::date
    left join owners o on o.owner = p_owner);
end $$;

-- Reserves a payment; see PaymentLedger.hold for the outcomes. `p_use` is the usage of the owner, `p_limits` its
-- limits.
create function hold(
  p_key text, p_network text, p_asset text, p_payer text, p_pay_to text, p_value numeric,
  p_valid_after bigint, p_valid_before bigint, p_nonce text, p_signature text, p_binding text, p_owner text,
  p_secret_id text, p_hold_id text, p_hold_until bigint, p_now bigint, p_balance numeric, p_block bigint,
  p_alone boolean, p_use jsonb, p_limits jsonb, p_failures_allowed integer, p_barred_seconds integer,
  out outcome text, out held_until bigint, out transaction_hash text, out reason text, out message text,
  out open_sum numeric, out settling_sum numeric, out barred_until bigint, out used integer, out daily_limit integer
) language plpgsql set search_path from current as $$
declare
  found_row payments%rowtype;
  counted integer := 0;
begin
  -- One hold of a payer at a time, in any process: otherwise two could both use the same balance.
  perform pg_advisory_xact_lock(hashtextextended(p_network || p_payer, 0));

  select * into found_row from payments where key = p_key for update;
  if found then
    if (found_row.binding, found_row.pay_to, found_row.value, found_row.valid_after, found_row.valid_before)
        is distinct from (p_binding, p_pay_to, p_value, p_valid_after, p_valid_before) then
      outcome := 'bound-otherwise';
      return;
    elsif found_row.state in ('captured', 'submitted', 'settled') then
      outcome := 'in-settlement';
      transaction_hash := found_row.transaction_hash;
      return;
    elsif found_row.state = 'failed' then
      outcome := 'failed';
      reason := found_row.failure_reason;
      message := found_row.failure_message;
      return;
    elsif found_row.state = 'held' and found_row.hold_until > p_now and found_row.owner = p_owner then
      counted := 1;
    end if;
  end if;

  barred_until := barring_end(p_network, p_payer, p_owner, p_now, p_failures_allowed, p_barred_seconds);
  if barred_until is not null then
    outcome := 'payer-barred';
    return;
  end if;

  used := (p_use ->> 'settlements')::integer + (p_use ->> 'unsent')::integer - counted;
  daily_limit := daily_limit(p_use ->> 'sponsorship', (p_use ->> 'granted')::integer, p_limits);
  if used >= daily_limit then
    outcome := 'over-budget';
    return;
  end if;
  used := used + 1;
  if (p_use ->> 'open')::integer - counted >= (p_limits ->> 'open')::integer then
    outcome := 'owner-too-many-open';
    return;
  end if;
  if p_alone then
    if p_use ->> 'sponsorship' = 'unlisted' then
      outcome := 'code-not-sponsored';
      return;
    elsif (p_use ->> 'alone')::integer - counted >= (p_limits ->> 'open_alone')::integer then
      outcome := 'owner-too-many-open';
      return;
    elsif (p_use ->> 'reverted_gas')::bigint >= (p_limits ->> 'reverted_gas')::bigint or exists (
        select 1 from payer_gas g where g.network = p_network and g.payer = p_payer
          and g.day = (to_timestamp(p_now) at time zone 'UTC')::date) then
      outcome := 'gas-used-up';
      return;
    end if;
  end if;

  -- A payer that signs without end, and pays nothing, must not make the sum below slow for all.
  perform 1 from payments p
    where p.network = p_network and p.payer = p_payer and p.key <> p_key
      and p.state in ('held', 'captured', 'submitted')
    offset 999 limit 1;
  if found then
    outcome := 'too-many-open';
    return;
  end if;

  select coalesce(sum(p.value), 0), coalesce(sum(p.value) filter (where p.state = 'submitted'), 0)
    into open_sum, settling_sum
    from payments p
    where p.network = p_network and p.payer = p_payer and p.key <> p_key
      and p.state in ('held', 'captured', 'submitted') and (p.state <> 'held' or p.hold_until > p_now);
  open_sum := open_sum + (
    select coalesce(sum(p.value), 0) from payments p
      where p.network = p_network and p.payer = p_payer and p.state = 'settled' and p.block_number > p_block);
  if p_balance - open_sum < p_value then
    outcome := 'insufficient';
    return;
  end if;

  insert into payments as p (
    key, network, asset, payer, pay_to, value, valid_after, valid_before, nonce, signature, binding, owner,
    secret_id, state, hold_id, hold_until, observed_block, alone
  ) values (
    p_key, p_network, p_asset, p_payer, p_pay_to, p_value, p_valid_after, p_valid_before, p_nonce,
    p_signature, p_binding, p_owner, p_secret_id, 'held', p_hold_id, p_hold_until, p_block, p_alone
  ) on conflict (key) do update set
    hold_id = p_hold_id,
    hold_until = case when p.state = 'held' then greatest(p.hold_until, p_hold_until) else p_hold_until end,
    state = 'held', owner = p_owner, secret_id = p_secret_id, signature = p_signature,
    observed_block = p_block, alone = p_alone, audited_at = 0, audit_done = false, changed_at = now()
  returning p.hold_until into held_until;
  outcome := 'held';
end $$;

-- Concurrent holds, each with its own verdict; see hold. The outcomes are in the order of the requests.
create function hold_together(p_requests json, p_failures_allowed integer, p_barred_seconds integer)
returns json language plpgsql set search_path from current as $$
declare
  request record;
  verdict record;
  outcomes json[] := array_fill(null::json, array[json_array_length(p_requests)]);
  uses jsonb := '{}';
begin
  -- Two processes must not both use the rest of a limit. Owners before payers, each in order, so that no two can
  -- deadlock. Named owners have no limit for which a few too many would matter.
  perform pg_advisory_xact_lock(hashtextextended('owner ' || o.owner, 0))
    from (
      select o.owner from owners o
        where o.sponsorship <> 'named' and o.owner in (select r ->> 'owner' from json_array_elements(p_requests) r)
        order by o.owner) o;
  select jsonb_object_agg(r.owner, owner_use_now(r.owner, r.now)) into uses
    from (
      select r ->> 'owner' as owner, max((r ->> 'now')::bigint) as now
        from json_array_elements(p_requests) r group by 1) r;
  for request in
    select * from rows from (json_to_recordset(p_requests) as (
        key text, network text, asset text, payer text, pay_to text, value numeric, valid_after bigint,
        valid_before bigint, nonce text, signature text, binding text, owner text, secret_id text, hold_id text,
        hold_until bigint, now bigint, balance numeric, block bigint, alone boolean, limits jsonb
      )) with ordinality as r (
        key, network, asset, payer, pay_to, value, valid_after, valid_before, nonce, signature, binding, owner,
        secret_id, hold_id, hold_until, now, balance, block, alone, limits, place)
      order by key, place
  loop
    select * into verdict from hold(
      request.key, request.network, request.asset, request.payer, request.pay_to, request.value,
      request.valid_after, request.valid_before, request.nonce, request.signature, request.binding,
      request.owner, request.secret_id, request.hold_id, request.hold_until, request.now, request.balance,
      request.block, request.alone, uses -> request.owner, request.limits, p_failures_allowed, p_barred_seconds);
    if verdict.outcome = 'held' then
      uses := jsonb_set(uses, array[request.owner], (uses -> request.owner) || jsonb_build_object(
        'open', (uses -> request.owner ->> 'open')::integer + 1,
        'unsent', (uses -> request.owner ->> 'unsent')::integer + 1,
        'alone', (uses -> request.owner ->> 'alone')::integer + request.alone::integer));
    end if;
    outcomes[request.place] := json_build_object(
      'outcome', verdict.outcome, 'held_until', verdict.held_until, 'transaction_hash', verdict.transaction_hash,
      'reason', verdict.reason, 'message', verdict.message, 'open_sum', verdict.open_sum::text,
      'settling_sum', verdict.settling_sum::text, 'barred_until', verdict.barred_until,
      'used', verdict.used, 'daily_limit', verdict.daily_limit);
  end loop;
  return array_to_json(outcomes);
end $$;

-- Turns a hold into a charge; see PaymentLedger.capture.
create function capture(
  p_key text, p_binding text, p_owner text, p_pay_to text, p_value numeric, p_valid_after bigint,
  p_valid_before bigint, p_limits jsonb default null, p_now bigint default null,
  out outcome text, out first boolean, out transaction_hash text, out reason text, out message text,
  out used integer, out daily_limit integer
) language plpgsql set search_path from current as $$
declare
  found_row payments%rowtype;
  today jsonb;
begin
  first := false;
  -- An expired hold is no longer counted: without a bound an owner could charge any number of them in a day.
  if p_limits is not null and exists (
      select 1 from payments p
        where p.key = p_key and p.owner = p_owner
          and (p.state = 'expired' or p.state = 'held' and p.hold_until <= p_now)) then
    today := owner_use_now(p_owner, p_now);
    used := (today ->> 'settlements')::integer + (today ->> 'unsent')::integer;
    daily_limit := daily_limit(today ->> 'sponsorship', (today ->> 'granted')::integer, p_limits);
    if used >= 2::bigint * daily_limit then
      outcome := 'over-budget';
      return;
    end if;
  end if;
  update payments p set state = 'captured', captured_at = now(), changed_at = now()
    where p.key = p_key and p.state in ('held', 'expired') and p.binding = p_binding and p.owner = p_owner
      and p.pay_to = p_pay_to and p.value = p_value and p.valid_after = p_valid_after
      and p.valid_before = p_valid_before;
  if found then
    outcome := 'captured';
    first := true;
    transaction_hash := '';
    return;
  end if;

  -- FOR SHARE waits for a concurrent change of the row, and then sees the new version.
  select * into found_row from payments where key = p_key for share;
  if not found then
    outcome := 'absent';
  elsif (found_row.binding, found_row.owner, found_row.pay_to, found_row.value, found_row.valid_after,
      found_row.valid_before)
      is distinct from (p_binding, p_owner, p_pay_to, p_value, p_valid_after, p_valid_before) then
    outcome := 'bound-otherwise';
  else
    outcome := case found_row.state when 'submitted' then 'captured' else found_row.state end;
    transaction_hash := found_row.transaction_hash;
    reason := found_row.failure_reason;
    message := found_row.failure_message;
  end if;
end $$;

-- Concurrent captures, each with its own verdict; see capture. The outcomes are in the order of the requests.
create function capture_together(p_requests json) returns json language plpgsql set search_path from current as $$
declare
  request record;
  outcomes json[] := array_fill(null::json, array[json_array_length(p_requests)]);
begin
  for request in
    select * from rows from (json_to_recordset(p_requests) as (
        key text, binding text, owner text, pay_to text, value numeric, valid_after bigint, valid_before bigint,
        limits jsonb, now bigint
      )) with ordinality as r (
        key, binding, owner, pay_to, value, valid_after, valid_before, limits, now, place)
      order by key, place
  loop
    outcomes[request.place] := (
      select row_to_json(c) from capture(
        request.key, request.binding, request.owner, request.pay_to, request.value, request.valid_after,
        request.valid_before, request.limits, request.now) c);
  end loop;
  return array_to_json(outcomes);
end $$;

------------------------------------------------------------------------------------------------------------------------
-- Settle: the sender's steps, each all or nothing
------------------------------------------------------------------------------------------------------------------------

-- Is the lease held under this fence? It stays held until the caller's transaction ends.
create function holds_lease(p_network text, p_relayer text, p_fence bigint)
returns boolean language plpgsql set search_path from current as $$
begin
  return (
    select exists (
      select 1 from sender_leases
        where network = p_network and relayer = p_relayer and fence = p_fence and expires_at > clock_timestamp()
        for share));
end $$;

-- May this process send a payment with such a claim? A claim is not renewed, and for the same time again it keeps its
-- own process off: a process that cannot send, because of its node or its gas money, must not block the others.
create function may_claim(p_claimed_by text, p_claimed_until timestamptz, p_holder text)
returns boolean language sql volatile as $$
  select p_claimed_until is null
    or case when p_claimed_by = p_holder
      then p_claimed_until >= clock_timestamp() or p_claimed_until < clock_timestamp() - interval '3 seconds'
      else p_claimed_until < clock_timestamp() end
$$;

-- The captured payments whose turn it is, in order: those sent together, and those sent alone. Payments delayed by
-- failures of others come first. Then owners take turns, within an owner its payers, and within a payer the
-- authorization that ends first. If other processes share the ledger, the returned payments are claimed for a few
-- seconds, so that each process sends others. `p_relayers` are the accounts whose leases the caller holds.
create function take_turns(
  p_network text, p_relayers text[], p_holder text, p_limit integer, p_limit_alone integer,
  out together text[], out apart text[]
) language plpgsql set search_path from current as $$
declare
  is_shared boolean;
begin
  is_shared := exists (
    select 1 from sender_leases
      where network = p_network and relayer <> all (p_relayers) and expires_at > clock_timestamp());
  with waiting as (
    select key, owner, alone, harmed, faults, valid_before, captured_at,
        row_number() over (
          partition by alone, owner, payer order by harmed desc, faults, valid_before, captured_at, key) as place
      from payments
      where network = p_network and state = 'captured' and (
        not is_shared or may_claim(claimed_by, claimed_until, p_holder))
  ), turns as (
    select *, row_number() over (
        partition by alone, owner order by harmed desc, place, faults, valid_before, captured_at, key) as turn
      from waiting
  ), ranked as (
    select key, alone, row_number() over (
        partition by alone order by harmed desc, turn, faults, valid_before, captured_at, key) as rank
      from turns
  )
  select coalesce(array_agg(key order by rank) filter (where not alone), '{}'),
      coalesce(array_agg(key order by rank) filter (where alone), '{}')
    into together, apart
    from ranked
    where rank <= case when alone then p_limit_alone else p_limit end * case when is_shared then 4 else 1 end;
  if is_shared then
    -- A lost claim costs nothing: the first process that submits has the payment.
    perform set_config('synchronous_commit', 'off', true);
    together := claim(together, p_holder, p_limit);
    apart := claim(apart, p_holder, p_limit_alone);
  end if;
end $$;

-- Claims the first of these that no other process has claimed.
create function claim(p_keys text[], p_holder text, p_limit integer)
returns text[] language sql set search_path from current as $$
  with free as materialized (
    select p.key from payments p
      where p.key = any (p_keys) and p.state = 'captured'
        and may_claim(p.claimed_by, p.claimed_until, p_holder)
      order by array_position(p_keys, p.key) limit p_limit
      for no key update skip locked
  ), claimed as (
    update payments p set claimed_by = p_holder, claimed_until = case
        when p.claimed_by = p_holder and p.claimed_until >= clock_timestamp() then p.claimed_until
        else clock_timestamp() + interval '3 seconds' end
      from free where p.key = free.key returning p.key
  )
  select coalesce(array_agg(key order by array_position(p_keys, key)), '{}') from claimed
$$;

-- Saves a signed transaction and moves its payments into it, counted for their owners; see SettlementLedger.submit.
create function submit(
  p_network text, p_relayer text, p_fence bigint, p_nonce bigint, p_hash text, p_raw text, p_max_fee numeric,
  p_priority_fee numeric, p_keys text[], p_day date
) returns bigint language plpgsql set search_path from current as $$
declare
  new_id bigint;
  moved integer;
begin
  if not holds_lease(p_network, p_relayer, p_fence) then
    return null;
  end if;
  insert into transactions (network, relayer, nonce, hashes, raw, max_fee, priority_fee)
    values (p_network, p_relayer, p_nonce, array[p_hash], p_raw, p_max_fee, p_priority_fee)
    on conflict do nothing
    returning id into new_id;
  if new_id is null then
    return null;
  end if;
  perform 1 from payments where key = any (p_keys) order by key for no key update;
  with changed as (
    update payments
      set state = 'submitted', transaction_id = new_id, transaction_hash = p_hash, changed_at = now()
      where key = any (p_keys) and state = 'captured'
      returning owner
  ), counted as (
    insert into owner_use as u (owner, day, settlements)
      select owner, p_day, count(*) from changed group by owner order by owner
      on conflict (owner, day) do update set settlements = u.settlements + excluded.settlements
  )
  select count(*) into moved from changed;
  if moved <> cardinality(p_keys) then
    raise exception 'a payment is not captured any more' using errcode = 'FB001';
  end if;
  return new_id;
end $$;

-- Captures a payment and saves the transaction that carries only this payment; see SettlementLedger.captureAndSubmit.
create function capture_and_submit(
  p_network text, p_relayer text, p_fence bigint, p_nonce bigint, p_hash text, p_raw text, p_max_fee numeric,
  p_priority_fee numeric, p_request json, p_day date, out captured json, out id bigint
) language plpgsql set search_path from current as $$
declare
  asked record;
  outcome record;
begin
  select * into asked from json_to_record(p_request) as (
    key text, binding text, owner text, pay_to text, value numeric, valid_after bigint, valid_before bigint,
    limits jsonb, now bigint);
  select * into outcome from capture(
    asked.key, asked.binding, asked.owner, asked.pay_to, asked.value, asked.valid_after, asked.valid_before,
    asked.limits, asked.now);
  captured := row_to_json(outcome);
  if outcome.first and not (select p.alone from payments p where p.key = asked.key) then
    id := submit(
      p_network, p_relayer, p_fence, p_nonce, p_hash, p_raw, p_max_fee, p_priority_fee, array[asked.key], p_day);
  end if;
end $$;

-- Saves another signature of an open transaction; see SettlementLedger.replace.
create function replace_transaction(
  p_network text, p_relayer text, p_fence bigint, p_id bigint, p_hash text, p_raw text, p_max_fee numeric,
  p_priority_fee numeric
) returns boolean language plpgsql set search_path from current as $$
begin
  if not holds_lease(p_network, p_relayer, p_fence) then
    return false;
  end if;
  update transactions
    set hashes = hashes || p_hash, raw = p_raw, max_fee = p_max_fee, priority_fee = p_priority_fee
    where id = p_id and state = 'open';
  if not found then
    return false;
  end if;
  update payments set transaction_hash = p_hash where transaction_id = p_id and state = 'submitted';
  return true;
end $$;

-- Records the chain's decisions about one transaction or several; see SettlementLedger.conclude. Returns the keys that
-- changed. `p_closed` names the transactions that ended, and how: [{"id", "as"}].
create function conclude(
  p_conclusions jsonb, p_closed jsonb, p_now bigint, p_failures_allowed integer, p_barred_seconds integer
) returns setof text language plpgsql set search_path from current as $$
declare
  today date := (to_timestamp(p_now) at time zone 'UTC')::date;
begin
  perform 1 from payments p
    where p.key in (
      select c ->> 'key' from jsonb_array_elements(p_conclusions) c
      union
      select d.key from jsonb_array_elements(p_conclusions) c
        join payments q on q.key = c ->> 'key'
        join payments d on d.network = q.network and d.payer = q.payer and d.state in ('held', 'captured') and d.alone
        where (c ->> 'drops_payer')::boolean)
    order by p.key for no key update;
  return query
  with conclusion as (
    select * from jsonb_to_recordset(p_conclusions) as c (
      key text, "from" text, "to" text, transaction text, block_number bigint, observed_block bigint,
      reason text, message text, blamed boolean, is_fault boolean, has_code boolean, reverted_gas bigint,
      drops_payer boolean)
  ), changed as (
    update payments p set
      state = c."to",
      transaction_id = null,
      transaction_hash = case when c."to" = 'captured' then '' else c.transaction end,
      attempts = p.attempts + case when c."to" = 'captured' and p.state <> 'captured' then 1 else 0 end,
      faults = p.faults + coalesce(c.is_fault, false)::integer,
      harmed = c."to" = 'captured' and p.state <> 'captured' and not coalesce(c.is_fault, false),
      alone = p.alone or coalesce(c.has_code, false),
      claimed_until = null,
      block_number = c.block_number,
      observed_block = greatest(p.observed_block, coalesce(c.observed_block, 0)),
      failure_reason = c.reason,
      failure_message = c.message,
      changed_at = now()
    from conclusion c
    where p.key = c.key and p.state = c."from"
    returning p.key, p.network, p.payer, p.owner, c."to", coalesce(c.blamed, false) as blamed,
      coalesce(c.reverted_gas, 0) as reverted_gas, coalesce(c.drops_payer, false) as drops_payer, c.reason,
      c.message
  ), dropped as (
    update payments p set
      state = 'failed', failure_reason = d.reason, failure_message = d.message, changed_at = now()
    from (select distinct on (network, payer) network, payer, reason, message from changed where drops_payer) d
    where p.network = d.network and p.payer = d.payer and p.alone and p.state in ('held', 'captured')
      and p.key not in (select c.key from conclusion c)
    returning p.key
  ), forgiven as (
    delete from payer_failures f using changed
      where f.network = changed.network and f.payer = changed.payer and f.owner = changed.owner
        and changed."to" = 'settled'
  ), blamed as (
    insert into payer_failures as f (network, payer, owner, failures, failed_at, barred_until)
      select changed.network, changed.payer, changed.owner, count(*), p_now,
        case when count(*) >= p_failures_allowed then p_now + p_barred_seconds else 0 end
      from changed where changed.blamed
        and not exists (
          select 1 from changed other
            where other.payer = changed.payer and other.owner = changed.owner and other."to" = 'settled')
      group by changed.network, changed.payer, changed.owner order by 1, 2, 3
      on conflict (network, payer, owner) do update set
        failures = f.failures + excluded.failures,
        failed_at = p_now,
        barred_until = case
          when f.failures + excluded.failures >= p_failures_allowed then p_now + p_barred_seconds else 0 end
  ), gas_of_owner as (
    insert into owner_use as u (owner, day, reverted_gas)
      select owner, today, sum(reverted_gas) from changed where reverted_gas > 0 group by owner order by owner
      on conflict (owner, day) do update set reverted_gas = u.reverted_gas + excluded.reverted_gas
  ), gas_of_payer as (
    insert into payer_gas as g (network, payer, day, reverted_gas)
      select network, payer, today, sum(reverted_gas) from changed
        where reverted_gas > 0 group by network, payer order by network, payer
      on conflict (network, payer, day) do update set reverted_gas = g.reverted_gas + excluded.reverted_gas
  )
  select changed.key from changed union all select dropped.key from dropped;

  update transactions t set state = c."as", closed_at = now()
    from jsonb_to_recordset(p_closed) as c (id bigint, "as" text)
    where t.id = c.id and t.state = 'open';
end $$;

-- For every settlement of a row: the time is that of the first.
create function note_settled() returns trigger language plpgsql set search_path from current as $$
begin
  new.settled_at := coalesce(old.settled_at, now());
  new.confirmed := false;
  return new;
end $$;
create trigger payments_settled_at before update on payments
  for each row when (new.state = 'settled' and (old.state <> 'settled' or old.block_number <> new.block_number))
  execute function note_settled();
