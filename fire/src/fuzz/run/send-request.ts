import { setImmediate } from 'node:timers/promises'
import type { WireRequest } from '../generate/build-request.ts'
import type { PaymentMaker } from '../generate/payment-maker.ts'
import type { ReadAnswer } from '../oracle/answer-table.ts'
import type { Course, InputJudge } from '../oracle/check-course.ts'
import { EXECUTE_URL, type FuzzStage } from './fuzz-stage.ts'

/** The stage on which recipes run. */
export interface RunScene {
  readonly stage: FuzzStage
  readonly maker: PaymentMaker
  readonly judgeInput: InputJudge
  /** Called with every answer. */
  readonly onAnswer: (answer: ReadAnswer) => void
}

/** An answer that waits for nothing arrives within this many turns of the event loop, or never. */
const MOST_TURNS = 200_000
/** How far the clock is moved before an answer is abandoned. */
const LONGEST_WAIT_SECONDS = 60

/** Sends a request and reads its answer; rejects if there is none. `takesTime`: the clock has to be moved. */
export async function send(
  scene: RunScene,
  { headers, body }: WireRequest,
  takesTime = false,
): Promise<ReadAnswer> {
  const { stage } = scene
  const request = new Request(EXECUTE_URL, {
    method: 'POST',
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body,
  })
  const state = { isOver: false }
  const answering = read(stage.fetch(request)).finally(() => void (state.isOver = true))
  // It is awaited below, or never settles.
  answering.catch(() => undefined)
  const step = takesTime ? () => stage.clock.advance(1_000) : () => setImmediate()
  for (let left = takesTime ? LONGEST_WAIT_SECONDS : MOST_TURNS; left > 0 && !state.isOver; left -= 1)
    await step()
  if (!state.isOver) throw new Error('never answered')
  const answer = await answering
  scene.onAnswer(answer)
  return answer
}

/** Takes the events since the last call. */
export function takeCourse({ calls, gate }: FuzzStage, answer: ReadAnswer): Course {
  return { answer, calls: calls.splice(0), events: gate.events.splice(0) }
}

async function read(responding: Promise<Response>): Promise<ReadAnswer> {
  const response = await responding
  return { status: response.status, headers: response.headers, text: await response.text() }
}
