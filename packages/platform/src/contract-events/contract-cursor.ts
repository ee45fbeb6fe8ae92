import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'

type CursorParts = Pick<PlatformParts, 'database' | 'clock' | 'network'>

/** The contract that a cursor belongs to. */
export interface CursorOwner {
  /** The contract's name, the key of its rows: `registry`. */
  readonly name: string
  /** Lower-case address. */
  readonly address: string
}

/** A stored block, which identifies the chain. */
export interface KeptBlock {
  readonly blockNumber: number
  readonly hash: string
}

/** The number of blocks whose hashes are kept. A chain that was rewritten more deeply is treated as another chain. */
const KEPT_BLOCKS = 50_000
/** The database ends the transaction of a worker that froze while it held the cursor, after this time. */
const FROZEN_SECONDS = 60

/** Creates the cursor if it does not exist; the contract is then read from `firstBlock` on. */
export async function beginCursor(
  { database, network }: CursorParts,
  { name, address }: CursorOwner,
  firstBlock: number,
): Promise<void> {
  await database.query(
    'begin-contract-cursor',
    `insert into followed_contracts (contract, chain_id, address, block_number) values ($1, $2, $3, $4)
     on conflict (contract) do nothing`,
    [name, network.chainId, address, firstBlock - 1],
  )
}

/**
 * Locks the cursor until the transaction ends. Resolves to the last block that was read, or to `undefined` when another
 * worker holds the cursor or read the contract within `intervalMs`.
 *
 * Rejects when this database follows a different contract.
 */
export async function takeCursor(
  client: pg.PoolClient,
  { clock, network }: CursorParts,
  { name, address }: CursorOwner,
  intervalMs: number,
): Promise<number | undefined> {
  await client.query(`set local idle_in_transaction_session_timeout = '${FROZEN_SECONDS}s'`)
  const { rows } = await client.query<CursorColumns>(
    'select * from followed_contracts where contract = $1 for update skip locked',
    [name],
  )
  const [row] = rows
  if (row === undefined) return undefined
  if (Number(row.chain_id) !== network.chainId || row.address !== address) {
    const other = `${row.address} on eip155:${row.chain_id}`
    throw new Error(`this database follows the ${name} ${other}, not ${address} on ${network.id}`)
  }
  const agoMs = clock.nowMs() - (row.followed_at?.getTime() ?? Number.NEGATIVE_INFINITY)
  if (agoMs >= 0 && agoMs < intervalMs) return undefined
  await client.query('update followed_contracts set followed_at = $2 where contract = $1', [
    name,
    new Date(clock.nowMs()),
  ])
  return Number(row.block_number)
}

interface CursorColumns {
  readonly chain_id: string
  readonly address: string
  readonly block_number: string
  readonly followed_at: Date | null
}

/** Moves the cursor held by the transaction; `head` is the newest block of the chain. */
export async function moveCursor(
  client: pg.PoolClient,
  { name }: CursorOwner,
  blockNumber: number,
  head: number,
): Promise<void> {
  await client.query(
    'update followed_contracts set block_number = $2, head_number = $3 where contract = $1',
    [name, blockNumber, head],
  )
}

/** The stored blocks, the oldest first; at most `limit` of the newest. */
export async function readKeptBlocks(
  client: pg.PoolClient,
  { name }: CursorOwner,
  limit: number = KEPT_BLOCKS,
): Promise<readonly KeptBlock[]> {
  const { rows } = await client.query<{ block_number: string; block_hash: string }>(
    `select block_number, block_hash from followed_blocks where contract = $1
     order by block_number desc limit $2`,
    [name, limit],
  )
  return rows.map(row => ({ blockNumber: Number(row.block_number), hash: row.block_hash })).toReversed()
}

/** Stores a block, and deletes blocks too old for any expected rewrite of the chain. */
export async function keepBlock(
  client: pg.PoolClient,
  { name }: CursorOwner,
  { blockNumber, hash }: KeptBlock,
): Promise<void> {
  await client.query(
    `insert into followed_blocks (contract, block_number, block_hash) values ($1, $2, $3)
     on conflict (contract, block_number) do update set block_hash = excluded.block_hash`,
    [name, blockNumber, hash],
  )
  await client.query('delete from followed_blocks where contract = $1 and block_number < $2', [
    name,
    blockNumber - KEPT_BLOCKS,
  ])
}

/** Deletes the stored blocks after a block. */
export async function forgetBlocksAfter(
  client: pg.PoolClient,
  { name }: CursorOwner,
  blockNumber: number,
): Promise<void> {
  await client.query('delete from followed_blocks where contract = $1 and block_number > $2', [
    name,
    blockNumber,
  ])
}
