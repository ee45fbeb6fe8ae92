import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import type { InferInput, InferOutput } from '@farebox/protocol/translation/infer'

/** The context that a handler receives with its input. */
export interface JobContext {
  /** As the caller sent it. */
  readonly jobId: string
  readonly capability: string
  /** Lower-case address of the payer; undefined in dev mode. */
  readonly payer: string | undefined
  /** The deadline in Unix seconds, without the settle margin (D17). */
  readonly deadline: number
  /** Aborts at the deadline, and when another process has taken over the job. Pass it to every asynchronous call. */
  readonly signal: AbortSignal
  /** Milliseconds until the deadline, never below zero. */
  remainingMs(): number
  /** Writes a line to the agent's log, with the job's id. */
  log(message: string): void
  /** What the next spend can move, or moved in an earlier attempt at this job, in decimals: "2.5". Zero: nothing is permitted. */
  allowance(): Promise<string>
  /** Moves tokens of the payer, who permitted it, once for each call in each job. The capability declares it. */
  spend(order: SpendOrder): Promise<Spent>
  /** Orders a job from another agent (https, or http on this machine), and pays for it from this agent's own wallet, once. Throws a `HireError`. The payment is lost if this job fails afterwards. */
  hire(agent: string, capability: string, input: JsonObject, options?: HireOptions): Promise<Hired>
  /** The amounts that hires may still cost, in decimals; both zero if no payment is possible. */
  budget(): Promise<HireBudget>
}

/** Options of a hire. */
export interface HireOptions {
  /** Decimal USDC; default: the rest of the job's budget. */
  readonly maxPrice?: string
  /**
   * Identifies the hire within the job, so that a repeated run finds it whatever else the run does before; at most 200
   * characters. Default: the number of the call.
   */
  readonly key?: string
}

/** The result of a hire. */
export interface Hired {
  /** The declared fields of the output; undeclared fields are dropped. */
  readonly output: JsonObject
  /** The job_id of the hired job. */
  readonly jobId: string
  /** Decimal USDC; `"0"` if the agent required no payment. */
  readonly paid: string
  /** Hash of the transfer, as the agent reported it; undefined when it reported no valid one, or nothing was paid. */
  readonly transaction: string | undefined
  /** True when an earlier attempt at this job had already bought it; nothing was paid this time. */
  readonly resumed: boolean
}

/** The amounts that hires may still cost. */
export interface HireBudget {
  /** Decimal USDC, for this job. */
  readonly job: string
  /** Decimal USDC, for all jobs of this UTC day. */
  readonly day: string
}

/** A transfer of tokens out of the payer's wallet. */
export interface SpendOrder {
  /** The token as declared: `"USDC"`. */
  readonly token: string
  /** Decimal: `"0.25"`. */
  readonly amount: string
  /** Address of the recipient. */
  readonly to: string
}

/** A spend that is in a block. */
export interface Spent {
  /** The hash of the transaction. */
  readonly transaction: string
  /** True when an earlier attempt at this job, perhaps long ago, had already made it; nothing was moved this time. */
  readonly resumed: boolean
}

/**
 * Does one job: takes checked input and returns output that matches the output schema, or throws one of the typed
 * errors.
 */
export type Handler<Input = JsonObject, Output = JsonObject> = (
  input: Input,
  context: JobContext,
) => Output | Promise<Output>

/** The type of the handler for a declared capability. */
export type HandlerOf<C extends Capability> = Handler<
  InferInput<C['input_schema']>,
  InferOutput<C['output_schema']>
>

/** A handler for each capability; with a single capability the function alone is enough. */
export type HandlersOf<D extends Declaration> =
  | { readonly [name in keyof D['capabilities']]: HandlerOf<D['capabilities'][name]> }
  | (IsUnion<keyof D['capabilities']> extends true
      ? never
      : HandlerOf<D['capabilities'][keyof D['capabilities']]>)

/** Handlers as exported by a file, without known types. */
export type AnyHandlers = AnyHandler | { readonly [name: string]: AnyHandler }

/** A handler of any type: its output is checked against the schema in any case. */
// `never` accepts every parameter type, which is what a map of different handlers needs.
export type AnyHandler = (input: never, context: JobContext) => unknown

type IsUnion<T, U = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [U] extends [T]
      ? false
      : true
    : false

/** Thrown for handlers that do not match the declaration; it names every handler that is missing or surplus. */
export class MismatchedHandlers extends TypeError {
  override readonly name = 'MismatchedHandlers'
  /** Names of handlers without a capability. */
  readonly surplus: readonly string[]

  constructor(message: string, surplus: readonly string[] = []) {
    super(message)
    this.surplus = surplus
  }
}

/**
 * Matches handlers to the declared capabilities (interface, part 1.4).
 *
 * Throws a {@link MismatchedHandlers} that names every capability without a handler and every handler without a capability.
 */
export function matchHandlers(
  declaration: Declaration,
  handlers: unknown,
): ReadonlyMap<string, Handler<JsonObject, unknown>> {
  const names = Object.keys(declaration.capabilities)
  if (typeof handlers === 'function') {
    const [only, second] = names
    if (only === undefined || second !== undefined) {
      throw new MismatchedHandlers(
        `handlers: one function serves one capability, but ${names.length} are declared: export a map with ${names.join(', ')}`,
      )
    }
    return new Map([[only, asHandler(handlers)]])
  }
  if (typeof handlers !== 'object' || handlers === null) {
    throw new MismatchedHandlers(
      `handlers: must be a function or a map from capability name to function, with ${names.join(', ')}`,
    )
  }
  const given = new Map(Object.entries(handlers))
  const missing = names.filter(name => typeof given.get(name) !== 'function')
  const surplus = [...given.keys()].filter(name => !names.includes(name))
  if (missing.length > 0)
    throw new MismatchedHandlers(
      `handlers: no function for the declared ${missing.join(', ')}${meant(surplus, missing)}`,
      surplus,
    )
  if (surplus.length > 0)
    throw new MismatchedHandlers(
      `handlers: ${surplus.join(', ')} not declared; declared are ${names.join(', ')}${meant(surplus, names)}`,
      surplus,
    )
  return new Map(names.map(name => [name, asHandler(given.get(name))]))
}

/** `; is cuont meant to be count?` for the first surplus name that is similar to a wanted one; otherwise empty. */
function meant(surplus: readonly string[], wanted: readonly string[]): string {
  for (const name of surplus) {
    const close = nearest(name, wanted)
    if (close !== undefined) return `; is ${name} meant to be ${close}?`
  }
  return ''
}

/** The value is known to be a function; the schemas check its input and output at each call. */
function asHandler(value: unknown): Handler<JsonObject, unknown> {
  return value as Handler<JsonObject, unknown>
}
