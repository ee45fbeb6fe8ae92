import type { ListingStatus } from '../agents/agent-row.ts'

/** What holds for an agent as long as it has a listing status. */
interface Status {
  /** Its health is checked and its badge computed. */
  readonly isWatched: boolean
  /** A proof that the wallet is the owner's stays valid. Without one nobody is sent to pay. */
  readonly keepsProof: boolean
}

/** The states of the machine that ARCHITECTURE.md draws. */
export const STATUSES: { readonly [S in ListingStatus]: Status } = {
  waiting: { isWatched: false, keepsProof: false },
  listed: { isWatched: true, keepsProof: true },
  provisional: { isWatched: true, keepsProof: false },
  refused: { isWatched: false, keepsProof: false },
  'taken-down': { isWatched: false, keepsProof: true },
  deregistered: { isWatched: false, keepsProof: false },
}

/**
 * What happens to an agent.
 *
 * - `registered`, `transferred`, `moved`, `unstaked`: the contract says so. Transferred is also the same registration in
 *   another block; unstaked, too, one that is not on the chain any more.
 * - `restaked`: a chain that was rewritten has not returned its stake after all.
 * - `set aside`: the database refuses what the contract says of it.
 * - `inspected`: by the platform. `displaced`: the inspection of another agent gave that one its endpoint.
 * - `taken down`, `restored`: by the operator.
 */
export type ListingEvent =
  | 'registered'
  | 'transferred'
  | 'moved'
  | 'unstaked'
  | 'restaked'
  | 'set aside'
  | 'inspected'
  | 'displaced'
  | 'taken down'
  | 'restored'

/** One row of the table: an event, the status it finds and the one it leaves. */
export interface ListingTransition {
  readonly on: ListingEvent
  /** `nothing`: there is no row yet. */
  readonly from: readonly (ListingStatus | 'nothing')[]
  readonly to: ListingStatus | 'same'
  /** `soon`: at once, and then as often as after a registration. `planned`: when the inspection says. */
  readonly inspect: 'soon' | 'planned' | 'never'
  /** Whoever else is refused or provisional at the endpoint it had is inspected at once. */
  readonly vacates?: true
}

const SHOWN = ['listed', 'provisional'] as const
const OPEN = ['waiting', ...SHOWN, 'refused'] as const

/** The transitions of the machine. There are no others. */
export const TRANSITIONS: readonly ListingTransition[] = [
  { on: 'registered', from: ['nothing'], to: 'waiting', inspect: 'soon' },
  { on: 'registered', from: ['nothing'], to: 'deregistered', inspect: 'never' },

  { on: 'transferred', from: OPEN, to: 'same', inspect: 'soon' },
  { on: 'transferred', from: ['taken-down'], to: 'same', inspect: 'never' },

  { on: 'moved', from: OPEN, to: 'waiting', inspect: 'soon', vacates: true },
  { on: 'moved', from: ['taken-down'], to: 'same', inspect: 'never', vacates: true },

  { on: 'unstaked', from: [...OPEN, 'taken-down'], to: 'deregistered', inspect: 'never', vacates: true },

  { on: 'restaked', from: ['deregistered'], to: 'waiting', inspect: 'soon', vacates: true },
  { on: 'restaked', from: ['deregistered'], to: 'taken-down', inspect: 'never', vacates: true },

  { on: 'set aside', from: ['nothing'], to: 'refused', inspect: 'never' },
  { on: 'set aside', from: ['nothing'], to: 'deregistered', inspect: 'never' },
  { on: 'set aside', from: [...OPEN, 'deregistered'], to: 'refused', inspect: 'never', vacates: true },
  { on: 'set aside', from: [...OPEN, 'taken-down'], to: 'deregistered', inspect: 'never', vacates: true },
  { on: 'set aside', from: ['taken-down', 'deregistered'], to: 'same', inspect: 'never', vacates: true },

  { on: 'inspected', from: OPEN, to: 'listed', inspect: 'planned' },
  { on: 'inspected', from: OPEN, to: 'provisional', inspect: 'planned' },
  { on: 'inspected', from: ['waiting', 'refused'], to: 'refused', inspect: 'planned' },
  { on: 'inspected', from: SHOWN, to: 'refused', inspect: 'planned', vacates: true },
  { on: 'displaced', from: SHOWN, to: 'refused', inspect: 'never' },

  { on: 'taken down', from: [...OPEN, 'taken-down'], to: 'taken-down', inspect: 'never' },
  { on: 'restored', from: ['taken-down'], to: 'waiting', inspect: 'soon' },
]

/**
 * The row of the table for an event.
 *
 * @throws {RangeError} where the table has none: an agent of this status cannot become that by this event
 */
export function findTransition(
  event: ListingEvent,
  from: ListingStatus | 'nothing',
  to: ListingStatus,
): ListingTransition {
  const found = TRANSITIONS.find(
    one => one.on === event && one.from.includes(from) && (one.to === 'same' ? to === from : to === one.to),
  )
  if (found === undefined)
    throw new RangeError(`an agent that is ${from} cannot become ${to} when it is ${event}`)
  return found
}
