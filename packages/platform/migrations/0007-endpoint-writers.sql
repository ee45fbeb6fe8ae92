-- The account that wrote the endpoint in the contract. A private network is open to an agent only while its owner wrote
-- the endpoint: anyone can transfer an agent to the owner of such a network (D54).
alter table agents add column endpoint_by text check (endpoint_by ~ '^0x[0-9a-f]{40}$');

update agents set endpoint_by = (
  select owner from registry_events
  where registry_events.agent_id = agents.agent_id and kind in ('registered', 'endpoint-updated')
  order by block_number desc, log_index desc limit 1);

-- The signed-in address at the inspection of an endpoint on a private network: only it may see the result.
alter table registrations add column inspected_for text;
