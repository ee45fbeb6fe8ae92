-- What the platform's own daily jobs may have cost on an owner's agents, by day: counted before anything is signed.
create table canary_owner_days (
  owner text not null,
  day date not null,
  spent_atomic numeric(78) not null check (spent_atomic >= 0),
  primary key (owner, day)
);
insert into canary_owner_days (owner, day, spent_atomic)
select agents.owner, (jobs.created_at at time zone 'utc')::date, sum(jobs.amount_atomic)
from jobs join agents on agents.agent_id = jobs.agent_id
where jobs.kind = 'canary' and jobs.created_at > now() - interval '31 days'
group by 1, 2;

-- An owner asks for the newest notice of an agent, and deletes all of one.
create index webhook_deliveries_of_agent on webhook_deliveries (agent_id, created_at desc);
