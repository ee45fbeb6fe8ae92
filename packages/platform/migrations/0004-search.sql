-- Mistyped words are found by their groups of three letters, which is what the extension pg_trgm is for. It comes with
-- PostgreSQL and any owner of a database may add it; where it is there already, nothing is asked for.
do $$
declare
  found_in text;
begin
  select nspname into found_in
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname = 'pg_trgm';
  if found_in is null then
    begin
      create extension pg_trgm schema public;
    exception when insufficient_privilege or undefined_file or feature_not_supported or invalid_schema_name then
      raise exception 'search needs the PostgreSQL extension pg_trgm in schema public: %', sqlerrm
        using hint = 'have an administrator of this database run: create extension pg_trgm schema public '
          || '(its files are in the package of contributed modules, often called postgresql-contrib)';
    end;
  elsif found_in <> 'public' then
    raise exception 'search needs the PostgreSQL extension pg_trgm in schema public, it is in %', found_in
      using hint = 'have an administrator of this database run: alter extension pg_trgm set schema public';
  end if;
end
$$;

-- One row for each agent that search may find, in the form search asks for. Made anew from `agents` by indexAgent.
create table search_entries (
  agent_id bigint primary key references agents,
  -- Decides between equals: a number without meaning, so that nobody is ahead for having come early or late.
  position bigint not null,
  -- The name's words in order, as a query that names the agent has them.
  name_key text not null,
  -- Words, each once: how often one is repeated is not known here. Each set contains the one before it.
  name_words tsvector not null,
  capability_words tsvector not null,
  all_words tsvector not null,
  -- What is asked for exactly: capability=…, takes=…, gives=…, badge=… (and every lower one).
  tags text[] not null,
  is_provisional boolean not null,
  -- Earned, never written by the agent: the badge shown, then how many have paid it. The larger the earlier, as everywhere
  -- but for prices.
  standing integer not null,
  jobs_done bigint not null,
  -- The cheapest and the dearest capability; both the largest number there is where nothing is sold.
  min_price_atomic bigint not null,
  max_price_atomic bigint not null,
  -- The first 32 bits of each tag's SHA-256, badges aside; null where there are too many. What has them may have the tags.
  tag_hashes integer[]
  -- Vacuumed and counted sooner than usual: what is known to be visible need not be read, and common words are known as such.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.05);

-- Rare words and tags, together or alone. Without a list of pending entries: a search never pays for others' changes.
create index search_entries_words on search_entries
  using gin (name_words, capability_words, all_words, tags) with (fastupdate = off);
create index search_entries_by_name on search_entries (name_key, standing, position);
-- Common words: everybody is walked in the order that was asked for. The usual order has with it what is looked at on the
-- way, so that the table itself is not read; what an entry may hold is bounded for that (an index row takes 2,704 bytes),
-- and kept as it is, since it would be unpacked at each look.
alter table search_entries alter column name_words set storage external;
alter table search_entries alter column capability_words set storage external;
alter table search_entries alter column all_words set storage external;
alter table search_entries alter column tag_hashes set storage external;
create index search_entries_by_standing on search_entries (standing, position)
  include (agent_id, is_provisional, name_key, name_words, capability_words, all_words, tag_hashes);
create index search_entries_by_jobs on search_entries (jobs_done, position);
create index search_entries_by_price on search_entries (min_price_atomic, position);

-- How common a word is decides how it is searched for: ten times the usual sample of words.
alter table search_entries alter column name_words set statistics 1000;
alter table search_entries alter column capability_words set statistics 1000;
alter table search_entries alter column all_words set statistics 1000;
alter table search_entries alter column tags set statistics 1000;

-- What one capability costs, takes and gives, for questions about one and the same capability.
create table search_capabilities (
  agent_id bigint not null references search_entries on delete cascade,
  -- Compared without regard to case.
  capability_key text not null,
  capability text not null,
  ordinal integer not null,
  price_atomic bigint not null,
  -- takes=… and gives=…, as in search_entries.
  tags text[] not null,
  -- As its agent's.
  position bigint not null,
  primary key (agent_id, capability_key)
);
create index search_capabilities_by_price on search_capabilities (capability_key, price_atomic, position);

-- Every word that was ever to be found, to guess from what a mistyped one was meant to be. Not unique: two agents that
-- bring the same new word at once do not wait for each other.
create table search_words (
  word text collate "C" not null
);
create index search_words_exactly on search_words (word);
create index search_words_alike on search_words using gin (word public.gin_trgm_ops);

-- How many have paid an agent is asked again whenever its entry is made.
create index jobs_paid_by_agent on jobs (agent_id, payer)
  where kind = 'caller' and state = 'completed' and not charged_without_delivery;
create index jobs_paid_by_end on jobs (finished_at)
  where kind = 'caller' and state = 'completed' and not charged_without_delivery;

-- Up to when finished jobs are counted in the entries; one row. Whoever holds its lock counts.
create table search_recounts (
  only_row boolean primary key default true check (only_row),
  counted_until timestamptz not null
);
insert into search_recounts (counted_until) values ('epoch');
