import { breakBytes } from '../generate/accidents.ts'
import type { BuiltRequest } from '../generate/build-request.ts'
import type { WildRecipe } from '../generate/recipe.ts'
import { readObject, refuseAnswer, type ReadAnswer } from '../oracle/answer-table.ts'
import { countCalls, type Course } from '../oracle/check-course.ts'
import { expectAnswer, type ExpectedRefusal } from '../oracle/expected-answer.ts'
import { findLeak } from '../oracle/foresee.ts'
import { readWildBody, type WildBody } from '../oracle/read-wild-body.ts'
import { prepare, send, takeCourse, type RunScene } from './send-request.ts'

/** Sends a good request whose bytes met with accidents, and judges by a second reading of what they became. */
export async function runWild(scene: RunScene, recipe: WildRecipe): Promise<string | undefined> {
  const { job, accidents, outputs } = recipe
  const { stage } = scene
  const built = prepare(
    scene,
    job,
    () =>
      (_, { capability }) =>
        structuredClone(outputs[capability]),
  )
  const bytes = breakBytes(String(built.wire.body), accidents)
  const body = readWildBody(bytes, Object.keys(stage.declaration.capabilities))
  const answer = await send(scene, { ...built.wire, body: bytes })
  const course = takeCourse(stage, answer)
  const wrong =
    refuseAnswer(answer) ??
    findLeak(answer.text, false) ??
    judgeAnswer(scene, built, body, answer) ??
    judgeWork(scene, course)
  return wrong && `${wrong} (wild: ${JSON.stringify(bytes.toString('latin1'))})`
}

function judgeAnswer(
  { stage, judgeInput }: RunScene,
  { payment, capability }: BuiltRequest,
  body: WildBody,
  { status, text }: ReadAnswer,
): string | undefined {
  const refusals: ExpectedRefusal[] = []
  if (body.refusal !== undefined) refusals.push({ check: body.refusal })
  else {
    if (body.deadline * 1_000 <= stage.clock.nowMs()) refusals.push({ check: 'lateness' })
    // Paid for one capability, and the accident names another.
    if (body.capability !== capability) refusals.push({ check: 'terms' })
  }
  const isPaid = payment !== undefined
  const due = expectAnswer({ mode: stage.mode, isPaid, namesUnknown: body.namesUnknown }, refusals)
  const was = `was ${status}: ${text.slice(0, 200)}`
  if (due.check !== undefined) {
    if (status !== due.status) return `${due.status} was due (${due.check}), ${was}`
    const error = String(readObject(text)?.['error'] ?? '')
    return status === 400 && !error.startsWith(due.starts ?? '')
      ? `it is not about ${due.starts}: ${error}`
      : undefined
  }
  // Nothing before the input is wrong: what the other validator takes must be done, the rest may be coerced.
  if (body.refusal !== undefined || status === 200) return undefined
  if (status !== 400) return `done or input refused were due, ${was}`
  const isTaken = judgeInput(body.capability, body.input) === undefined
  return isTaken ? `an input was refused that its schema takes, ${was}` : undefined
}

/** The handler runs for a 200 alone, with what its schema takes, and a 200 is charged once. */
function judgeWork({ judgeInput, stage }: RunScene, course: Course): string | undefined {
  const { answer, calls } = course
  for (const { capability, input } of calls) {
    const refused = judgeInput(capability, input)
    if (refused !== undefined) return `the handler was given what its schema refuses: ${refused}`
  }
  const due = answer.status === 200 ? 1 : 0
  if (calls.length !== due) return `${answer.status}, and the handler ran ${calls.length} times`
  const settles = countCalls(course, 'settle')
  return settles === (stage.mode === 'paid' ? due : 0)
    ? undefined
    : `${answer.status}, settled ${settles} times`
}
