import type { Declaration, JsonObject } from 'farebox'
import { behaviourOf } from '../handlers/behaviours.ts'
import {
  expectAnswer,
  orderOf,
  type ExpectedAnswer,
  type ExpectedRefusal,
} from '../oracle/expected-answer.ts'
import { BODY_SPOILS, type BodyScene, type BodySpoil } from './body-spoils.ts'
import { spoilInput } from './input-spoils.ts'
import { EXECUTE_URL } from '../run/fuzz-stage.ts'
import { POOR, type MadePayment, type PaymentMaker } from './payment-maker.ts'
import type { ExecuteRecipe } from './recipe.ts'
import { isObject, type OpenObject } from './wrong-values.ts'

/** A `POST /execute` as it is sent. */
export interface WireRequest {
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Buffer
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
  /** Decimal atomic units that the 402 must ask for. */
  readonly demanded: string
  readonly payment: MadePayment | undefined
}

/** Makes the request of a recipe, and the answer it must get. */
export function buildRequest(
  recipe: ExecuteRecipe,
  declaration: Declaration,
  maker: PaymentMaker,
  nowSeconds: number,
): BuiltRequest {
  const { capability, jobId, input, inputSpoil, mode } = recipe
  const names = Object.keys(declaration.capabilities)
  const body = {
    service_version: '1.0',
    job_id: jobId,
    task: {
      ...(recipe.isNamed && { capability }),
      input: inputSpoil === undefined ? input.sent : spoilInput(input.sent, inputSpoil),
    },
    deadline: nowSeconds + (behaviourOf(recipe.behaviour).paid === 'late' ? 5 : recipe.secondsLeft),
  }
  const spoils = recipe.bodySpoils.flatMap(({ name, pick }) => {
    const spoil = BODY_SPOILS[name]
    return spoil === undefined ? [] : [{ ...spoil, pick }]
  })
  const { text, named } = writeBody(body, spoils, { nowSeconds, capabilities: names })
  const job = { endpoint: EXECUTE_URL, capability, jobId }
  const payment =
    recipe.payment &&
    maker.make(recipe.payment, { nowSeconds, job, amount: priceOf(declaration, capability) })
  const refusals: ExpectedRefusal[] = [
    ...spoils.map(({ check }) => ({ check })),
    ...(payment?.refusals ?? []),
    ...(inputSpoil === undefined ? [] : [{ check: 'input', starts: inputSpoil.field } as const]),
    ...verifyRefusals(recipe),
  ]
  const isKnown = typeof named === 'string' && names.includes(named)
  const namesUnknown = named !== undefined && !isKnown
  return {
    wire: { headers: [...typeHeader(spoils, recipe.contentType), ...(payment?.headers ?? [])], body: text },
    jobId,
    capability,
    expected: expectAnswer({ mode, isPaid: payment !== undefined, namesUnknown }, refusals),
    input: input.seen,
    output: recipe.output,
    demanded: priceOf(declaration, isKnown ? named : names[0]),
    payment,
  }
}

type ChosenSpoil = BodySpoil & { readonly pick: number }

/** Spoils of the object first, then at most one of its bytes; `named` is the capability that can still be read. */
function writeBody(
  body: OpenObject,
  spoils: readonly ChosenSpoil[],
  scene: BodyScene,
): { readonly text: string | Buffer; readonly named: unknown } {
  const inOrder = spoils.toSorted((a, b) => orderOf(a.check) - orderOf(b.check))
  // The one judged first is made last, so that no other undoes it.
  for (const spoil of inOrder.toReversed()) spoil.object?.(body, spoil.pick, scene)
  const text = JSON.stringify(body)
  const broken = inOrder.find(spoil => spoil.bytes)
  if (broken?.bytes !== undefined) return { text: broken.bytes(text, broken.pick), named: undefined }
  return { text, named: isObject(body['task']) ? body['task']['capability'] : undefined }
}

function typeHeader(spoils: readonly ChosenSpoil[], good: string): readonly (readonly [string, string])[] {
  const spoil = spoils.find(({ contentType }) => contentType)
  const type = spoil?.contentType === undefined ? good : spoil.contentType(spoil.pick)
  return type === undefined ? [] : [['content-type', type]]
}

/** Decimal atomic units; prices are whole cents. */
function priceOf({ capabilities }: Declaration, name = ''): string {
  const [, cents = ''] = (capabilities[name]?.pricing.amount ?? '').split('.')
  return String(10_000 * Number(cents))
}

/** What the facilitator refuses. */
function verifyRefusals({ verifyFault, payment }: ExecuteRecipe): readonly ExpectedRefusal[] {
  if (verifyFault === 'unauthorized') return [{ check: 'verify', status: 401 }]
  if (verifyFault === 'unavailable') return [{ check: 'verify', status: 500, errorType: 'internal' }]
  return verifyFault === 'invalid' || payment?.payer === POOR ? [{ check: 'verify' }] : []
}
