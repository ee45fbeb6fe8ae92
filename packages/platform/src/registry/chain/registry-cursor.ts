import type pg from 'pg'
import type { PlatformParts } from '../../platform-parts.ts'
import type { RegistryEvent } from './registry-contract.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

type CursorParts = Pick<PlatformParts, 'database' | 'clock' | 'network' | 'settings'>

/** A block by which a chain is known. */
export interface KeptBlock {
  readonly blockNumber: number
  readonly hash: string
}

/** Blocks whose hashes are kept; a chain that is rewritten deeper is another chain. */
const KEPT_BLOCKS = 50_000
/** A worker that froze while it held the cursor lets it go. */
const FROZEN_SECONDS = 60

/** Makes the cursor where there is none: the contract is read from `firstBlock` on. */
export async function beginCursor(
  { database, network, settings }: CursorParts,
  firstBlock: number,
): Promise<void> {
  await database.query(
    'begin-registry-cursor',
    `insert into registry_cursor (chain_id, registry_address, block_number) values ($1, $2, $3)
     on conflict (only_row) do nothing`,
    [network.chainId, settings.registryAddress, firstBlock - 1],
  )
}

/**
 * Locks the cursor until the transaction ends and resolves to the block up to which the contract was followed, or to
 * undefined where another worker holds it or has followed it within `intervalMs`.
 *
 * Rejects where this database follows another contract.
 */
export async function takeCursor(
  client: pg.PoolClient,
  { clock, network, settings }: CursorParts,
  intervalMs: number,
): Promise<number | undefined> {
  await client.query(`set local idle_in_transaction_session_timeout = '${FROZEN_SECONDS}s'`)
  const { rows } = await client.query<CursorColumns>('select * from registry_cursor for update skip locked')
  const [row] = rows
  if (row === undefined) return undefined
  if (Number(row.chain_id) !== network.chainId || row.registry_address !== settings.registryAddress) {
    const [other, ours] = [`${row.registry_address} on eip155:${row.chain_id}`, settings.registryAddress]
    throw new Error(`this database follows the registry ${other}, not ${ours} on ${network.id}`)
  }
  const agoMs = clock.nowMs() - (row.followed_at?.getTime() ?? Number.NEGATIVE_INFINITY)
  if (agoMs >= 0 && agoMs < intervalMs) return undefined
  await client.query('update registry_cursor set followed_at = $1', [new Date(clock.nowMs())])
  return Number(row.block_number)
}

interface CursorColumns {
  readonly chain_id: string
  readonly registry_address: string
  readonly block_number: string
  readonly followed_at: Date | null
}

/** Moves the cursor that the transaction holds, under a chain whose newest block is `head`. */
export async function moveCursor(client: pg.PoolClient, blockNumber: number, head: number): Promise<void> {
  await client.query('update registry_cursor set block_number = $1, head_number = $2', [blockNumber, head])
}

/** The blocks kept, the oldest first; with `limit` only so many of the newest. */
export async function readKeptBlocks(
  client: pg.PoolClient,
  limit: number = KEPT_BLOCKS,
): Promise<readonly KeptBlock[]> {
  const { rows } = await client.query<{ block_number: string; block_hash: string }>(
    'select block_number, block_hash from registry_blocks order by block_number desc limit $1',
    [limit],
  )
  return rows.map(row => ({ blockNumber: Number(row.block_number), hash: row.block_hash })).toReversed()
}

/** Keeps a block, and forgets those that no chain is rewritten down to. */
export async function keepBlock(client: pg.PoolClient, { blockNumber, hash }: KeptBlock): Promise<void> {
  await client.query(
    `insert into registry_blocks (block_number, block_hash) values ($1, $2)
     on conflict (block_number) do update set block_hash = excluded.block_hash`,
    [blockNumber, hash],
  )
  await client.query('delete from registry_blocks where block_number < $1', [blockNumber - KEPT_BLOCKS])
}

/** Forgets the blocks after one. */
export async function forgetBlocksAfter(client: pg.PoolClient, blockNumber: number): Promise<void> {
  await client.query('delete from registry_blocks where block_number > $1', [blockNumber])
}

/**
 * Replaces the registrations that do not count yet. One that the database refuses is left out; the log tells of it when it
 * counts.
 */
export async function replacePending(client: pg.PoolClient, events: readonly RegistryEvent[]): Promise<void> {
  await client.query('delete from registry_pending')
  for (const event of events) {
    if (event.kind !== 'registered') continue
    const { agentId, endpoint = '', owner, blockNumber, transaction } = event
    await unlessRefused(client, () =>
      client.query(
        `insert into registry_pending (agent_id, endpoint, owner, block_number, transaction)
         values ($1, $2, $3, $4, $5) on conflict (agent_id) do nothing`,
        [agentId, endpoint, owner, blockNumber, transaction],
      ),
    )
  }
}
