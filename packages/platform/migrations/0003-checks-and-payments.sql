-- A check between two planned ones, after an order could not reach the agent. It decides the shown status, and does not
-- count for uptime, which is measured at even intervals.
alter table agent_health
  -- When the newest of them was requested.
  add column hastened_at timestamptz,
  -- While one is due: the time of the planned check.
  add column planned_at timestamptz;

-- The reason why an agent could not accept its last payment. No orders are sent to it for a day, until its owner
-- requests an inspection, or until it accepts one.
alter table agents
  add column payment_problem text,
  add column payment_problem_since timestamptz,
  add check ((payment_problem is null) = (payment_problem_since is null));
