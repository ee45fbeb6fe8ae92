-- What was settled can be undone. Runs with search_path set to the schema.

-- When a row was first settled, by our own time: whatever becomes of it, its agent was told so. It stays.
alter table payments add column settled_at timestamptz;
-- Settled so long, and seen so often, that it is not looked at again.
alter table payments add column confirmed boolean not null default false;
update payments set settled_at = changed_at where state = 'settled';
create index payments_unconfirmed on payments (network, settled_at) where state = 'settled' and not confirmed;

-- Whoever settles a row: the time is that of the first.
create function note_settled() returns trigger language plpgsql set search_path from current as $$
begin
  new.settled_at := coalesce(old.settled_at, now());
  new.confirmed := false;
  return new;
end $$;
create trigger payments_settled_at before update on payments
  for each row when (new.state = 'settled' and (old.state <> 'settled' or old.block_number <> new.block_number))
  execute function note_settled();
