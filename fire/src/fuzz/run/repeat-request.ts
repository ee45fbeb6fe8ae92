import type { BuiltRequest, WireRequest } from '../generate/build-request.ts'
import { otherJobId } from '../generate/payment-spoils.ts'
import { POOR } from '../generate/payment-maker.ts'
import type { Recipe } from '../generate/recipe.ts'
import { refuseAnswer, type ReadAnswer } from '../oracle/answer-table.ts'
import { countCalls } from '../oracle/check-course.ts'
import { EXECUTE_URL } from './fuzz-stage.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

/** What a repeat must come to: the status, whether it has the first answer's bytes, and how often the gate is asked. */
interface Due {
  readonly status: number
  readonly sameBytes: boolean
  readonly verifies: number
  readonly settles: number
}

const STORED: Due = { status: 200, sameBytes: true, verifies: 0, settles: 0 }
const REFUSED: Due = { status: 402, sameBytes: false, verifies: 0, settles: 0 }
const RESOLD: Due = { status: 200, sameBytes: false, verifies: 1, settles: 1 }

/** Sends a job that was answered again (D22 to D24, D8), and says what was wrong with how that went. */
export async function repeatRequest(
  scene: RunScene,
  recipe: Recipe,
  built: BuiltRequest,
  first: ReadAnswer,
): Promise<string | undefined> {
  if (first.status === 503) {
    await scene.stage.clock.advance(30_000)
    scene.stage.gate.events.length = 0
  }
  for (const [sent, due] of listRepeats(scene, recipe, built, first)) {
    const wrong = await expectRepeat(scene, sent, first, due)
    if (wrong !== undefined) return wrong
  }
  const isSold = recipe.isRepeated && recipe.mode === 'paid' && first.status === 200
  return isSold ? await twoAtOnce(scene, recipe, built) : undefined
}

/** What is sent one after the other, and what is due to each. */
function listRepeats(
  scene: RunScene,
  recipe: Recipe,
  built: BuiltRequest,
  first: ReadAnswer,
): readonly (readonly [sent: WireRequest, due: Due])[] {
  const { wire } = built
  const payer = recipe.payment?.payer ?? 0
  const paidAgain = paidAnew(scene, recipe, built, payer, '01')
  if (first.status === 503) return [[wire, { ...STORED, sameBytes: false }]]
  if (first.status === 402 && first.headers.has('payment-response'))
    return [
      [wire, REFUSED],
      [paidAgain, RESOLD],
    ]
  if (!recipe.isRepeated || first.status !== 200) return []
  if (recipe.mode === 'dev') return [[wire, STORED]]
  return [
    [wire, STORED],
    [paidAgain, STORED],
    [paidAnew(scene, recipe, built, (payer + 1) % POOR, '01'), REFUSED],
    [forAnotherJob(built, wire, 1), REFUSED],
  ]
}

async function expectRepeat(
  scene: RunScene,
  wire: WireRequest,
  first: ReadAnswer,
  due: Due,
): Promise<string | undefined> {
  const answer = await send(scene, wire)
  const course = takeCourse(scene.stage, answer)
  const [verifies, settles] = [countCalls(course, 'verify'), countCalls(course, 'settle')]
  const wrong = refuseAnswer(answer)
  if (wrong !== undefined) return `the repeat: ${wrong}`
  if (answer.status !== due.status)
    return `the repeat was answered ${answer.status} where ${due.status} was due: ${answer.text.slice(0, 200)}`
  if (due.sameBytes && answer.text !== first.text) return 'the repeat was answered other bytes'
  const receipt = (one: ReadAnswer) => one.headers.get('payment-response')
  if (due.sameBytes && receipt(answer) !== receipt(first)) return 'the repeat was answered another receipt'
  if (course.calls.length > 0) return 'the repeat ran the handler again'
  if (settles !== due.settles) return `the repeat settled ${settles} times where ${due.settles} were due`
  return verifies === due.verifies ? undefined : `the repeat verified ${verifies} times`
}

/** The same job, paid for by a new authorization. */
function paidAnew(
  { maker, stage }: RunScene,
  { payment }: Recipe,
  { wire, capability, jobId, demanded }: BuiltRequest,
  payer: number,
  nonceStart: string,
): WireRequest {
  const nonce = `0x${nonceStart}${payment?.nonce.slice(4) ?? '0'.repeat(62)}`
  const made = maker.make(
    { spoils: [], version: 2, payer, nonce, bound: false, alias: false },
    {
      nowSeconds: stage.clock.nowMs() / 1_000,
      job: { endpoint: EXECUTE_URL, capability, jobId: String(jobId) },
      amount: demanded,
    },
  )
  const others = wire.headers.filter(([name]) => !name.includes('payment'))
  return { ...wire, headers: [...others, ...made.headers] }
}

/** The same payment, for a job of another id. */
function forAnotherJob({ jobId }: BuiltRequest, wire: WireRequest, number: number): WireRequest {
  const body = JSON.parse(String(wire.body)) as object
  return {
    ...wire,
    body: Buffer.from(JSON.stringify({ ...body, job_id: otherJobId(String(jobId), number) })),
  }
}

/** One new authorization for two new jobs: exactly one is done, and paid for once. */
async function twoAtOnce(scene: RunScene, recipe: Recipe, built: BuiltRequest): Promise<string | undefined> {
  const wire = paidAnew(scene, recipe, built, recipe.payment?.payer ?? 0, '02')
  const [one, two] = await Promise.all([2, 3].map(number => send(scene, forAnotherJob(built, wire, number))))
  if (one === undefined || two === undefined) return 'never answered'
  const settles = countCalls(takeCourse(scene.stage, one), 'settle')
  const statuses = [one.status, two.status].sort((a, b) => a - b)
  if (String(statuses) !== '200,402') return `one payment for two jobs was answered ${statuses.join(' and ')}`
  return settles === 1 ? undefined : `one payment for two jobs was settled ${settles} times`
}
