-- The sender's steps, each all or nothing. Runs with search_path set to the schema.

-- Saves a signed transaction and moves its payments into it; see SettlementLedger.submit.
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
  with changed as (
    update payments
      set state = 'submitted', transaction_id = new_id, transaction_hash = p_hash, changed_at = now()
      where key = any (p_keys) and state = 'captured'
      returning secret_id
  ), counted as (
    insert into settlement_counts as c (secret_id, day, settlements)
      select secret_id, p_day, count(*) from changed group by secret_id
      on conflict (secret_id, day) do update set settlements = c.settlements + excluded.settlements
  )
  select count(*) into moved from changed;
  if moved <> cardinality(p_keys) then
    raise exception 'a payment is not captured any more' using errcode = 'FB001';
  end if;
  return new_id;
end $$;

-- Is the lease held under this fence? Holding it stays true until the caller's transaction ends.
create function holds_lease(p_network text, p_relayer text, p_fence bigint)
returns boolean language sql set search_path from current as $$
  select exists (
    select 1 from sender_leases
      where network = p_network and relayer = p_relayer and fence = p_fence and expires_at > clock_timestamp()
      for share)
$$;

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

-- Writes down what the chain decided; see SettlementLedger.conclude. Returns the keys that changed.
create function conclude(
  p_conclusions jsonb, p_closed_id bigint, p_closed_as text, p_now bigint, p_failures_allowed integer,
  p_barred_seconds integer
) returns setof text language plpgsql set search_path from current as $$
begin
  return query
  with conclusion as (
    select * from jsonb_to_recordset(p_conclusions) as c (
      key text, "from" text, "to" text, transaction text, block_number bigint, observed_block bigint,
      reason text, message text, blamed boolean)
  ), changed as (
    update payments p set
      state = c."to",
      transaction_id = null,
      transaction_hash = case when c."to" = 'captured' then '' else c.transaction end,
      attempts = p.attempts + case when c."to" = 'captured' then 1 else 0 end,
      block_number = c.block_number,
      observed_block = greatest(p.observed_block, coalesce(c.observed_block, 0)),
      failure_reason = c.reason,
      failure_message = c.message,
      changed_at = now()
    from conclusion c
    where p.key = c.key and p.state = c."from"
    returning p.key, p.network, p.payer, c."to", coalesce(c.blamed, false) as blamed
  ), forgiven as (
    delete from payer_failures f using changed
      where f.network = changed.network and f.payer = changed.payer and changed."to" = 'settled'
  ), blamed as (
    insert into payer_failures as f (network, payer, failures, barred_until)
      select changed.network, changed.payer, count(*),
        case when count(*) >= p_failures_allowed then p_now + p_barred_seconds else 0 end
      from changed where changed.blamed
        and not exists (
          select 1 from changed other where other.payer = changed.payer and other."to" = 'settled')
      group by changed.network, changed.payer
      on conflict (network, payer) do update set
        failures = f.failures + excluded.failures,
        barred_until = case
          when f.failures + excluded.failures >= p_failures_allowed then p_now + p_barred_seconds else 0 end
  )
  select changed.key from changed;

  if p_closed_id is not null then
    update transactions set state = p_closed_as, closed_at = now() where id = p_closed_id and state = 'open';
  end if;
end $$;
