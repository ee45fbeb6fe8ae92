import { isDeepStrictEqual } from 'node:util'
import type { BuiltRequest } from '../generate/build-request.ts'
import type { FuzzStage, GateEvent, HandlerCall } from '../run/fuzz-stage.ts'
import { readObject, refuseAnswer, type ReadAnswer } from './answer-table.ts'
import { findLeak, type Foreseen } from './foresee.ts'

/** The course of a request. */
export interface Course {
  readonly answer: ReadAnswer
  readonly calls: readonly HandlerCall[]
  readonly events: readonly GateEvent[]
}

/** The number of requests to the gate. */
export function countCalls({ events }: Course, call: 'verify' | 'settle'): number {
  return events.filter(event => event.call === call).length
}

/** Whether a capability's schema accepts an input, by an independent validator. */
export type InputJudge = (capability: string, input: unknown) => string | undefined

/** The deviation of a request from its expected course; undefined if there is none. */
export function checkCourse(
  stage: FuzzStage,
  built: BuiltRequest,
  foreseen: Foreseen,
  course: Course,
  judgeInput: InputJudge,
): string | undefined {
  const { answer } = course
  return (
    refuseAnswer(answer) ??
    findLeak(answer.text, stage.mode === 'dev' && answer.status === 200) ??
    judgeAnswer(built, foreseen, answer) ??
    judgeHandler(built, foreseen, course, judgeInput) ??
    checkMoney(stage, built, foreseen, course) ??
    (answer.status === 200 ? judgeSuccess(stage, built, foreseen, answer) : undefined)
  )
}

function judgeAnswer(
  { demanded }: BuiltRequest,
  { statuses, answer }: Foreseen,
  { status, text }: ReadAnswer,
): string | undefined {
  const { check = 'nothing wrong', errorType, error, starts = '' } = answer
  const was = `(${check}), it was ${status}: ${text.slice(0, 300)}`
  if (!statuses.includes(status)) return `${statuses.join(' or ')} was due ${was}`
  if (statuses.length > 1 || status === 200 || status === 503) return undefined
  const body = readObject(text) ?? {}
  const { accepts, error_type: saidType, error: said } = body
  if (Array.isArray(accepts) !== (check === 'demand' && status === 402))
    return `no demand, or one too many ${was}`
  // The schema of a demand was checked.
  if (Array.isArray(accepts))
    return accepts[0].maxAmountRequired === demanded ? undefined : `the price is ${demanded} ${was}`
  if (errorType !== undefined && saidType !== errorType) return `error_type ${errorType} was due ${was}`
  // JSON and UTF-8 keep a lone surrogate only as an escape.
  if (error !== undefined && said !== error) return `${JSON.stringify(error)} was due ${was}`
  return String(said).startsWith(starts) ? undefined : `it is not about ${starts} ${was}`
}

function judgeHandler(
  built: BuiltRequest,
  foreseen: Foreseen,
  { calls }: Course,
  judgeInput: InputJudge,
): string | undefined {
  if (calls.length !== foreseen.handlerCalls)
    return `the handler ran ${calls.length} times where ${foreseen.handlerCalls} were due`
  for (const call of calls) {
    const refused = judgeInput(call.capability, call.input)
    if (refused !== undefined) return `the handler was given what its schema refuses: ${refused}`
    if (call.capability !== built.capability) return `${call.capability} ran instead of ${built.capability}`
    if (built.input !== undefined && !isDeepStrictEqual(call.input, built.input))
      return `the handler was given ${short(call.input)} where ${short(built.input)} was due`
  }
  return undefined
}

function checkMoney(
  { gate, mode }: FuzzStage,
  { payment }: BuiltRequest,
  foreseen: Foreseen,
  course: Course,
): string | undefined {
  const { events, answer } = course
  const [verifies, settles] = [countCalls(course, 'verify'), countCalls(course, 'settle')]
  const [least, most] = foreseen.settleCalls
  if (verifies !== foreseen.verifyCalls)
    return `verified ${verifies} times where ${foreseen.verifyCalls} were due`
  if (settles < least || settles > most) return `settled ${settles} times where ${least} to ${most} were due`
  for (const { call, key } of events) {
    if (call === 'settle' && !gate.verified.has(key)) return 'a payment was charged that was never found good'
    if (key !== payment?.key) return 'another payment than the one sent was asked about'
  }
  if (mode === 'dev') return undefined
  const isCharged = payment !== undefined && gate.charged.has(payment.key)
  if (answer.status === 200 && !isCharged) return 'a 200 that nobody paid for'
  return isCharged && answer.status !== 200 && answer.status !== 503
    ? `charged, and answered ${answer.status}`
    : undefined
}

function judgeSuccess(
  { mode, gate, clock }: FuzzStage,
  built: BuiltRequest,
  foreseen: Foreseen,
  { headers, text }: ReadAnswer,
): string | undefined {
  const body = readObject(text) ?? {}
  if (body['job_id'] !== built.jobId) return 'the job_id is not the one sent'
  if (foreseen.output !== undefined && !isDeepStrictEqual(body['output'], foreseen.output))
    return `the output is ${short(body['output'])} where ${short(foreseen.output)} was due`
  const ageSeconds = clock.nowMs() / 1_000 - Number(body['completed_at'])
  if (ageSeconds < 0 || ageSeconds > 60) return `completed_at is ${ageSeconds} s ago`
  const receipt = headers.get('payment-response')
  if (mode === 'dev') return receipt === null ? undefined : 'a receipt where nobody paid'
  const read = readObject(Buffer.from(receipt ?? '', 'base64').toString('utf8'))
  const isRight =
    read?.['success'] === true &&
    read['payer'] === built.payment?.from &&
    read['transaction'] === gate.charged.get(built.payment?.key ?? '')
  return isRight ? undefined : 'PAYMENT-RESPONSE is not that of the transfer'
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 300)
}
