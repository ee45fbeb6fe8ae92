-- A browser session authorized by a terminal session. It ends with that one.
alter table sessions add column begun_by uuid references sessions on delete cascade;
create index sessions_by_beginner on sessions (begun_by) where begun_by is not null;

-- A link created by a terminal to sign a browser in: one for each session, for two minutes.
create table browser_sign_ins (
  session_id uuid primary key references sessions on delete cascade,
  -- SHA-256 of the random id in the link.
  link_hash bytea not null unique check (length(link_hash) = 32),
  -- SHA-256 of the cookie of the first browser that opened it. Null: not opened yet.
  browser_hash bytea unique check (length(browser_hash) = 32),
  -- The page shows it, and the user types it in the terminal.
  code text not null check (length(code) = 6),
  tries_left smallint not null check (tries_left >= 0),
  is_confirmed boolean not null default false,
  expires_at timestamptz not null
);
create index browser_sign_ins_by_age on browser_sign_ins (expires_at);
