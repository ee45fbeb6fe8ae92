-- The `traceparent` (W3C Trace Context) that an order came with, or one that was made for it: it is sent to the agent with each
-- sending, in another form of the same trace. Null for what was ordered before. No question is asked by it.
alter table jobs add column traceparent text;
alter table runs add column traceparent text;
