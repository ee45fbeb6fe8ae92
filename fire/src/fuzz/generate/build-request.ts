import type { Declaration, JsonObject } from 'farebox'
import { behaviourOf } from '../handlers/behaviours.ts'
import { expectAnswer, verifyRefusals } from '../oracle/expect-answer.ts'
import type { ExpectedAnswer, ExpectedRefusal } from '../oracle/expected-answer.ts'
import { ORDER_OF_CHECKS } from '../oracle/order-of-checks.ts'
import { BODY_SPOILS, type BodyScene, type BodySpoil } from './body-spoils.ts'
import { spoilInput } from './input-spoils.ts'
import { EXECUTE_URL, type PaymentMaker } from './payment-draft.ts'
import { makePayment, type MadePayment } from './make-payment.ts'
import type { ExecuteRecipe } from './recipe.ts'

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
}

/** Makes the request of a recipe, and the answer it must get. */
export function buildRequest(recipe: ExecuteRecipe, scene: BuildScene): BuiltRequest {
  const { capability, jobId, input, inputSpoil } = recipe
  const { declaration, nowSeconds } = scene
  const names = Object.keys(declaration.capabilities)
  const deadline = nowSeconds + (behaviourOf(recipe.behaviour).takesTime === true ? 5 : recipe.secondsLeft)
  const body: JsonObject = {
    service_version: '1.0',
    job_id: jobId,
    task: {
      ...(recipe.isNamed && { capability }),
      input: inputSpoil === undefined ? input.sent : spoilInput(input.sent, inputSpoil),
    },
    deadline,
    ...(recipe.hasTrace && { trace: { surplus: 'key' } }),
  }
  const spoils = recipe.bodySpoils.flatMap(({ name, pick }) => {
    const spoil = BODY_SPOILS[name]
    return spoil === undefined ? [] : [{ ...spoil, pick }]
  })
  const wiredBody = writeBody(body, spoils, { nowSeconds, capabilities: names })
  const priceOf = (name = ''): string => String(10_000 * indexOfPrice(declaration, name))
  const payment =
    recipe.payment &&
    makePayment(recipe.payment, {
      maker: scene.maker,
      nowSeconds,
      job: { endpoint: EXECUTE_URL, capability, jobId },
      amount: priceOf(capability),
    })
  const refusals = [
    ...spoils.map(({ refusal }) => refusal),
    ...(payment?.refusals ?? []),
    ...(inputSpoil === undefined ? [] : [{ check: 'input', errorStarts: inputSpoil.field } as const]),
    ...verifyRefusals(recipe),
  ]
  return {
    wire: {
      method: 'POST',
      url: EXECUTE_URL + recipe.query,
      headers: [...typeHeader(spoils, recipe.contentType), ...(payment?.headers ?? [])],
      body: wiredBody.text,
    },
    jobId,
    capability,
    expected: expectAnswer(recipe, refusals, wiredBody.readable, names),
    input: input.seen,
    output: recipe.output,
    deadline,
    demanded: priceOf(wiredBody.readable === undefined ? names[0] : demandedName(wiredBody.readable, names)),
    payment,
  }
}

interface ChosenSpoil extends BodySpoil {
  readonly pick: number
}

/** Spoils of the object first, then at most one of its bytes; `readable` is what is left to be read, if anything. */
function writeBody(
  body: JsonObject,
  spoils: readonly ChosenSpoil[],
  scene: Omit<BodyScene, 'pick'>,
): { readonly text: string | Buffer; readonly readable: JsonObject | undefined } {
  const inOrder = spoils.toSorted((a, b) => orderOf(a.refusal) - orderOf(b.refusal))
  // The one judged first is made last, so that no other undoes it.
  for (const spoil of inOrder.toReversed()) spoil.object?.(body, { ...scene, pick: spoil.pick })
  const text = JSON.stringify(body)
  const broken = inOrder.find(spoil => spoil.bytes)
  const bytes = broken?.bytes?.(text, broken.pick)
  return bytes === undefined ? { text, readable: body } : { text: bytes, readable: undefined }
}

function typeHeader(spoils: readonly ChosenSpoil[], good: string): readonly (readonly [string, string])[] {
  const spoil = spoils.find(({ contentType }) => contentType)
  const type = spoil?.contentType === undefined ? good : spoil.contentType(spoil.pick)
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
