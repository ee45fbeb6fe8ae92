-- It was marked expired once (D35): nothing but a proof changes its state from then on.
alter table jobs add column has_expired boolean not null default false;

-- Jobs that ended without being paid, and when their contents go. A table of its own rather than an index on `jobs`,
-- which nobody could write to while it is made.
create table unpaid_contents (
  job_id uuid primary key references jobs,
  forget_at timestamptz not null
);

create index unpaid_contents_by_time on unpaid_contents (forget_at);
