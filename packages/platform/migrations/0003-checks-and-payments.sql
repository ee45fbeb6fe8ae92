-- A check between two planned ones: an order could not reach the agent. It decides how the agent is seen, and counts for
-- no uptime, which is measured at even distances.
alter table agent_health
  -- When the newest of them was asked for.
  add column hastened_at timestamptz,
  -- While one is due: when the planned check is.
  add column planned_at timestamptz;

-- Why an agent could not take a payment when it was last paid. No orders are sent to it for a day, until its owner requests
-- an inspection, or until it takes one.
alter table agents
  add column payment_problem text,
  add column payment_problem_since timestamptz,
  add check ((payment_problem is null) = (payment_problem_since is null));
