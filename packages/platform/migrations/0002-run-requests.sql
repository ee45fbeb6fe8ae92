-- Hash of the flow, the input and the limit of a run's start: a repeat with others is refused. Existing runs have none,
-- so that a repeat of them is refused, and they can be read by their id as before.
alter table runs add column request_hash text not null default '';
alter table runs alter column request_hash drop default;
