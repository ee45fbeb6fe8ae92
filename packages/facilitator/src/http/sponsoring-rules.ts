import type { Sponsorship } from '../ledger/owner-ledger.ts'

/** The longest name of an owner. */
export const MAX_OWNER_CHARACTERS = 200

const KINDS: readonly string[] = ['named', 'listed', 'unlisted'] satisfies readonly Sponsorship[]

/** The error for a body with another sponsorship. */
export const SPONSORSHIP_RULE = `sponsorship must be one of ${KINDS.join(', ')}`

/** Is this one of the reasons for which an owner's gas is paid? */
export function isSponsorship(value: unknown): value is Sponsorship {
  return typeof value === 'string' && KINDS.includes(value)
}

/** The most settlements a day that the ledger can count. */
const MOST_GRANTED = 2_147_483_647

/** The error for a body with another grant. */
export const GRANT_RULE = `dailySettlements must be a whole number, 1 to ${MOST_GRANTED}`

/** Is this a valid number of granted settlements a day, or absent? */
export function isGrant(value: unknown): value is number | undefined {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_GRANTED)
  )
}

/** Is this a valid name of an owner? */
export function isOwnerName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_OWNER_CHARACTERS
}
