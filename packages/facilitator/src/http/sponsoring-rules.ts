import type { Sponsorship } from '../ledger/owner-ledger.ts'

/** An owner's name is not longer than that. */
export const MAX_OWNER_CHARACTERS = 200

const KINDS: readonly string[] = ['named', 'listed', 'unlisted'] satisfies readonly Sponsorship[]

/** For a body that says something else. */
export const SPONSORSHIP_RULE = `sponsorship must be one of ${KINDS.join(', ')}`

/** Is it one of the reasons for which an owner's gas is paid? */
export function isSponsorship(value: unknown): value is Sponsorship {
  return typeof value === 'string' && KINDS.includes(value)
}

/** As many settlements a day as the ledger can count. */
const MOST_GRANTED = 2_147_483_647

/** For a body that grants something else. */
export const GRANT_RULE = `dailySettlements must be a whole number, 1 to ${MOST_GRANTED}`

/** Is it so many settlements a day as can be granted, or absent? */
export function isGrant(value: unknown): value is number | undefined {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_GRANTED)
  )
}

/** Is it a name that an owner can have? */
export function isOwnerName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_OWNER_CHARACTERS
}
