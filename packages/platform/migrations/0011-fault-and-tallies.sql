-- Whose fault it was that a job did not go well, and what that is concluded from (docs/decisions/0034).
alter table jobs
  -- agent: counts against it · deadline: the order left it too little time · payer: could not pay · refused: the agent
  -- took no such order · outage: what both rely on was away · unseen: this platform was not there when it should have been
  add column fault text check (fault in ('agent', 'deadline', 'payer', 'refused', 'outage', 'unseen')),
  -- When the first sending began that was seen to its end.
  add column first_asked_at timestamptz,
  -- One of the sendings that were seen to their end left the agent its fair time.
  add column had_fair_time boolean not null default false,
  -- The signed payment may have reached somebody.
  add column has_left boolean not null default false,
  -- The newest sending was answered "not now" as agents do: 503 with Retry-After and a failure.
  add column put_off boolean not null default false,
  -- A salted hash of the address that the order came from, as long as its contents are kept and not paid for.
  add column ordered_from text;

-- What was sent before may have left, and was judged by other rules: only what was charged and not delivered stays.
update jobs set has_left = true where next_look_at is not null;
update jobs set fault = 'agent' where charged_without_delivery;

-- A payer whose own deadlines ran out at one agent again and again.
create index jobs_own_deadlines on jobs (payer, agent_id, created_at) where fault = 'deadline';
-- What an address has in the database that nobody has paid for.
create index jobs_ordered_from on jobs (ordered_from) where ordered_from is not null;
create index jobs_ordered_by on jobs (payer) where ordered_from is not null;

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
  left_out bigint not null
);

-- The newest of a payer's jobs at an agent that count for or against it, and those that are left out.
create index jobs_judged on jobs (agent_id, payer, created_at desc, job_id)
  where kind = 'caller' and
    (fault = 'agent' or (state = 'completed' and not charged_without_delivery and transaction is not null));
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

insert into recounts (agent_id, payer, done_change)
select agent_id, payer, count(*) filter (where state = 'completed' and not charged_without_delivery)
from jobs where kind = 'caller' and (state = 'completed' or fault is not null) group by 1, 2;

-- Agents' numbers were added up from the jobs until now.
drop table search_recounts;
drop index jobs_paid_by_agent;
drop index jobs_paid_by_end;
