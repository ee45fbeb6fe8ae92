-- Whether somebody signed in started the run. Others that nobody has brought a payment for live an hour. Runs that were there
-- before count as started by somebody.
alter table runs add column has_account boolean not null default true;
alter table runs alter column has_account set default false;
create index runs_of_nobody on runs (created_at) where payer is null and not has_account;
create index runs_unpaid on runs (created_at) where started_from is not null;
