-- Endpoints at which the operator took an agent down: nobody new is listed there until that agent is restored, whatever
-- becomes of its number meanwhile. Beside `agents`, whose rows follow the chain: an owner who takes the stake back or
-- moves the agent changes those.
create table taken_down_endpoints (
  -- Canonical, at most 2,048 characters.
  endpoint text not null,
  agent_id bigint not null references agents,
  reason text not null,
  since timestamptz not null,
  primary key (endpoint, agent_id)
);
create index taken_down_endpoints_by_agent on taken_down_endpoints (agent_id);

-- What is longer is no endpoint any more: nobody is listed with it.
insert into taken_down_endpoints (endpoint, agent_id, reason, since)
  select endpoint, agent_id, coalesce(standing_reason, ''), standing_since from agents
  where standing = 'taken-down' and length(endpoint) <= 2048;
