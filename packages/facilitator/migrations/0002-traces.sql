-- The trace of the request that held a payment (W3C Trace Context), for the log lines of its settlement, which happens
-- in the background. Null for earlier payments. No query uses it, so it has no index.
alter table payments add column trace text check (trace ~ '^[0-9a-f]{32}$');

-- Its arguments change, so it is created again.
drop function hold;

-- Reserves a payment; see PaymentLedger.hold for the outcomes. `p_use` is the usage of the owner, `p_limits` its
-- limits.
create function hold(
  p_key text, p_network text, p_asset text, p_payer text, p_pay_to text, p_value numeric,
  p_valid_after bigint, p_valid_before bigint, p_nonce text, p_signature text, p_binding text, p_owner text,
  p_secret_id text, p_hold_id text, p_hold_until bigint, p_now bigint, p_balance numeric, p_block bigint,
  p_alone boolean, p_trace text, p_use jsonb, p_limits jsonb, p_failures_allowed integer, p_barred_seconds integer,
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
    secret_id, state, hold_id, hold_until, observed_block, alone, trace
  ) values (
    p_key, p_network, p_asset, p_payer, p_pay_to, p_value, p_valid_after, p_valid_before, p_nonce,
    p_signature, p_binding, p_owner, p_secret_id, 'held', p_hold_id, p_hold_until, p_block, p_alone, p_trace
  ) on conflict (key) do update set
    hold_id = p_hold_id,
    hold_until = case when p.state = 'held' then greatest(p.hold_until, p_hold_until) else p_hold_until end,
    state = 'held', owner = p_owner, secret_id = p_secret_id, signature = p_signature,
    observed_block = p_block, alone = p_alone, trace = p_trace, audited_at = 0, audit_done = false, changed_at = now()
  returning p.hold_until into held_until;
  outcome := 'held';
end $$;

-- Concurrent holds, each with its own verdict; see hold. The outcomes are in the order of the requests.
create or replace function hold_together(p_requests json, p_failures_allowed integer, p_barred_seconds integer)
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
        hold_until bigint, now bigint, balance numeric, block bigint, alone boolean, trace text, limits jsonb
      )) with ordinality as r (
        key, network, asset, payer, pay_to, value, valid_after, valid_before, nonce, signature, binding, owner,
        secret_id, hold_id, hold_until, now, balance, block, alone, trace, limits, place)
      order by key, place
  loop
    select * into verdict from hold(
      request.key, request.network, request.asset, request.payer, request.pay_to, request.value,
      request.valid_after, request.valid_before, request.nonce, request.signature, request.binding,
      request.owner, request.secret_id, request.hold_id, request.hold_until, request.now, request.balance,
      request.block, request.alone, request.trace, uses -> request.owner, request.limits, p_failures_allowed,
      p_barred_seconds);
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
