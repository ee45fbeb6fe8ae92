-- What arrives in the same moment goes in one transaction. Runs with search_path set to the schema.
--
-- Whatever locks several payments takes them in the order of their keys, which begin with chain, asset and payer: two
-- that do cannot wait for one another.

-- Holds, each with a verdict of its own; see hold. The outcomes are in the order of the requests.
create function hold_together(p_requests json) returns json language plpgsql set search_path from current as $$
declare
  request record;
  outcomes json[] := array_fill(null::json, array[json_array_length(p_requests)]);
begin
  for request in
    select * from rows from (json_to_recordset(p_requests) as (
        key text, network text, asset text, payer text, pay_to text, value numeric, valid_after bigint,
        valid_before bigint, nonce text, signature text, binding text, owner text, secret_id text, hold_id text,
        hold_until bigint, now bigint, balance numeric, block bigint, daily_settlements integer
      )) with ordinality as r (
        key, network, asset, payer, pay_to, value, valid_after, valid_before, nonce, signature, binding, owner,
        secret_id, hold_id, hold_until, now, balance, block, daily_settlements, place)
      order by key, place
  loop
    outcomes[request.place] := (
      select json_build_object(
          'outcome', h.outcome, 'held_until', h.held_until, 'transaction_hash', h.transaction_hash,
          'reason', h.reason, 'message', h.message, 'open_sum', h.open_sum::text,
          'settling_sum', h.settling_sum::text, 'barred_until', h.barred_until)
        from hold(
          request.key, request.network, request.asset, request.payer, request.pay_to, request.value,
          request.valid_after, request.valid_before, request.nonce, request.signature, request.binding,
          request.owner, request.secret_id, request.hold_id, request.hold_until, request.now, request.balance,
          request.block, request.daily_settlements) h);
  end loop;
  return array_to_json(outcomes);
end $$;

-- Captures, each with a verdict of its own; see capture. The outcomes are in the order of the requests.
create function capture_together(p_requests json) returns json language plpgsql set search_path from current as $$
declare
  request record;
  outcomes json[] := array_fill(null::json, array[json_array_length(p_requests)]);
begin
  for request in
    select * from rows from (json_to_recordset(p_requests) as (
        key text, binding text, owner text, pay_to text, value numeric, valid_after bigint, valid_before bigint
      )) with ordinality as r (key, binding, owner, pay_to, value, valid_after, valid_before, place)
      order by key, place
  loop
    outcomes[request.place] := (
      select row_to_json(c) from capture(
        request.key, request.binding, request.owner, request.pay_to, request.value, request.valid_after,
        request.valid_before) c);
  end loop;
  return array_to_json(outcomes);
end $$;

-- As before, with the payments locked in order.
create or replace function submit(
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
      returning secret_id
  ), counted as (
    insert into settlement_counts as c (secret_id, day, settlements)
      select secret_id, p_day, count(*) from changed group by secret_id order by secret_id
      on conflict (secret_id, day) do update set settlements = c.settlements + excluded.settlements
  )
  select count(*) into moved from changed;
  if moved <> cardinality(p_keys) then
    raise exception 'a payment is not captured any more' using errcode = 'FB001';
  end if;
  return new_id;
end $$;

-- As conclude, with the payments locked in order.
create function conclude_in_order(
  p_conclusions jsonb, p_closed_id bigint, p_closed_as text, p_now bigint, p_failures_allowed integer,
  p_barred_seconds integer
) returns setof text language plpgsql set search_path from current as $$
begin
  perform 1 from payments
    where key in (select c ->> 'key' from jsonb_array_elements(p_conclusions) c)
    order by key for no key update;
  return query
    select conclude(p_conclusions, p_closed_id, p_closed_as, p_now, p_failures_allowed, p_barred_seconds);
end $$;
