-- Whether somebody signed in started the run: it is theirs to come back to. Others that nobody has brought a payment for live
-- an hour.
alter table runs add column has_account boolean not null default false;
create index runs_of_nobody on runs (created_at) where payer is null and not has_account;
