import type { BuiltRequest } from '../generate/build-request.ts'
import type { ExecuteRecipe, Recipe } from '../generate/recipe.ts'
import { behaviourOf } from '../handlers/behaviours.ts'
import { foresee, type Foreseen } from '../oracle/foresee.ts'
import { checkCourse } from '../oracle/check-course.ts'
import { decidingBranches } from './branches.ts'
import type { FuzzStage } from './fuzz-stage.ts'
import { buildFor, send, takeCourse, type RunScene } from './send-request.ts'
import { repeatRequest } from './repeat-request.ts'
import { runRoute } from './run-route.ts'
import { runWild } from './run-wild.ts'

/** Runs a recipe, and says what was wrong with how it went; undefined where nothing was. */
export async function runRecipe(scene: RunScene, recipe: Recipe): Promise<string | undefined> {
  if (recipe.kind === 'route') return await runRoute(scene, recipe)
  if (recipe.kind === 'wild') return await runWild(scene, recipe)
  const built = buildFor(scene, recipe)
  const foreseen = foresee(recipe, built)
  prepare(scene.stage, recipe, built, foreseen)
  const beside = recipe.repeat === 'the same beside it' && foreseen.statuses[0] === 200
  const sent = [send(scene, built.wire, foreseen), ...(beside ? [send(scene, built.wire, foreseen)] : [])]
  const [answer, twin] = await Promise.all(sent)
  if (answer === undefined) return 'never answered'
  const wrong = checkCourse(scene.stage, built, foreseen, takeCourse(scene.stage, answer), scene.judgeInput)
  if (wrong !== undefined) return wrong
  for (const name of decidingBranches(recipe, built, foreseen)) scene.onBranch(name)
  if (beside && twin?.text !== answer.text) return `its twin was answered ${twin?.status}: ${twin?.text}`
  return await repeatRequest(scene, recipe, built, answer)
}

/** Sets up what the handlers and the gate do, as far as the request comes to them. */
function prepare(stage: FuzzStage, recipe: ExecuteRecipe, built: BuiltRequest, foreseen: Foreseen): void {
  stage.calls.length = 0
  stage.gate.events.length = 0
  stage.lines.length = 0
  const behaviour = behaviourOf(recipe.behaviour)
  stage.work = (input, context) => behaviour.run({ output: structuredClone(built.output), input, context })
  if (foreseen.verifyCalls > 0 && recipe.verifyFault !== undefined) stage.gate.failVerify(recipe.verifyFault)
  const [, most] = foreseen.settleCalls
  if (most === 0 || foreseen.answer.check === 'handler') return
  if (recipe.settleFault === 'failed' && foreseen.statuses.includes(402) && foreseen.statuses.length === 1)
    stage.gate.failSettle('failed')
  if (recipe.settleFault === 'unknown once' && most === 2) stage.gate.failSettle('unknown')
  if (recipe.settleFault === 'unknown for long' && most === 20) stage.gate.failSettle(...UNKNOWNS)
}

/** As many as are asked for before the job is answered 503. */
const UNKNOWNS = Array.from({ length: 7 }, () => 'unknown' as const)
