import {
  dailyLimit,
  NEAR_LIMIT,
  NEAR_OWNERS_SHOWN,
  type NearLimits,
  type OwnerLedger,
  type OwnerLimits,
  type OwnerUse,
  type Sponsoring,
} from '../owner-ledger.ts'
import { utcDay, type MemoryPayment, type MemoryTables } from './memory-tables.ts'

/** An owner's use today, and its open payments now. */
export interface OwnerUseNow extends OwnerUse {
  readonly open: number
  readonly openAlone: number
}

/** {@link OwnerLedger} in memory. */
export function createMemoryOwners(tables: MemoryTables): OwnerLedger {
  return {
    async use(owner, nowSeconds) {
      const { sponsorship, granted, settlements, unsent, revertedGas } = ownerUse(tables, owner, nowSeconds)
      return await Promise.resolve({ sponsorship, granted, settlements, unsent, revertedGas })
    },
    async sponsor(owner, sponsoring) {
      sponsor(tables, owner, sponsoring)
      await Promise.resolve()
    },
    async unname(owner) {
      if (tables.sponsorships.get(owner)?.sponsorship !== 'listed')
        tables.sponsorships.set(owner, { sponsorship: 'unlisted' })
      await Promise.resolve()
    },
    async nearLimits(limits, nowSeconds) {
      return await Promise.resolve(nearLimits(tables, limits, nowSeconds))
    },
  }
}

/** Records why the gas of an owner is paid, and how many settlements it is granted. A named owner stays unchanged. */
export function sponsor({ sponsorships }: MemoryTables, owner: string, sponsoring: Sponsoring): void {
  if (sponsorships.get(owner)?.sponsorship !== 'named') sponsorships.set(owner, sponsoring)
}

function nearLimits(tables: MemoryTables, limits: OwnerLimits, nowSeconds: number): NearLimits {
  const day = ` ${utcDay(nowSeconds)}`
  const spenders = [...tables.ownerUse.keys()]
    .filter(key => key.endsWith(day))
    .map(key => key.slice(0, -day.length))
  const holders = [...tables.payments.values()].map(({ owner }) => owner)
  const near = [...new Set([...spenders, ...holders])].toSorted().flatMap(owner => {
    const use = ownerUse(tables, owner, nowSeconds)
    const used = use.settlements + use.unsent
    const limit = dailyLimit(limits, use)
    return limit === undefined || used < NEAR_LIMIT * limit ? [] : [{ owner, used, limit }]
  })
  const at = near.filter(({ used, limit }) => used >= limit).length
  return { near: near.length - at, at, owners: near.slice(0, NEAR_OWNERS_SHOWN) }
}

/** An owner's use on the UTC day of this time; the payment `except` is not counted. */
export function ownerUse(
  { payments, ownerUse: used, sponsorships }: MemoryTables,
  owner: string,
  nowSeconds: number,
  except?: string,
): OwnerUseNow {
  const isOpen = ({ key, state, holdUntil, owner: of }: MemoryPayment): boolean =>
    of === owner &&
    key !== except &&
    (state === 'captured' || state === 'submitted' || (state === 'held' && holdUntil > nowSeconds))
  const open = [...payments.values()].filter(isOpen)
  const today = used.get(`${owner} ${utcDay(nowSeconds)}`)
  const { sponsorship, granted } = sponsorships.get(owner) ?? { sponsorship: 'named' }
  return {
    sponsorship,
    granted,
    settlements: today?.settlements ?? 0,
    revertedGas: Number(today?.revertedGas ?? 0n),
    unsent: open.filter(row => row.state !== 'submitted').length,
    open: open.length,
    openAlone: open.filter(row => row.alone).length,
  }
}

/** Adds to today's use of an owner. */
export function countUse(
  { ownerUse: used }: MemoryTables,
  owner: string,
  nowSeconds: number,
  more: { readonly settlements?: number; readonly revertedGas?: bigint },
): void {
  const day = `${owner} ${utcDay(nowSeconds)}`
  const { settlements, revertedGas } = used.get(day) ?? { settlements: 0, revertedGas: 0n }
  used.set(day, {
    settlements: settlements + (more.settlements ?? 0),
    revertedGas: revertedGas + (more.revertedGas ?? 0n),
  })
}
