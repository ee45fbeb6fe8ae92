-- The `traceparent` (W3C Trace Context) of an order, or a new one: each send to the agent has the same trace with
-- another span id. Null for earlier orders. No query uses it.
alter table jobs add column traceparent text;
alter table runs add column traceparent text;
