import { setImmediate } from 'node:timers/promises'
import { buildRequest, type BuiltRequest, type WireRequest } from '../generate/build-request.ts'
import type { PaymentMaker } from '../generate/payment-draft.ts'
import type { ExecuteRecipe } from '../generate/recipe.ts'
import type { Foreseen } from '../oracle/foresee.ts'
import type { Course, InputJudge } from '../oracle/check-course.ts'
import type { ReadAnswer } from '../oracle/answer-table.ts'
import type { FuzzStage } from './fuzz-stage.ts'

/** Where recipes are run. */
export interface RunScene {
  readonly stage: FuzzStage
  readonly maker: PaymentMaker
  readonly judgeInput: InputJudge
  /** Called with every answer. */
  readonly onAnswer: (answer: ReadAnswer) => void
  /** Called with each branch of the generator that came to something. */
  readonly onBranch: (name: string) => void
}

/** An answer with nothing to wait for comes within so many turns of the event loop, or never. */
const MOST_TURNS = 200_000
/** How far the clock is moved before an answer is given up. */
const LONGEST_WAIT_MS = 60_000

/** Makes the request of a recipe for the scene, at its time. */
export function buildFor({ stage, maker }: RunScene, recipe: ExecuteRecipe): BuiltRequest {
  return buildRequest(recipe, {
    declaration: stage.declaration,
    maker,
    nowSeconds: stage.clock.nowMs() / 1_000,
  })
}

/** Sends a request and reads its answer; undefined where none comes. */
export async function send(
  scene: RunScene,
  wire: WireRequest,
  { takesTime }: Pick<Foreseen, 'takesTime'>,
): Promise<ReadAnswer | undefined> {
  const { stage } = scene
  const answering = read(stage.fetch(toRequest(wire)))
  const answer = await (takesTime
    ? waitFor(answering, LONGEST_WAIT_MS / 1_000, () => stage.clock.advance(1_000))
    : waitFor(answering, MOST_TURNS, () => setImmediate()))
  if (answer !== undefined) scene.onAnswer(answer)
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

/** What the work resolves to; undefined where it did not within so many steps. */
async function waitFor<T>(
  work: Promise<T>,
  mostSteps: number,
  step: () => Promise<unknown>,
): Promise<T | undefined> {
  const state = { isSettled: false }
  const settled = work.finally(() => void (state.isSettled = true))
  // It is awaited below, or never settles.
  settled.catch(() => undefined)
  for (let left = mostSteps; left > 0 && !state.isSettled; left -= 1) await step()
  return state.isSettled ? await settled : undefined
}
