-- What an agent is for, of the list that the API has; its owner chooses it here, as no contract and no declaration says it.
alter table agents add column category text;
