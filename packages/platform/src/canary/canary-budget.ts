import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'

/**
 * The most that canary jobs at one owner's agents may cost in thirty days: half a USDC. Prevents an owner from earning the
 * stake back.
 */
export const MAX_OWNER_ATOMIC = 500_000n

const OWNER_DAYS = 30
const DAY_MS = 86_400_000

/** `taken` when the price was counted; otherwise the limit that it would have exceeded. */
export type BudgetAnswer = 'taken' | 'day-is-spent' | 'owner-is-spent'

/**
 * Counts a price against the budget of the UTC day and against the owner's limit, before anything is signed. Both are
 * counted in one transaction, over all workers, or neither. A counted price is never returned, because a signed payment may
 * still be used.
 */
export async function takeFromBudget(
  database: Database,
  price: {
    readonly owner: string
    readonly priceAtomic: bigint
    readonly budgetAtomic: bigint
    readonly nowMs: number
  },
): Promise<BudgetAnswer> {
  const { owner, priceAtomic, budgetAtomic, nowMs } = price
  if (priceAtomic > budgetAtomic) return 'day-is-spent'
  const refused = await database
    .inTransaction(async client => {
      if (!(await countForOwner(client, owner, priceAtomic, nowMs))) throw new Refused('owner-is-spent')
      const { rowCount } = await client.query(
        `insert into canary_days (day, spent_atomic) values ($1, $2)
         on conflict (day) do update set spent_atomic = canary_days.spent_atomic + excluded.spent_atomic
           where canary_days.spent_atomic + excluded.spent_atomic <= $3`,
        [dayOf(nowMs), priceAtomic, budgetAtomic],
      )
      if (rowCount === 0) throw new Refused('day-is-spent')
    })
    .catch((error: unknown) => {
      if (error instanceof Refused) return error
      throw error
    })
  return refused instanceof Refused ? refused.answer : 'taken'
}

/** The most the canary jobs at an owner's agents have cost in the last thirty days. */
export async function spentOnOwner(database: Database, owner: string, nowMs: number): Promise<bigint> {
  const [row] = await database.query<{ spent: string }>('spent-on-owner', SPENT, [owner, since(nowMs)])
  return BigInt(row?.spent ?? '0')
}

const SPENT = `select coalesce(sum(spent_atomic), 0)::text as spent from canary_owner_days
  where owner = $1 and day > $2`

/**
 * Resolves to false when the owner's limit would be exceeded. Locks the owner, because two of its agents may be tried at
 * the same time.
 */
async function countForOwner(
  client: pg.PoolClient,
  owner: string,
  priceAtomic: bigint,
  nowMs: number,
): Promise<boolean> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 4020503))', [owner])
  const { rows } = await client.query<{ spent: string }>(SPENT, [owner, since(nowMs)])
  if (BigInt(rows[0]?.spent ?? '0') + priceAtomic > MAX_OWNER_ATOMIC) return false
  await client.query('delete from canary_owner_days where owner = $1 and day <= $2', [owner, since(nowMs)])
  await client.query(
    `insert into canary_owner_days (owner, day, spent_atomic) values ($1, $2, $3)
     on conflict (owner, day) do update set spent_atomic = canary_owner_days.spent_atomic + excluded.spent_atomic`,
    [owner, dayOf(nowMs), priceAtomic],
  )
  return true
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function since(nowMs: number): string {
  return dayOf(nowMs - OWNER_DAYS * DAY_MS)
}

/** Thrown to roll the transaction back. */
class Refused extends Error {
  readonly answer: Exclude<BudgetAnswer, 'taken'>

  constructor(answer: Exclude<BudgetAnswer, 'taken'>) {
    super(answer)
    this.answer = answer
  }
}
