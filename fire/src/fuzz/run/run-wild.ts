import { breakBytes } from '../generate/accidents.ts'
import type { BuiltRequest } from '../generate/build-request.ts'
import type { ExecuteRecipe, WildRecipe } from '../generate/recipe.ts'
import { readObject, refuseAnswer, type ReadAnswer } from '../oracle/answer-table.ts'
import { answerTo, type ExpectedRefusal } from '../oracle/expected-answer.ts'
import { findLeak } from '../oracle/foresee.ts'
import type { Course } from '../oracle/check-course.ts'
import { isOfPayments, ORDER_OF_CHECKS } from '../oracle/order-of-checks.ts'
import { readWildBody, type WildBody } from '../oracle/read-wild-body.ts'
import { buildFor, send, takeCourse, type RunScene } from './send-request.ts'

/** Sends a good request whose bytes met with accidents, and judges by a second reading of what they became. */
export async function runWild(scene: RunScene, recipe: WildRecipe): Promise<string | undefined> {
  const { stage } = scene
  const { job } = recipe
  const built = buildFor(scene, job)
  const bytes = breakBytes(String(built.wire.body), recipe.accidents)
  for (const { kind } of recipe.accidents) scene.onBranch(kind)
  const names = Object.keys(stage.declaration.capabilities)
  const body = readWildBody(bytes, names)
  stage.calls.length = 0
  stage.gate.events.length = 0
  stage.work = (_, { capability }) => structuredClone(recipe.outputs[capability])
  const answer = await send(scene, { ...built.wire, body: bytes }, { takesTime: false })
  if (answer === undefined) return 'never answered'
  const course = takeCourse(stage, answer)
  const wrong =
    refuseAnswer(answer) ??
    findLeak(answer.text, false) ??
    judgeWild(scene, job, { built, body, answer, names }) ??
    judgeWork(scene, course)
  return wrong && `${wrong} (wild: ${JSON.stringify(bytes.toString('latin1'))})`
}

/** The handler runs for a 200 alone, with what its schema takes, and a 200 is charged once. */
function judgeWork(scene: RunScene, { answer, calls, events }: Course): string | undefined {
  for (const call of calls) {
    const refused = scene.judgeInput(call.capability, call.input)
    if (refused !== undefined) return `the handler was given what its schema refuses: ${refused}`
  }
  const isDone = answer.status === 200
  if (calls.length !== (isDone ? 1 : 0)) return `${answer.status}, and the handler ran ${calls.length} times`
  const settles = events.filter(({ call }) => call === 'settle').length
  return settles === (isDone && scene.stage.mode === 'paid' ? 1 : 0)
    ? undefined
    : `${answer.status}, settled ${settles} times`
}

interface Wild {
  readonly built: BuiltRequest
  readonly body: WildBody
  readonly answer: ReadAnswer
  readonly names: readonly string[]
}

function judgeWild(scene: RunScene, recipe: ExecuteRecipe, wild: Wild): string | undefined {
  const { body, answer } = wild
  const [first] = refusalsOf(scene, recipe, wild).sort(
    (a, b) => ORDER_OF_CHECKS[a.check] - ORDER_OF_CHECKS[b.check],
  )
  const said = `${answer.status}: ${answer.text.slice(0, 200)}`
  if (first !== undefined) {
    const due = answerTo(first)
    if (answer.status !== due.status) return `answered ${due.status} due (${first.check}), was ${said}`
    const starts = due.errorStarts ?? ''
    const told = String(readObject(answer.text)?.['error'] ?? '')
    return answer.status !== 400 || told.startsWith(starts)
      ? undefined
      : `the message is not about ${starts}: ${told}`
  }
  // Nothing before the input is wrong: what the other validator takes must be done, the rest may be coerced.
  if (body.refusal !== undefined || answer.status === 200) return undefined
  if (answer.status !== 400) return `done or input refused were due, was ${said}`
  const isTaken = scene.judgeInput(body.capability, body.input) === undefined
  return isTaken ? `an input was refused that its schema takes: ${said}` : undefined
}

function refusalsOf(scene: RunScene, recipe: ExecuteRecipe, { built, body, names }: Wild): ExpectedRefusal[] {
  const refusals: ExpectedRefusal[] = body.refusal === undefined ? [] : [body.refusal]
  if (body.refusal === undefined && body.deadline * 1_000 <= scene.stage.clock.nowMs())
    refusals.push({ check: 'lateness' })
  if (recipe.mode === 'locked') refusals.push({ check: 'secret' })
  if (recipe.mode !== 'dev' && recipe.payment === undefined) {
    const isUnknown = body.refusal !== undefined && body.named === 'unknown'
    refusals.push(isUnknown ? { check: 'demand', status: 400, errorType: 'capability' } : { check: 'demand' })
  }
  // Paid for one capability, and the accident names another.
  if (
    body.refusal === undefined &&
    built.payment !== undefined &&
    body.capability !== (built.capability || names[0])
  )
    refusals.push({ check: 'terms' })
  return recipe.mode === 'dev' ? refusals.filter(({ check }) => !isOfPayments(check)) : refusals
}
