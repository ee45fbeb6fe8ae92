import type { OwnerLedger, OwnerUse, Sponsorship } from '../owner-ledger.ts'
import { utcDay, type MemoryPayment, type MemoryTables } from './memory-tables.ts'

/** What an owner has used today, and has open now. */
export interface OwnerUseNow extends OwnerUse {
  readonly open: number
  readonly openAlone: number
}

/** {@link OwnerLedger} in memory. */
export function createMemoryOwners(tables: MemoryTables): OwnerLedger {
  return {
    async use(owner, nowSeconds) {
      const { sponsorship, settlements, unsent, revertedGas } = ownerUse(tables, owner, nowSeconds)
      return await Promise.resolve({ sponsorship, settlements, unsent, revertedGas })
    },
    async sponsor(owner, sponsorship) {
      sponsor(tables, owner, sponsorship)
      await Promise.resolve()
    },
    async unname(owner) {
      if (tables.sponsorships.get(owner) !== 'listed') tables.sponsorships.set(owner, 'unlisted')
      await Promise.resolve()
    },
  }
}

/** Says why the gas of an owner is paid. One that is named stays named. */
export function sponsor({ sponsorships }: MemoryTables, owner: string, sponsorship: Sponsorship): void {
  if (sponsorships.get(owner) !== 'named') sponsorships.set(owner, sponsorship)
}

/** Of the UTC day of this time; `except` is not counted. */
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
  return {
    sponsorship: sponsorships.get(owner) ?? 'named',
    settlements: today?.settlements ?? 0,
    revertedGas: Number(today?.revertedGas ?? 0n),
    unsent: open.filter(row => row.state !== 'submitted').length,
    open: open.length,
    openAlone: open.filter(row => row.alone).length,
  }
}

/** Adds to what an owner has used today. */
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
