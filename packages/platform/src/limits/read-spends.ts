import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import type { SpendLine, WalletSpends } from '@farebox/platform-api/limits/wallet-limits'
import { jobIdKey } from '@farebox/protocol/job/job-request'
import type { PlatformParts } from '../platform-parts.ts'
import { prefixOf } from './permission-contract.ts'
import { readAgentNames } from './read-agent-names.ts'

const PAGE = 20

/** Selects the spends of an owner. */
export interface SpendsWanted {
  /** `<block>.<log>`: the last spend of the previous page. */
  readonly cursor?: string | undefined
  /** The id of one permission. */
  readonly permission?: string | undefined
  readonly jobIds?: readonly string[] | undefined
}

interface SpendColumns {
  readonly block_number: string
  readonly log_index: number
  readonly permission_id: string
  readonly token: string
  readonly recipient: string
  readonly amount: string
  readonly ref_prefix: string
  readonly transaction: string
  readonly block_at: Date
  readonly agent_id: string | null
  readonly capability: string | null
  readonly total: string
}

/**
 * A page of the spends that agents made from an owner's tokens, the newest first.
 *
 * @param owner lower-case address
 */
export async function readSpends(
  parts: Pick<PlatformParts, 'database' | 'crypto'>,
  owner: string,
  { cursor, permission, jobIds }: SpendsWanted,
): Promise<WalletSpends> {
  const jobOf = new Map(jobIds?.map(jobId => [refPrefixOf(parts.crypto, jobId), jobId]))
  const [block = null, log = null] = cursor?.split('.') ?? []
  const rows = await parts.database.query<SpendColumns>(
    'spends-of-owner',
    `with wanted as (
       select * from permission_events where owner = $1 and kind = 'spent'
         and ($2::text is null or permission_id = $2) and ($3::text[] is null or ref_prefix = any($3))
     )
     select w.block_number, w.log_index, w.permission_id, w.token, w.recipient, w.amount, w.ref_prefix, w.transaction,
       w.block_at, s.agent_id, s.capability, (select count(*) from wanted) as total
     from wanted w
     left join lateral (
       select agent_id, capability from permission_events where permission_id = w.permission_id and kind = 'set'
       order by block_number desc, log_index desc limit 1
     ) s on true
     where $4::bigint is null or (w.block_number, w.log_index) < ($4::bigint, $5::int)
     order by w.block_number desc, w.log_index desc limit ${PAGE + 1}`,
    [owner, permission ?? null, jobIds === undefined ? null : [...jobOf.keys()], block, log],
  )
  const page = rows.slice(0, PAGE)
  const names = await readAgentNames(
    parts,
    page.map(row => row.agent_id),
  )
  const last = page.at(-1)
  return {
    spends: page.map(row => toLine(row, names, jobOf)),
    total: Number(rows[0]?.total ?? 0),
    next_cursor: last !== undefined && rows.length > PAGE ? `${last.block_number}.${last.log_index}` : null,
  }
}

/** The common prefix of the refs of a job's spends, as the agent's runtime creates them (decision 65). */
function refPrefixOf({ keccak256 }: Pick<EvmCrypto, 'keccak256'>, jobId: string): string {
  return prefixOf(BigInt(toHex(keccak256(new TextEncoder().encode(jobIdKey(jobId))))))
}

function toLine(
  row: SpendColumns,
  names: ReadonlyMap<string, string>,
  jobOf: ReadonlyMap<string, string>,
): SpendLine {
  return {
    permission: row.permission_id,
    agent_id: row.agent_id ?? '0',
    agent_name: names.get(row.agent_id ?? '') ?? null,
    capability: row.capability ?? '',
    token: row.token,
    to: row.recipient,
    amount: row.amount,
    job_id: jobOf.get(row.ref_prefix) ?? null,
    transaction: row.transaction,
    block_number: Number(row.block_number),
    at: Math.floor(row.block_at.getTime() / 1_000),
  }
}
