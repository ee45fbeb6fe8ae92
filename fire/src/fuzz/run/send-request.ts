import { createRandom } from '../../simulator/seeded-random.ts'
import { buildRequest, type BuiltRequest, type WireRequest } from '../generate/build-request.ts'
import type { PaymentMaker } from '../generate/payment-draft.ts'
import type { Recipe } from '../generate/recipe.ts'
import type { Foreseen } from '../oracle/foresee.ts'
import type { Course, InputJudge } from '../oracle/check-course.ts'
import type { ReadAnswer } from '../oracle/answer-table.ts'
import type { FuzzStage } from './fuzz-stage.ts'

/** Where recipes are run. */
export interface RunScene {
  readonly stage: FuzzStage
  readonly maker: PaymentMaker
  readonly judgeInput: InputJudge
  /** Told of every answer, and how long it took where nothing but the machine was waited for. */
  readonly onAnswer: (answer: ReadAnswer, tookMs: number | undefined) => void
  /** Told of each branch of the generator that came to something. */
  readonly onBranch: (name: string) => void
}

/** An answer that does not come within this, with nothing to wait for, never comes. Real time. */
const TIMEOUT_MS = 4_000
/** How far the clock is moved before an answer is given up. */
const LONGEST_WAIT_MS = 60_000

/** Makes the request of a recipe for the scene, at its time. */
export function buildFor({ stage, maker }: RunScene, recipe: Recipe): BuiltRequest {
  return buildRequest(recipe, {
    declaration: stage.declaration,
    maker,
    nowSeconds: stage.clock.nowMs() / 1_000,
    jobId: createRandom(recipe.seed).fork('job').uuid(),
  })
}

/** Sends a request and reads its answer; undefined where none comes. */
export async function send(
  scene: RunScene,
  wire: WireRequest,
  { takesTime }: Pick<Foreseen, 'takesTime'>,
): Promise<ReadAnswer | undefined> {
  const { stage } = scene
  const startedMs = performance.now()
  const answering = read(stage.fetch(toRequest(wire)))
  const answer = takesTime ? await answerInTime(stage, answering) : await withinTimeout(answering)
  if (answer !== undefined) scene.onAnswer(answer, takesTime ? undefined : performance.now() - startedMs)
  return answer
}

/** Takes what happened since the last time. */
export function takeCourse({ calls, gate }: FuzzStage, answer: ReadAnswer): Course {
  return { answer, calls: calls.splice(0), events: gate.events.splice(0) }
}

function toRequest({ method, url, headers, body }: WireRequest): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(body !== undefined && { body }),
  })
}

async function read(responding: Promise<Response>): Promise<ReadAnswer> {
  const response = await responding
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function withinTimeout<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
  })
  return await Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

async function answerInTime<T>({ clock }: FuzzStage, work: Promise<T>): Promise<T | undefined> {
  let answer: { readonly value: T } | undefined
  let failed: { readonly error: unknown } | undefined
  work.then(
    value => void (answer = { value }),
    (error: unknown) => void (failed = { error }),
  )
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += 1_000) {
    await clock.advance(answer === undefined ? 1_000 : 0)
    if (failed !== undefined) throw failed.error
    if (answer !== undefined) return answer.value
  }
  return undefined
}
