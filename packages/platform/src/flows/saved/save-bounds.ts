import type pg from 'pg'
import { Refusal } from '../../http/refusal.ts'

/**
 * A new wallet address costs nothing, so the flows of one owner are limited, and so are those saved from one network
 * address.
 */
const MAX_BYTES_OF_OWNER = 64 * 1_048_576
const MAX_BYTES_FROM_ADDRESS = 4 * MAX_BYTES_OF_OWNER

/**
 * Serializes saves of one owner and from one network address, so that the totals that were checked are still true when the
 * flow is written.
 *
 * @returns the network address as a salted hash
 */
export async function lockSaves(
  client: pg.PoolClient,
  { address, from }: { readonly address: string; readonly from: string },
): Promise<string> {
  const { rows } = await client.query<{ saved_from: string }>(
    `select encode(sha256(convert_to(salt || ' ' || $1, 'UTF8')), 'hex') as saved_from from report_salt`,
    [from],
  )
  const savedFrom = rows[0]?.saved_from ?? ''
  for (const key of [`owner ${address}`, `from ${savedFrom}`])
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 4020504))', [key])
  return savedFrom
}

/**
 * Updates the size of a flow that was just written, with all its versions, and checks the limits.
 *
 * @throws {Refusal} `rate_limited` when a limit is exceeded
 */
export async function checkBytes(
  client: pg.PoolClient,
  {
    flowId,
    owner,
    savedFrom,
  }: { readonly flowId: string; readonly owner: string; readonly savedFrom: string },
): Promise<void> {
  await client.query(
    'update flows set bytes = (select sum(bytes) from flow_versions where flow_id = $1) where flow_id = $1',
    [flowId],
  )
  const { rows } = await client.query<{ of_owner: string; from_address: string }>(
    `select (select coalesce(sum(bytes), 0) from flows where owner = $1) as of_owner,
       (select coalesce(sum(bytes), 0) from flows where saved_from = $2) as from_address`,
    [owner, savedFrom],
  )
  const [kept] = rows
  if (Number(kept?.of_owner) > MAX_BYTES_OF_OWNER)
    throw new Refusal(
      'rate_limited',
      `flow: your flows and their versions take ${MAX_BYTES_OF_OWNER / 1_048_576} MB already: delete some`,
    )
  if (Number(kept?.from_address) > MAX_BYTES_FROM_ADDRESS)
    throw new Refusal('rate_limited', 'flow: what is kept of the flows from this address is too much already')
}
