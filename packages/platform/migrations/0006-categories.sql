-- The category of an agent, from the list in the API; its owner chooses it here, because neither contract nor
-- declaration contains it.
alter table agents add column category text;
