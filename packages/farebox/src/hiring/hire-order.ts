import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { HireRequest } from '../handler/job-hiring.ts'
import { hireError } from './hire-errors.ts'

/** A checked hire. */
export interface HireOrder {
  /** The agent as given; the client checks whether it is a URL. */
  readonly agent: string
  readonly capability: string
  /** A copy as plain JSON, so that later changes by the handler do not affect the order. */
  readonly input: JsonObject
  /** Atomic units; undefined: limited only by the budget. */
  readonly maxAtomic: bigint | undefined
  readonly key: string | undefined
}

const MAX_KEY_CHARACTERS = 200
const MAX_URL_CHARACTERS = 2_000
/** Leaves space for the rest of the request body. */
const MAX_INPUT_BYTES = MAX_BODY_BYTES - 4_096

/** Checks the arguments of `ctx.hire`. Throws a `HireError` that names the invalid one. */
export function checkHireOrder({ agent, capability, input, options }: HireRequest): HireOrder {
  const refuse = (reason: string): never => {
    throw hireError('arguments', String(agent).slice(0, MAX_URL_CHARACTERS), 'no', `ctx.hire: ${reason}`)
  }
  if (typeof agent !== 'string' || agent.length > MAX_URL_CHARACTERS) return refuse('the agent must be a URL')
  if (typeof capability !== 'string') return refuse('the capability must be a string')
  const { maxPrice, key } = (typeof options === 'object' && options !== null ? options : {}) as {
    readonly [name: string]: unknown
  }
  const most = maxPrice === undefined ? undefined : readPrice(maxPrice)
  if (most?.ok === false) return refuse(`maxPrice: ${most.reason}`)
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > MAX_KEY_CHARACTERS))
    return refuse(`key: must be a string of 1 to ${MAX_KEY_CHARACTERS} characters`)
  const text = write(input)
  if (text?.startsWith('{') !== true) return refuse('the input must be an object that JSON can carry')
  if (Buffer.byteLength(text) > MAX_INPUT_BYTES)
    return refuse(`the input must be at most ${MAX_INPUT_BYTES} bytes of JSON`)
  return { agent, capability, input: JSON.parse(text) as JsonObject, maxAtomic: most?.atomic, key }
}

function write(input: unknown): string | undefined {
  try {
    return JSON.stringify(input)
  } catch {
    return undefined
  }
}
