import type { ExecuteRecipe, Recipe } from '../generate/recipe.ts'
import { behaviourOf } from '../handlers/behaviours.ts'
import { checkCourse } from '../oracle/check-course.ts'
import { foresee, type Foreseen } from '../oracle/foresee.ts'
import type { FuzzStage } from './fuzz-stage.ts'
import { repeatRequest } from './repeat-request.ts'
import { runWild } from './run-wild.ts'
import { prepare, send, takeCourse, type RunScene } from './send-request.ts'

/** Runs a recipe, and says what was wrong with how it went; undefined where nothing was. */
export async function runRecipe(scene: RunScene, recipe: Recipe): Promise<string | undefined> {
  if (recipe.kind === 'wild') return await runWild(scene, recipe)
  const { run } = behaviourOf(recipe.behaviour)
  const built = prepare(
    scene,
    recipe,
    ({ output }) =>
      (input, context) =>
        run({ output: structuredClone(output), input, context }),
  )
  const foreseen = foresee(recipe, built)
  failGate(scene.stage, recipe, foreseen)
  const isBeside = recipe.repeat === 'the same beside it' && foreseen.statuses[0] === 200
  const sent = Array.from({ length: isBeside ? 2 : 1 }, () => send(scene, built.wire, foreseen.takesTime))
  const [answer, twin = answer] = await Promise.all(sent)
  if (answer === undefined) return 'never answered'
  const wrong = checkCourse(scene.stage, built, foreseen, takeCourse(scene.stage, answer), scene.judgeInput)
  if (wrong !== undefined) return wrong
  if (twin?.text !== answer.text) return `its twin was answered ${twin?.status}: ${twin?.text}`
  return await repeatRequest(scene, recipe, built, answer)
}

/** As many as are asked for before the job is answered 503. */
const UNKNOWNS = Array.from({ length: 7 }, () => 'unknown' as const)

/** Sets what the gate does out of order, as far as the request comes to it. */
function failGate(
  { gate }: FuzzStage,
  { verifyFault, settleFault }: ExecuteRecipe,
  foreseen: Foreseen,
): void {
  if (foreseen.verifyCalls > 0 && verifyFault !== undefined) gate.failVerify(verifyFault)
  const [least] = foreseen.settleCalls
  if (least === 0) return
  if (settleFault === 'failed') gate.failSettle('failed')
  if (settleFault === 'unknown once') gate.failSettle('unknown')
  if (settleFault === 'unknown for long') gate.failSettle(...UNKNOWNS)
}
