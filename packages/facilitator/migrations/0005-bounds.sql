-- What strangers can make grow is bounded, and what is done with is not looked at again. Runs with search_path set.

-- The reconciler has compared the row with a chain past the end of its authorization, and finality.
alter table payments add column audit_done boolean not null default false;
create index payments_to_audit on payments (network, (state <> 'failed'), audited_at)
  where state in ('failed', 'released', 'expired') and not audit_done;
drop index payments_uncharged;
-- What came to nothing and never can, until it is deleted.
create index payments_done_with on payments (network, audited_at)
  where state in ('released', 'expired') and audit_done;

-- As before, with a bound for the payments that one payer may have open.
create or replace function hold(
  p_key text, p_network text, p_asset text, p_payer text, p_pay_to text, p_value numeric,
  p_valid_after bigint, p_valid_before bigint, p_nonce text, p_signature text, p_binding text, p_owner text,
  p_secret_id text,
  p_hold_id text, p_hold_until bigint, p_now bigint, p_balance numeric, p_block bigint,
  p_daily_settlements integer,
  out outcome text, out held_until bigint, out transaction_hash text, out reason text, out message text,
  out open_sum numeric, out settling_sum numeric, out barred_until bigint
) language plpgsql set search_path from current as $$
declare
  found_row payments%rowtype;
begin
  -- One hold of a payer at a time, whatever the process: without it two would both see room for themselves.
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
    end if;
  end if;

  select f.barred_until into barred_until from payer_failures f
    where f.network = p_network and f.payer = p_payer and f.barred_until > p_now;
  if found then
    outcome := 'payer-barred';
    return;
  end if;

  perform 1 from settlement_counts c
    where c.secret_id = p_secret_id and c.day = (to_timestamp(p_now) at time zone 'UTC')::date
      and c.settlements >= p_daily_settlements;
  if found then
    outcome := 'over-budget';
    return;
  end if;

  -- Whoever signs without end, and pays for nothing, must not make the sum below long for everybody.
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
    secret_id,
    state, hold_id, hold_until, observed_block
  ) values (
    p_key, p_network, p_asset, p_payer, p_pay_to, p_value, p_valid_after, p_valid_before, p_nonce,
    p_signature,
    p_binding, p_owner, p_secret_id, 'held', p_hold_id, p_hold_until, p_block
  ) on conflict (key) do update set
    hold_id = p_hold_id,
    hold_until = case when p.state = 'held' then greatest(p.hold_until, p_hold_until) else p_hold_until end,
    state = 'held', owner = p_owner, secret_id = p_secret_id, signature = p_signature,
    observed_block = p_block, audited_at = 0, audit_done = false, changed_at = now()
  returning p.hold_until into held_until;
  outcome := 'held';
end $$;
