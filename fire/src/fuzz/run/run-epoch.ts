import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import type { Declaration } from 'farebox'
import { createRandom } from '../../simulator/seeded-random.ts'
import { makeDeclaration } from '../generate/make-declaration.ts'
import { POOR, type PaymentMaker } from '../generate/payment-draft.ts'
import { drawRecipe, QUIET, type Recipe } from '../generate/recipe.ts'
import { MODES, type Mode } from '../mode.ts'
import { isToldByHandler } from '../handlers/behaviours.ts'
import { createAjvOracle } from '../oracle/ajv-oracle.ts'
import type { InputJudge } from '../oracle/check-course.ts'
import { kindOfAnswer } from '../oracle/kinds-of-answer.ts'
import { declaredBranches } from './branches.ts'
import type { Tally } from './tally.ts'
import { describeAnything, watchProcess, type ProcessWatch } from './watch-process.ts'
import { createFuzzStage, type FuzzStage } from './fuzz-stage.ts'
import { runRecipe } from './run-recipe.ts'
import type { RunScene } from './send-request.ts'

/** Something wrong: enough to see it again. */
export interface Finding {
  readonly seed: number
  readonly epoch: number
  readonly reason: string
  readonly recipe: Recipe
  readonly declaration: Declaration
}

/** Puts something between agent and oracle: how the proof that the fuzz can fail is made. */
export type Sabotage = (stage: FuzzStage) => FuzzStage

export interface EpochOptions {
  readonly seed: number
  readonly epoch: number
  readonly recipes: number
  readonly maker: PaymentMaker
  readonly tally: Tally
  readonly sabotage?: Sabotage | undefined
  /** After so many findings the epoch ends. */
  readonly mostFindings: number
}

/** Recipes of one epoch: long enough to be cheap, short enough that nothing piles up. */
export const EPOCH_RECIPES = 2_000

/** How often a mode is drawn, in tenths. */
const SHARES: readonly Mode[] = [
  'dev',
  'dev',
  'dev',
  'paid',
  'paid',
  'paid',
  'paid',
  'paid',
  'paid',
  'locked',
]

/** One declaration, an agent of it in each mode, and so many recipes. Returns what was wrong. */
export async function runEpoch(options: EpochOptions): Promise<readonly Finding[]> {
  const { seed, epoch, tally } = options
  const watch = watchProcess()
  const random = createRandom(seed).fork(`epoch ${epoch}`)
  const declaration = makeDeclaration(random.fork('declaration'))
  for (const name of declaredBranches(declaration)) tally.see(name)
  const scenes = await openScenes(declaration, options)
  const findings: Finding[] = []
  for (let left = options.recipes; left > 0 && findings.length < options.mostFindings; left -= 1) {
    const recipe = drawRecipe(random, random.pick(SHARES))
    const reason = await attempt(scenes[recipe.mode], recipe, watch)
    tally.recipes += 1
    if (reason !== undefined) findings.push({ seed, epoch, reason, recipe, declaration })
    if (random.chance(0.002)) await scenes[recipe.mode].stage.clock.advance(random.between(1, 700_000))
  }
  for (const mode of MODES) await closeStage(scenes[mode].stage)
  watch.stop()
  return findings
}

/** Whether a recipe still goes wrong on an agent that has seen nothing else, and how. */
export async function rerun(
  options: Pick<EpochOptions, 'maker' | 'sabotage' | 'tally'>,
  declaration: Declaration,
  recipe: Recipe,
): Promise<string | undefined> {
  const scene = await openScene(recipe.mode, declaration, {
    ...options,
    judgeInput: createAjvOracle(declaration),
  })
  const watch = watchProcess()
  const reason = await attempt(scene, recipe, watch)
  await closeStage(scene.stage)
  watch.stop()
  return reason
}

async function attempt(scene: RunScene, recipe: Recipe, watch: ProcessWatch): Promise<string | undefined> {
  try {
    const wrong = await runRecipe(scene, recipe)
    // Node tells of a rejection only when the turn is over.
    if (recipe.behaviour !== QUIET) await endOfTurn()
    return watch.take() ?? wrong
  } catch (error) {
    await endOfTurn()
    return watch.take() ?? `fetch rejected: ${describeAnything(error)}`
  }
}

function endOfTurn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}

/** Closes an agent whose jobs may never end: its grace passes on its own clock. */
async function closeStage({ agent, clock }: FuzzStage): Promise<void> {
  const closing = agent.close()
  await clock.advance(2 * SHUTDOWN_GRACE_SECONDS * 1_000)
  await closing
}

async function openScenes(
  declaration: Declaration,
  options: EpochOptions,
): Promise<{ readonly [mode in Mode]: RunScene }> {
  // Compiled once: it costs more than a hundred requests.
  const judgeInput = createAjvOracle(declaration)
  const open = (mode: Mode): Promise<RunScene> => openScene(mode, declaration, { ...options, judgeInput })
  return { dev: await open('dev'), paid: await open('paid'), locked: await open('locked') }
}

async function openScene(
  mode: Mode,
  declaration: Declaration,
  {
    maker,
    sabotage,
    tally,
    judgeInput,
  }: Pick<EpochOptions, 'maker' | 'sabotage' | 'tally'> & { readonly judgeInput: InputJudge },
): Promise<RunScene> {
  const funded = maker.wallets.slice(0, POOR)
  const stage = await createFuzzStage({ mode, declaration, funded })
  return {
    stage: sabotage === undefined ? stage : sabotage(stage),
    maker,
    judgeInput,
    onAnswer(answer, tookMs) {
      tally.note(mode, answer.status, tookMs)
      tally.see(kindOfAnswer(answer, isToldByHandler))
    },
    onBranch: name => tally.see(name),
  }
}
