-- Whether the run was started by a signed-in caller. Other runs without a payment are deleted after an hour. Existing
-- runs count as started by a signed-in caller.
alter table runs add column has_account boolean not null default true;
alter table runs alter column has_account set default false;
create index runs_of_nobody on runs (created_at) where payer is null and not has_account;
create index runs_unpaid on runs (created_at) where started_from is not null;
