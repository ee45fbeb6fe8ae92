import { isDeepStrictEqual } from 'node:util'
import type { Declaration, JsonObject } from 'farebox'
import { behaviourOf } from '../handlers/behaviours.ts'
import { expectAnswer, type ExpectedRefusal } from '../oracle/expected-answer.ts'
import { readBody } from '../oracle/read-body.ts'
import { EXECUTE_URL } from '../run/fuzz-stage.ts'
import { breakBytes } from './accidents.ts'
import { POOR, type PaymentMaker } from './payment-maker.ts'
import { putAt } from './put-at.ts'
import type { Recipe } from './recipe.ts'

/** A `POST /execute` as it is sent. */
export interface WireRequest {
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** A request with its known properties. */
export type BuiltRequest = ReturnType<typeof buildRequest>

/** Builds the request of a recipe, and the answer it must get. */
export function buildRequest(recipe: Recipe, declaration: Declaration, maker: PaymentMaker, nowMs: number) {
  const { capability, jobId, inputSpoil, contentType, mode } = recipe
  const nowSeconds = nowMs / 1_000
  const input: JsonObject = { ...recipe.input.sent }
  if (inputSpoil !== undefined) putAt(input, inputSpoil.field, inputSpoil.value)
  const isLate = behaviourOf(recipe.behaviour).paid === 'late'
  const sent = {
    service_version: '1.0',
    job_id: jobId,
    task: { ...(recipe.isNamed && { capability }), input },
    deadline: nowSeconds + (isLate ? Math.min(5, recipe.secondsLeft) : recipe.secondsLeft),
  }
  for (const { path, value } of recipe.bodySpoils) putAt(sent, path, value)
  const job = { endpoint: EXECUTE_URL, capability, jobId }
  const payment =
    recipe.payment &&
    maker.make(recipe.payment, { nowSeconds, job, amount: priceOf(declaration, capability) })
  const body = breakBytes(JSON.stringify(sent), recipe.accidents)
  const names = Object.keys(declaration.capabilities)
  const read = readBody(contentType, body, names, nowMs)
  const isInputAsMade = read.capability === capability && isDeepStrictEqual(read.input, input)
  const isPaidForOther =
    read.capability !== capability || (recipe.payment?.bound === true && read.jobId !== jobId)
  const demand: ExpectedRefusal = {
    check: 'demand',
    ...(read.namesUnknown && { status: 400, errorType: 'capability' }),
  }
  const refusals: ExpectedRefusal[] = [
    ...read.refusals.map(check => ({ check })),
    ...(payment?.refusals ?? [demand]),
    ...(isPaidForOther ? [{ check: 'terms' } as const] : []),
    ...(inputSpoil && isInputAsMade ? [{ check: 'input', starts: inputSpoil.field } as const] : []),
    ...verifyRefusals(recipe),
  ]
  const type = contentType === undefined ? [] : [['content-type', contentType] as const]
  return {
    wire: { headers: [...type, ...(payment?.headers ?? [])], body },
    jobId: read.jobId,
    capability: read.capability ?? capability,
    expected: expectAnswer(mode, refusals),
    sentInput: read.input,
    /** The expected input of the handler if it is called; undefined: unknown, because the input was mutated. */
    input: isInputAsMade ? recipe.input.seen : undefined,
    /** The price that the 402 must have, in decimal atomic units. */
    demanded: priceOf(declaration, read.capability ?? names[0]),
    payment,
  }
}

/** Decimal atomic units; prices are whole cents. */
function priceOf({ capabilities }: Declaration, name = ''): string {
  const [, cents = ''] = (capabilities[name]?.pricing.amount ?? '').split('.')
  return String(10_000 * Number(cents))
}

/** The refusals of the facilitator. */
function verifyRefusals({ verifyFault, payment }: Recipe): readonly ExpectedRefusal[] {
  if (verifyFault === 'unauthorized') return [{ check: 'verify', status: 401 }]
  if (verifyFault === 'unavailable') return [{ check: 'verify', status: 500, errorType: 'internal' }]
  return verifyFault === 'invalid' || payment?.payer === POOR ? [{ check: 'verify' }] : []
}
