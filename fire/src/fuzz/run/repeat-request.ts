import { buildRequest, type BuiltRequest, type WireRequest } from '../generate/build-request.ts'
import { otherJobId } from '../generate/payment-spoils.ts'
import { POOR } from '../generate/payment-maker.ts'
import type { PaymentRecipe, Recipe } from '../generate/recipe.ts'
import { refuseAnswer, type ReadAnswer } from '../oracle/answer-table.ts'
import { countCalls } from '../oracle/check-course.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

/**
 * The expected result of a repeat: the status, whether it has the first answer's bytes, and the number of gate
 * requests.
 */
interface Due {
  readonly status: number
  readonly sameBytes: boolean
  readonly verifies: number
  readonly settles: number
}

const STORED: Due = { status: 200, sameBytes: true, verifies: 0, settles: 0 }
const REFUSED: Due = { status: 402, sameBytes: false, verifies: 0, settles: 0 }
const RESOLD: Due = { status: 200, sameBytes: false, verifies: 1, settles: 1 }

/** Repeats an answered job (D22 to D24, D8), and returns the deviations. */
export async function repeatRequest(
  scene: RunScene,
  recipe: Recipe,
  { wire }: BuiltRequest,
  first: ReadAnswer,
): Promise<string | undefined> {
  const { stage, maker } = scene
  const rebuild = (change: Partial<Recipe>) =>
    buildRequest({ ...recipe, ...change }, stage.declaration, maker, stage.clock.nowMs()).wire
  const paidAnew = (payment: PaymentRecipe, start: string): WireRequest => {
    const nonce = `0x${start}${payment.nonce.slice(4)}`
    return rebuild({ payment: { ...payment, spoils: [], bound: false, alias: false, nonce } })
  }
  const forAnotherJob = (paid: WireRequest, number: number): WireRequest => {
    const { body } = rebuild({ jobId: otherJobId(recipe.jobId, number) })
    return { ...paid, body }
  }
  const inTurn = async (repeats: readonly (readonly [WireRequest, Due])[]): Promise<string | undefined> => {
    for (const [sent, due] of repeats) {
      const wrong = await expectRepeat(scene, sent, first, due)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  if (first.status === 503) {
    await stage.clock.advance(30_000)
    stage.gate.events.length = 0
    return await inTurn([[wire, { ...STORED, sameBytes: false }]])
  }
  const { payment, isRepeated, mode } = recipe
  if (mode === 'dev') return isRepeated ? await inTurn([[wire, STORED]]) : undefined
  if (payment === undefined) return undefined
  const again = paidAnew(payment, '01')
  if (first.status === 402 && first.headers.has('payment-response'))
    return await inTurn([
      [wire, REFUSED],
      [again, RESOLD],
    ])
  if (!isRepeated || first.status !== 200) return undefined
  const wrong = await inTurn([
    [wire, STORED],
    [again, STORED],
    [paidAnew({ ...payment, payer: (payment.payer + 1) % POOR }, '01'), REFUSED],
    [forAnotherJob(wire, 1), REFUSED],
  ])
  const other = paidAnew(payment, '02')
  return wrong ?? (await expectOneDone(scene, [forAnotherJob(other, 2), forAnotherJob(other, 3)]))
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

/** Two jobs with one payment, concurrently: exactly one is delivered, and paid for once. */
async function expectOneDone(scene: RunScene, wires: readonly WireRequest[]): Promise<string | undefined> {
  const answers = await Promise.all(wires.map(wire => send(scene, wire)))
  const settles = scene.stage.gate.events.splice(0).filter(({ call }) => call === 'settle').length
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
  if (String(statuses) !== '200,402') return `one payment for two jobs was answered ${statuses.join(' and ')}`
  return settles === 1 ? undefined : `one payment for two jobs was settled ${settles} times`
}
