import type pg from 'pg'
import { EnvironmentError } from '../environment.ts'

/** The rights of a role in a database and in one schema of it; names are quoted for statements. */
export interface Rights {
  readonly role: string
  readonly database: string
  readonly schema: string
  readonly hasSchema: boolean
  readonly hasMigrations: boolean
  readonly mayCreateSchema: boolean
  readonly mayUse: boolean
  readonly mayCreate: boolean
  /** Owners of relations in the schema whose rights the role does not have. */
  readonly otherOwners: readonly string[]
  readonly mayReadAndWrite: boolean
  readonly mayCall: boolean
}

/** The part of a pool or a connection that is used. */
type Queries = Pick<pg.ClientBase, 'query'>

/** Reads the rights of the connection's role in a schema, which may be missing. */
export async function readRights(client: Queries, schema: string): Promise<Rights> {
  const { rows } = await client.query<Rights>(READ, [schema])
  const [rights] = rows
  if (rights === undefined) throw new Error('the database did not tell the rights of its role')
  return rights
}

/**
 * Checks that the role of the connection may migrate the schema: create it where it is missing, or change what is in it
 * where migrations are outstanding. A schema at the latest version needs neither.
 *
 * @param variable - the variable with the connection string
 * @throws {EnvironmentError} with the statements to run
 */
export function checkRightsToMigrate(
  rights: Rights,
  variable: string,
  { isOutstanding }: { readonly isOutstanding: boolean },
): void {
  const { role, database, schema, hasSchema, hasMigrations } = rights
  const grants: string[] = []
  if (!hasSchema && !rights.mayCreateSchema) grants.push(`create on database ${database}`)
  if (hasSchema && !rights.mayUse) grants.push(`usage on schema ${schema}`)
  if (hasSchema && (isOutstanding || !hasMigrations)) {
    if (!rights.mayCreate) grants.push(`create on schema ${schema}`)
    // Only the owner of a table may change it.
    grants.push(...rights.otherOwners)
  }
  refuseWithout(grants, {
    variable,
    role,
    what: hasSchema ? `migrate schema ${schema}` : `create schema ${schema}`,
  })
}

/**
 * Checks that the role of the pool's connections may read and write all tables of the schema, as a restore or a role of its
 * own behind a pooler may have left it without.
 *
 * @throws {EnvironmentError} with the statements to run
 */
export async function checkRightsToWork(pool: Queries, schema: string): Promise<void> {
  const rights = await readRights(pool, schema)
  const place = rights.schema
  const grants: string[] = []
  if (!rights.mayUse) grants.push(`usage on schema ${place}`)
  if (!rights.mayReadAndWrite) grants.push(`select, insert, update, delete on all tables in schema ${place}`)
  if (!rights.mayCall) grants.push(`execute on all functions in schema ${place}`)
  refuseWithout(grants, { variable: 'DATABASE_URL', role: rights.role, what: `work in schema ${place}` })
}

function refuseWithout(
  grants: readonly string[],
  { variable, role, what }: { readonly variable: string; readonly role: string; readonly what: string },
): void {
  if (grants.length === 0) return
  const statements = grants.map(grant => `grant ${grant} to ${role};`).join(' ')
  throw new EnvironmentError(`${variable}: the role ${role} may not ${what}: run ${statements}`)
}

/** The functions that read rights fail for a missing schema, so they are only called for rows that exist. */
const READ = `
  with place as (select oid from pg_namespace where nspname = $1),
    relation as (select pg_class.oid, relname, relkind, relowner from pg_class join place on relnamespace = place.oid),
    routine as (select pg_proc.oid from pg_proc join place on pronamespace = place.oid)
  select quote_ident(current_user) as role, quote_ident(current_database()) as database, quote_ident($1) as schema,
    exists (select from place) as "hasSchema",
    exists (select from relation where relname = 'migrations') as "hasMigrations",
    has_database_privilege(current_database(), 'create') as "mayCreateSchema",
    coalesce((select has_schema_privilege(oid, 'usage') from place), false) as "mayUse",
    coalesce((select has_schema_privilege(oid, 'create') from place), false) as "mayCreate",
    array(select distinct quote_ident(pg_get_userbyid(relowner)) from relation
      where relkind in ('r', 'p') and not pg_has_role(relowner, 'usage')) as "otherOwners",
    not exists (select from relation where relkind in ('r', 'p') and not (
      has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
      and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))) as "mayReadAndWrite",
    not exists (select from routine where not has_function_privilege(oid, 'execute')) as "mayCall"`
