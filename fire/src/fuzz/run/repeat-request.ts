import type { BuiltRequest, WireRequest } from '../generate/build-request.ts'
import { makePayment } from '../generate/make-payment.ts'
import { EXECUTE_URL, otherJobId, POOR } from '../generate/payment-draft.ts'
import { REPEATS, type ExecuteRecipe } from '../generate/recipe.ts'
import { refuseAnswer, type ReadAnswer } from '../oracle/answer-table.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

/** What a repeat must come to: the status, the first answer's bytes, and how often the gate and a handler were asked. */
interface Due {
  readonly status: number
  readonly sameBytes: boolean
  readonly settles: number
  readonly verifies: number
}

const STORED: Due = { status: 200, sameBytes: true, settles: 0, verifies: 0 }
const REFUSED: Due = { status: 402, sameBytes: false, settles: 0, verifies: 0 }
const RESOLD: Due = { status: 200, sameBytes: false, settles: 1, verifies: 1 }

/** Asks again for a job that was answered (D22 to D24, D8), and says what was wrong with how that went. */
export async function repeatRequest(
  scene: RunScene,
  recipe: ExecuteRecipe,
  built: BuiltRequest,
  first: ReadAnswer,
): Promise<string | undefined> {
  const again = (wire: WireRequest, due: Due) => expectRepeat(scene, wire, first, due)
  const branch = branchOf(recipe, first)
  if (branch !== undefined) scene.onBranch(branch)
  if (first.status === 503) {
    await scene.stage.clock.advance(30_000)
    scene.stage.gate.events.length = 0
    return await again(built.wire, { ...STORED, sameBytes: false })
  }
  if (first.headers.has('payment-response') && first.status === 402)
    return (
      (await again(built.wire, REFUSED)) ??
      (await again(withPayment(scene, recipe, built, 'same payer'), RESOLD))
    )
  if (recipe.repeat === undefined || first.status !== 200) return undefined
  if (recipe.mode === 'dev') return await again(built.wire, STORED)
  switch (recipe.repeat) {
    case 'the same again':
    case 'the same beside it':
      return await again(built.wire, STORED)
    case 'a new authorization':
      return await again(withPayment(scene, recipe, built, 'same payer'), STORED)
    case 'another payer':
      return await again(withPayment(scene, recipe, built, 'another payer'), REFUSED)
    case 'the payment for another job':
      return await again(forAnotherJob(built, built.wire, 1), REFUSED)
    case 'two jobs with one payment at once':
      return await twoAtOnce(scene, recipe, built)
  }
}

/** Repeats that follow from the answer, whatever the recipe says. */
const AFTER_PENDING = 'repeat after a pending answer'
const AFTER_FAILED_CHARGE = 'repeat after a failed charge'

/** All ways in which a job is asked for again. */
export const REPEAT_BRANCHES: readonly string[] = [
  AFTER_PENDING,
  AFTER_FAILED_CHARGE,
  ...REPEATS.flatMap(repeat => [`repeat, paid: ${repeat}`, `repeat, dev: ${repeat}`]),
]

function branchOf({ repeat, mode }: ExecuteRecipe, { status, headers }: ReadAnswer): string | undefined {
  if (status === 503) return AFTER_PENDING
  if (status === 402 && headers.has('payment-response')) return AFTER_FAILED_CHARGE
  return repeat === undefined || status !== 200 ? undefined : `repeat, ${mode}: ${repeat}`
}

async function expectRepeat(
  scene: RunScene,
  wire: WireRequest,
  first: ReadAnswer,
  due: Due,
): Promise<string | undefined> {
  const answer = await send(scene, wire, { takesTime: false })
  if (answer === undefined) return 'the repeat was never answered'
  const { calls, events } = takeCourse(scene.stage, answer)
  const count = (call: string) => events.filter(event => event.call === call).length
  const wrong = refuseAnswer(answer)
  if (wrong !== undefined) return `the repeat: ${wrong}`
  if (answer.status !== due.status)
    return `the repeat was answered ${answer.status} where ${due.status} was due: ${answer.text.slice(0, 200)}`
  if (due.sameBytes && answer.text !== first.text) return 'the repeat was answered other bytes'
  const receipt = (one: ReadAnswer) => one.headers.get('payment-response')
  if (due.sameBytes && receipt(answer) !== receipt(first)) return 'the repeat was answered another receipt'
  if (calls.length > 0) return 'the repeat ran the handler again'
  if (count('settle') !== due.settles)
    return `the repeat settled ${count('settle')} times where ${due.settles} were due`
  return count('verify') === due.verifies ? undefined : `the repeat verified ${count('verify')} times`
}

/** The same job, paid for by a new authorization. */
function withPayment(
  scene: RunScene,
  recipe: ExecuteRecipe,
  built: BuiltRequest,
  whose: 'same payer' | 'another payer',
): WireRequest {
  const payer = recipe.payment?.payer ?? 0
  const made = makePayment(
    {
      spoils: [],
      version: 2,
      payer: whose === 'same payer' ? payer : (payer + 1) % POOR,
      nonce: `0x01${recipe.payment?.nonce.slice(4) ?? '0'.repeat(62)}`,
      bound: false,
      alias: false,
      isAlwaysValid: true,
      isPadded: true,
      lastsSeconds: 0,
    },
    {
      maker: scene.maker,
      nowSeconds: scene.stage.clock.nowMs() / 1_000,
      job: { endpoint: EXECUTE_URL, capability: built.capability, jobId: built.jobId },
      amount: built.demanded,
    },
  )
  const { wire } = built
  return {
    ...wire,
    headers: [...wire.headers.filter(([name]) => !name.includes('payment')), ...made.headers],
  }
}

/** The same payment, for a job of another id. */
function forAnotherJob({ jobId }: BuiltRequest, wire: WireRequest, number: number): WireRequest {
  const body = JSON.parse(String(wire.body)) as { job_id: string }
  body.job_id = otherJobId(jobId, number)
  return { ...wire, body: JSON.stringify(body) }
}

/** One new authorization for two new jobs: exactly one is done, and paid for once. */
async function twoAtOnce(
  scene: RunScene,
  recipe: ExecuteRecipe,
  built: BuiltRequest,
): Promise<string | undefined> {
  const wire = withPayment(scene, recipe, built, 'same payer')
  const wires = [1, 2].map(number => forAnotherJob(built, wire, number))
  const answers = await Promise.all(wires.map(one => send(scene, one, { takesTime: false })))
  const statuses = answers.map(answer => answer?.status ?? 0).sort((a, b) => a - b)
  const { events } = takeCourse(scene.stage, { status: 0, headers: new Headers(), text: '' })
  const settles = events.filter(({ call }) => call === 'settle').length
  if (String(statuses) !== '200,402') return `one payment for two jobs was answered ${statuses.join(' and ')}`
  return settles === 1 ? undefined : `one payment for two jobs was settled ${settles} times`
}
