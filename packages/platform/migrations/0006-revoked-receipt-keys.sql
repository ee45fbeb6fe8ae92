-- A key that others may have had: its receipts are signed anew when they are asked for.
alter table platform_keys
  add column revoked_at timestamptz,
  add constraint platform_keys_revoked_is_retired check (revoked_at is null or retired_at is not null);
