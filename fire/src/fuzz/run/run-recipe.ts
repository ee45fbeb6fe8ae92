import { buildRequest } from '../generate/build-request.ts'
import type { Recipe } from '../generate/recipe.ts'
import { behaviourOf } from '../handlers/behaviours.ts'
import { checkCourse } from '../oracle/check-course.ts'
import { refuse } from '../oracle/expected-answer.ts'
import { foresee } from '../oracle/foresee.ts'
import { repeatRequest } from './repeat-request.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

/** Runs a recipe, and returns the deviation; undefined if there is none. */
export async function runRecipe(scene: RunScene, recipe: Recipe): Promise<string | undefined> {
  const { stage, maker, judgeInput } = scene
  const { run } = behaviourOf(recipe.behaviour)
  const built = buildRequest(recipe, stage.declaration, maker, stage.clock.nowMs())
  const { wire, input, expected } = built
  // Earlier events are cleared.
  stage.calls.length = 0
  stage.gate.events.length = 0
  stage.next.work = (given, context) => run({ output: structuredClone(recipe.output), input: given, context })
  stage.next.verifyFaults = recipe.verifyFault === undefined ? [] : [recipe.verifyFault]
  stage.next.settleFaults = [...recipe.settleFaults]
  const foreseen = foresee(recipe, built)
  const isBeside = recipe.isRepeated && foreseen.statuses[0] === 200
  const sent = Array.from({ length: isBeside ? 2 : 1 }, () => send(scene, wire, foreseen.takesTime))
  const [answer, twin = answer] = await Promise.all(sent)
  if (answer === undefined) return 'never answered'
  const course = takeCourse(stage, answer)
  // Inputs that the other validator accepts must be accepted; mutated inputs may also be coerced, or refused.
  const isRefused =
    expected.check === undefined &&
    input === undefined &&
    course.calls.length === 0 &&
    judgeInput(built.capability, built.sentInput) !== undefined
  const due = isRefused ? foresee(recipe, { ...built, expected: refuse({ check: 'input' }) }) : foreseen
  const wrong = checkCourse(stage, built, due, course, judgeInput)
  if (wrong !== undefined) return wrong
  if (twin?.text !== answer.text) return `its twin was answered ${twin?.status}: ${twin?.text}`
  return await repeatRequest(scene, recipe, built, answer)
}
