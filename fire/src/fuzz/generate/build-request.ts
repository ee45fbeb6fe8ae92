import type { Capability, Declaration, JsonObject } from 'farebox'
import { createRandom, type Random } from '../../simulator/seeded-random.ts'
import { behaviourOf } from '../handlers/behaviours.ts'
import { expectAnswer, verifyRefusals } from '../oracle/expect-answer.ts'
import type { ExpectedAnswer, ExpectedRefusal } from '../oracle/expected-answer.ts'
import { ORDER_OF_CHECKS } from '../oracle/order-of-checks.ts'
import { BODY_SPOILS, type BodySpoil } from './body-spoils.ts'
import { makeInput, makeOutput } from './make-value.ts'
import { EXECUTE_URL, type PaymentMaker } from './payment-draft.ts'
import { makePayment, type MadePayment } from './make-payment.ts'
import type { Recipe } from './recipe.ts'
import { spoilInput } from './spoil-input.ts'

/** A request as it is sent, before it becomes anybody's object. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Buffer | undefined
}

/** A request with all that is known of it because we made it. */
export interface BuiltRequest {
  readonly wire: WireRequest
  readonly jobId: string
  readonly capability: string
  readonly expected: ExpectedAnswer
  /** What the handler must be given, where it is called. */
  readonly input: JsonObject
  /** What a handler of good will returns. */
  readonly output: JsonObject
  /** Unix seconds. */
  readonly deadline: number
  /** Decimal atomic units that the 402 must ask for. */
  readonly demanded: string
  readonly payment: MadePayment | undefined
}

/** Where a request is made: the agent it is for, and the time. */
export interface BuildScene {
  readonly declaration: Declaration
  readonly maker: PaymentMaker
  readonly nowSeconds: number
  readonly jobId: string
}

/** Makes the request of a recipe, and the answer it must get. */
export function buildRequest(recipe: Recipe, scene: BuildScene): BuiltRequest {
  const random = createRandom(recipe.seed)
  const names = Object.keys(scene.declaration.capabilities)
  const named = recipe.capability < 0 ? undefined : names[recipe.capability % names.length]
  const capability = named ?? names[0] ?? ''
  const declared = capabilityOf(scene.declaration, capability)
  const { sent, seen } = makeInput(random.fork('input'), declared.input_schema)
  const spoilt = recipe.inputSpoilt
    ? spoilInput(random.fork('spoil'), declared.input_schema, sent)
    : undefined
  const takesTime = behaviourOf(recipe.behaviour).takesTime === true
  const deadline = scene.nowSeconds + (takesTime ? 5 : random.pick([5, 20, 20.5, 3_600]))
  const body: JsonObject = {
    service_version: '1.0',
    job_id: scene.jobId,
    task: { ...(named !== undefined && { capability: named }), input: sent },
    deadline,
    ...(random.chance(0.1) && { trace: { nobody: 'asked' } }),
  }
  const spoils = recipe.bodySpoils.flatMap(name => BODY_SPOILS[name] ?? [])
  const wiredBody = writeBody(body, spoils, { random, nowSeconds: scene.nowSeconds, capabilities: names })
  const priceOf = (name = ''): string => String(10_000 * indexOfPrice(scene.declaration, name))
  const payment =
    recipe.payment &&
    makePayment(random.fork('payment'), recipe.payment, {
      maker: scene.maker,
      nowSeconds: scene.nowSeconds,
      job: { endpoint: EXECUTE_URL, capability, jobId: scene.jobId },
      amount: priceOf(capability),
    })
  const refusals = [
    ...spoils.map(({ refusal }) => refusal),
    ...(payment?.refusals ?? []),
    ...(spoilt === undefined ? [] : [{ check: 'input', errorStarts: spoilt } as const]),
    ...verifyRefusals(recipe),
  ]
  return {
    wire: {
      method: 'POST',
      url: random.pick([EXECUTE_URL, EXECUTE_URL, `${EXECUTE_URL}?trace=1`]),
      headers: [...typeHeader(spoils, random), ...(payment?.headers ?? [])],
      body: wiredBody.text,
    },
    jobId: scene.jobId,
    capability,
    expected: expectAnswer(recipe, refusals, wiredBody.readable, names),
    input: seen,
    output: makeOutput(random.fork('output'), declared.output_schema),
    deadline,
    demanded: priceOf(wiredBody.readable === undefined ? names[0] : demandedName(wiredBody.readable, names)),
    payment,
  }
}

function capabilityOf(declaration: Declaration, name: string): Capability {
  const capability = declaration.capabilities[name]
  if (capability === undefined) throw new RangeError(`no capability ${name}`)
  return capability
}

/** Spoils of the object first, then at most one of its bytes; `readable` is what is left to be read, if anything. */
function writeBody(
  body: JsonObject,
  spoils: readonly BodySpoil[],
  scene: { readonly random: Random; readonly nowSeconds: number; readonly capabilities: readonly string[] },
): { readonly text: string | Buffer; readonly readable: JsonObject | undefined } {
  const inOrder = spoils.toSorted((a, b) => orderOf(a.refusal) - orderOf(b.refusal))
  // The one judged first is made last, so that no other undoes it.
  for (const spoil of inOrder.toReversed()) spoil.object?.(body, scene)
  const text = JSON.stringify(body)
  const bytes = inOrder.find(spoil => spoil.bytes)?.bytes
  return bytes === undefined
    ? { text, readable: body }
    : { text: bytes(text, scene.random), readable: undefined }
}

function typeHeader(spoils: readonly BodySpoil[], random: Random): readonly (readonly [string, string])[] {
  const spoil = spoils.find(({ contentType }) => contentType)?.contentType
  if (spoil === undefined) {
    return [
      [
        'content-type',
        random.pick([
          'application/json',
          'application/json',
          'Application/JSON; charset=UTF-8',
          'application/json;charset="utf-8"',
          'application/json; charset=latin1; v=1',
          'application/json;',
        ]),
      ],
    ]
  }
  const type = spoil(random)
  return type === undefined ? [] : [['content-type', type]]
}

/** Prices are whole cents: the count of them. */
function indexOfPrice(declaration: Declaration, name: string): number {
  return Number((declaration.capabilities[name]?.pricing.amount ?? '0.00').slice(2).padEnd(2, '0'))
}

function demandedName(body: JsonObject, names: readonly string[]): string | undefined {
  const { task } = body
  const name = isObject(task) ? task['capability'] : undefined
  return typeof name === 'string' && names.includes(name) ? name : names[0]
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function orderOf({ check }: ExpectedRefusal): number {
  return ORDER_OF_CHECKS[check]
}
