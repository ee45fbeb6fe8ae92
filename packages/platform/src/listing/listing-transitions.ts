import type { ListingStatus } from '../agents/agent-row.ts'

/** Properties of a listing status. */
interface Status {
  /** Whether the agent's health is checked and its badge computed. */
  readonly isWatched: boolean
  /** Whether the proof that the wallet belongs to the owner stays valid. Without a proof callers are not sent to pay. */
  readonly keepsProof: boolean
}

/** The states of the state machine drawn in ARCHITECTURE.md. */
export const STATUSES: { readonly [S in ListingStatus]: Status } = {
  waiting: { isWatched: false, keepsProof: false },
  listed: { isWatched: true, keepsProof: true },
  provisional: { isWatched: true, keepsProof: false },
  refused: { isWatched: false, keepsProof: false },
  'taken-down': { isWatched: false, keepsProof: true },
  deregistered: { isWatched: false, keepsProof: false },
}

/**
 * An event in the life of an agent.
 *
 * - `registered`, `transferred`, `moved`, `unstaked`: from the contract. `transferred` also covers the same registration in
 *   another block, and `unstaked` a registration that is no longer on the chain.
 * - `restaked`: after a rewrite of the chain, the stake was not returned after all.
 * - `set aside`: the database refuses the agent's data from the contract.
 * - `inspected`: by the platform. `displaced`: the inspection of another agent gave that agent its endpoint.
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

/** One row of the table: an event, with the status before and after it. */
export interface ListingTransition {
  readonly on: ListingEvent
  /** `nothing`: the agent has no row yet. */
  readonly from: readonly (ListingStatus | 'nothing')[]
  readonly to: ListingStatus | 'same'
  /** `soon`: at once, then as often as after a registration. `planned`: at the time the inspection sets. */
  readonly inspect: 'soon' | 'planned' | 'never'
  /** The refused and provisional agents at the endpoint it had are inspected at once. */
  readonly vacates?: true
}

const SHOWN = ['listed', 'provisional'] as const
const OPEN = ['waiting', ...SHOWN, 'refused'] as const

/** The complete table of transitions. */
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
 * Finds the row of the table for an event.
 *
 * @throws {RangeError} when the table has none: the event cannot change the status in this way
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
