import { randomUUID } from 'node:crypto'
import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { FoundAgent } from '@farebox/platform-api/registry'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** A registration of an endpoint, before or after the stake. */
export interface Registration {
  readonly registrationId: string
  /** Canonical (REG-03). */
  readonly endpoint: string
  readonly found: FoundAgent
  /** The checks of the inspection at `examinedAtMs`. */
  readonly checks: readonly RegistrationCheck[]
  readonly createdAtMs: number
  readonly examinedAtMs: number
  /** The signed-in address, if the endpoint may be on a private network: only it may see the result (D54). */
  readonly inspectedFor: string | undefined
}

/** Registrations that were not opened again for this time are deleted; opening the endpoint again creates a new one. */
const KEPT_MS = 30 * 86_400_000

/** The registration with this id; undefined when there is none. */
export async function readRegistration(
  database: Database,
  registrationId: string,
): Promise<Registration | undefined> {
  const rows = await database.query<RegistrationColumns>(
    'read-registration',
    'select * from registrations where registration_id = $1',
    [registrationId],
  )
  return rows[0] && toRegistration(rows[0])
}

/** The registration of a canonical endpoint; undefined when there is none. */
export async function readRegistrationOf(
  database: Database,
  endpoint: string,
): Promise<Registration | undefined> {
  const rows = await database.query<RegistrationColumns>(
    'read-registration-of',
    'select * from registrations where endpoint = $1',
    [endpoint],
  )
  return rows[0] && toRegistration(rows[0])
}

/**
 * Creates the registration of a canonical endpoint, or updates it with the result of the inspection. Its id is a new one
 * when the result is for another owner than before: a caller that knows the old id must not read the new result. Old
 * registrations are deleted.
 */
export async function saveRegistration(
  database: Database,
  endpoint: string,
  { found, checks, inspectedFor }: Pick<Registration, 'found' | 'checks' | 'inspectedFor'>,
  nowMs: number,
): Promise<Registration> {
  await database.query('forget-registrations', 'delete from registrations where examined_at < $1', [
    new Date(nowMs - KEPT_MS),
  ])
  const [row] = await database.query<RegistrationColumns>(
    'save-registration',
    `insert into registrations (registration_id, endpoint, found, checks, created_at, examined_at, inspected_for)
     values ($1, $2, $3, $4, $5, $5, $6)
     on conflict (endpoint) do update
       set registration_id = case
           when registrations.inspected_for is not distinct from excluded.inspected_for
           then registrations.registration_id else excluded.registration_id end,
         found = excluded.found, checks = excluded.checks, examined_at = excluded.examined_at,
         inspected_for = excluded.inspected_for
     returning *`,
    [
      randomUUID(),
      endpoint,
      JSON.stringify(found),
      JSON.stringify(checks),
      new Date(nowMs),
      inspectedFor ?? null,
    ],
  )
  if (row === undefined) throw new Error('the registration was not written')
  return toRegistration(row)
}

interface RegistrationColumns {
  readonly registration_id: string
  readonly endpoint: string
  readonly found: FoundAgent
  readonly checks: readonly RegistrationCheck[]
  readonly created_at: Date
  readonly examined_at: Date
  readonly inspected_for: string | null
}

function toRegistration(row: RegistrationColumns): Registration {
  return {
    registrationId: row.registration_id,
    endpoint: row.endpoint,
    found: row.found,
    checks: row.checks,
    createdAtMs: row.created_at.getTime(),
    examinedAtMs: row.examined_at.getTime(),
    inspectedFor: row.inspected_for ?? undefined,
  }
}
