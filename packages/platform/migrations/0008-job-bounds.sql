-- No host keeps the jobs of others waiting: those that are to be sent are found host by host, as many of each as may be
-- under way, and those of which only the chain is looked at apart from them. All of this is about the few jobs in which
-- something is left to be done; the others are in none of these indexes.

-- Whether the next look may send it; else the chain alone is asked.
alter table jobs add column sends boolean not null default true;

update jobs set sends = false
where next_look_at is not null
  and (asking_over or payment_header is null or answer = 'completed' or (answer = 'failed' and payment <> 'paid'));

-- By host, the one nearest its end first.
create index jobs_to_send_by_end on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), expires_at)
  where sends and next_look_at is not null;
-- By host, the longest waiting first, for those whose time is over.
create index jobs_to_send_by_look on jobs (split_part(split_part(endpoint, '/', 3), ':', 1), next_look_at)
  where sends and next_look_at is not null;
-- By the moment from which nobody would want it sent any more, but for a while.
create index jobs_to_send_until on jobs (greatest(to_timestamp(valid_before), expires_at, paid_at))
  where sends and next_look_at is not null;
create index jobs_to_look_at on jobs (next_look_at) where not sends and next_look_at is not null;

-- What a payer has ordered and not paid.
create index jobs_unpaid_by_payer on jobs (payer, created_at) where payment = 'open';
