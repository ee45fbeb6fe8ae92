import type { Sender } from '../settlement-ledger.ts'
import type { MemoryPayment, MemoryTables } from './memory-tables.ts'

/** The same value as in `claim` of `0001-ledger.sql`. */
const CLAIMED_MS = 3_000

/**
 * The captured payments to send next, either for shared transactions or for transactions of their own; see SettlementLedger.
 */
export function takeTurns(
  tables: MemoryTables,
  { network, relayers, holder }: Sender,
  lane: { readonly alone: boolean; readonly limit: number },
  nowMs: number,
): readonly MemoryPayment[] {
  const own = new Set(relayers.map(relayer => `${network} ${relayer}`))
  const isShared = [...tables.leases.entries()].some(
    ([account, { expiresAtMs }]) =>
      account.startsWith(`${network} `) && !own.has(account) && expiresAtMs > nowMs,
  )
  const isFree = ({ claim }: MemoryPayment): boolean => !isShared || mayClaim(claim, holder, nowMs)
  const waiting = [...tables.payments.values()].filter(
    row => row.network === network && row.state === 'captured' && row.alone === lane.alone && isFree(row),
  )
  const places = rank(waiting, row => `${row.owner} ${row.authorization.from}`, byUrgency)
  const place = (row: MemoryPayment): number => places.get(row.key) ?? 0
  const turns = rank(
    waiting,
    row => row.owner,
    (one, other) => harmedFirst(one, other) || place(one) - place(other) || byUrgency(one, other),
  )
  const turn = (row: MemoryPayment): number => turns.get(row.key) ?? 0
  const taken = waiting
    .sort((one, other) => harmedFirst(one, other) || turn(one) - turn(other) || byUrgency(one, other))
    .slice(0, lane.limit)
  if (!isShared) return taken
  return taken.map(row => {
    const isOwn = row.claim?.holder === holder && row.claim.untilMs >= nowMs
    const claimed = { ...row, claim: isOwn ? row.claim : { holder, untilMs: nowMs + CLAIMED_MS } }
    tables.payments.set(row.key, claimed)
    return claimed
  })
}

/** The same rule as `may_claim` of `0001-ledger.sql`. */
function mayClaim(claim: MemoryPayment['claim'], holder: string, nowMs: number): boolean {
  if (claim === undefined) return true
  const sinceMs = nowMs - claim.untilMs
  return claim.holder === holder ? sinceMs <= 0 || sinceMs > CLAIMED_MS : sinceMs > 0
}

/** The position of each row within its group, by key. */
function rank(
  rows: readonly MemoryPayment[],
  groupOf: (row: MemoryPayment) => string,
  order: (one: MemoryPayment, other: MemoryPayment) => number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  return new Map(
    [...rows].sort(order).map(row => {
      const place = (counts.get(groupOf(row)) ?? 0) + 1
      counts.set(groupOf(row), place)
      return [row.key, place] as const
    }),
  )
}

function byUrgency(one: MemoryPayment, other: MemoryPayment): number {
  return (
    harmedFirst(one, other) ||
    one.faults - other.faults ||
    Number(one.authorization.validBefore) - Number(other.authorization.validBefore) ||
    one.capturedAt - other.capturedAt
  )
}

function harmedFirst(one: MemoryPayment, other: MemoryPayment): number {
  return Number(other.harmed) - Number(one.harmed)
}
