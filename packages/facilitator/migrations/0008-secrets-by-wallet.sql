-- A platform shows an owner every secret that takes payments to a wallet of theirs, whoever made it.
create index secrets_wallets on secrets using gin (wallets);
