import type { Random } from '../../simulator/seeded-random.ts'
import { BEHAVIOURS } from '../handlers/behaviours.ts'
import type { Mode } from '../mode.ts'
import { BODY_SPOILS } from './body-spoils.ts'
import { PAYMENT_SPOILS } from './payment-spoils.ts'

/**
 * How one request is made: plain JSON, so that it can be printed, replayed and shrunk. All that is left to chance
 * comes from its own seed.
 */
export interface Recipe {
  readonly seed: number
  readonly mode: Mode
  /** By what the request is made: by the rules, or broken at random in its bytes. */
  readonly kind: 'execute' | 'route' | 'wild'
  /** Index of the capability; -1: none is named, so the first is meant. */
  readonly capability: number
  /** What is wrong with the body, by name. */
  readonly bodySpoils: readonly string[]
  /** Undefined: no payment is sent. Otherwise what is wrong with it, by name. */
  readonly payment:
    | {
        readonly spoils: readonly string[]
        readonly bound: boolean
        readonly alias: boolean
        readonly poor: boolean
      }
    | undefined
  readonly inputSpoilt: boolean
  readonly behaviour: string
  /** What the facilitator does out of order. */
  readonly verifyFault: 'invalid' | 'unauthorized' | 'unavailable' | undefined
  readonly settleFault: 'failed' | 'unknown once' | 'unknown for long' | undefined
  /** What is sent after it, or beside it. */
  readonly repeat: Repeat | undefined
}

export type Repeat =
  | 'the same again'
  | 'the same beside it'
  | 'a new authorization'
  | 'another payer'
  | 'the payment for another job'
  | 'two jobs with one payment at once'

/** All of them. */
export const REPEATS: readonly Repeat[] = [
  'the same again',
  'the same beside it',
  'a new authorization',
  'another payer',
  'the payment for another job',
  'two jobs with one payment at once',
]

const BODY_NAMES = Object.keys(BODY_SPOILS)
const PAYMENT_NAMES = Object.keys(PAYMENT_SPOILS)
const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS)
/** Slow to make and slow to read: rarer than the rest. */
const HEAVY = new Set([
  'too large',
  'body too deep',
  'header huge',
  'field endless array',
  'surplus field endless array',
])
/** What a handler of good will does. */
export const QUIET = 'right output at once'

/** Draws a recipe for an agent in a mode. */
export function drawRecipe(random: Random, mode: Mode): Recipe {
  const kind = random.chance(0.06) ? 'route' : random.chance(0.12) ? 'wild' : 'execute'
  const payment = drawPayment(random, mode)
  const bodySpoils = drawSome(random, BODY_NAMES, [0.62, 0.9])
  const inputSpoilt = random.chance(0.12)
  const behaviour = random.chance(0.45) ? QUIET : light(random, BEHAVIOUR_NAMES)
  const verifyFault = random.chance(0.05)
    ? random.pick(['invalid', 'unauthorized', 'unavailable'] as const)
    : undefined
  const settleFault = random.chance(0.04)
    ? random.pick(['failed', 'failed', 'unknown once', 'unknown for long'] as const)
    : undefined
  const isQuiet = bodySpoils.length === 0 && !inputSpoilt && behaviour === QUIET && verifyFault === undefined
  return {
    seed: random.between(0, 0x7fffffff),
    mode,
    kind,
    capability: random.between(-1, 3),
    bodySpoils,
    payment,
    inputSpoilt,
    behaviour,
    verifyFault,
    settleFault,
    repeat: isQuiet && settleFault === undefined && random.chance(0.3) ? random.pick(REPEATS) : undefined,
  }
}

function drawPayment(random: Random, mode: Mode): Recipe['payment'] {
  if (random.chance(mode === 'dev' ? 0.8 : 0.15)) return undefined
  return {
    spoils: drawSome(random, PAYMENT_NAMES, [0.62, 0.93]),
    bound: random.chance(0.5),
    alias: random.chance(0.15),
    poor: random.chance(0.03),
  }
}

/** None below the first chance, one below the second, else two or three. */
function drawSome(
  random: Random,
  names: readonly string[],
  [none, one]: readonly [number, number],
): readonly string[] {
  const share = random.next()
  const many = share < none ? 0 : share < one ? 1 : random.between(2, 3)
  return [...new Set(Array.from({ length: many }, () => light(random, names)))]
}

function light(random: Random, names: readonly string[]): string {
  const name = random.pick(names)
  return HEAVY.has(name) && random.chance(0.6) ? random.pick(names) : name
}
