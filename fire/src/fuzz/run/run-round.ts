import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import fc from 'fast-check'
import type { Declaration } from 'farebox'
import { setImmediate } from 'node:timers/promises'
import { declarations } from '../generate/declarations.ts'
import { recipesFor } from '../generate/draw-recipe.ts'
import { FIXED_DECLARATION, fixedRecipes } from '../generate/fixed-recipes.ts'
import { POOR, type PaymentMaker } from '../generate/payment-draft.ts'
import { QUIET, type Recipe } from '../generate/recipe.ts'
import { either } from '../generate/values.ts'
import { isToldByHandler } from '../handlers/behaviours.ts'
import { createAjvOracle } from '../oracle/ajv-oracle.ts'
import { kindOfAnswer } from '../oracle/kinds-of-answer.ts'
import { createFuzzStage, MODES, type FuzzStage, type Mode } from './fuzz-stage.ts'
import { runRecipe } from './run-recipe.ts'
import type { RunScene } from './send-request.ts'
import type { Tally } from './tally.ts'
import { describeAnything, watchProcess, type ProcessWatch } from './watch-process.ts'

/** The smallest request found that goes wrong. */
export interface Finding {
  readonly reason: string
  readonly recipe: Recipe
  readonly declaration: Declaration
  /** Where fast-check finds it: `--replay <seed>/<path>`. */
  readonly path: string
}

/** Puts something between agent and oracle: how the proof that the fuzz can fail is made. */
export type Sabotage = (stage: FuzzStage) => FuzzStage

export interface RoundOptions {
  /** What everything is drawn from; `fixed`: the fixed recipes instead. */
  readonly seed: number | 'fixed'
  readonly maker: PaymentMaker
  readonly tally: Tally
  readonly sabotage?: Sabotage | undefined
  /** Runs the one recipe at this path alone. */
  readonly path?: string | undefined
  /** How many smaller recipes are tried, each on agents of its own; default 300. */
  readonly mostShrinks?: number
}

/** Recipes of one round: enough to be cheap, few enough that agents do not grow. */
const ROUND_RECIPES = 1_500

/** How far the clock moves before a request, in ms. */
const pauses = either(500, fc.constant(0), fc.integer({ min: 1, max: 700_000 }))

/** One declaration, an agent of it in each mode, and a round of recipes. Returns the first that goes wrong, shrunk. */
export async function runRound(options: RoundOptions): Promise<Finding | undefined> {
  const { seed, path, mostShrinks = 300 } = options
  const isFixed = seed === 'fixed'
  const declaration = isFixed ? FIXED_DECLARATION : drawDeclaration(seed)
  const examples = isFixed ? fixedRecipes().map((recipe): [Recipe, number] => [recipe, 0]) : []
  const agents = await openAgents(declaration, options)
  const watch = watchProcess()
  let reason: string | undefined
  let shrinksLeft = mostShrinks
  const isAsForeseen = async (recipe: Recipe, pauseMs: number): Promise<boolean> => {
    const isShrunk = reason !== undefined
    if (isShrunk && (shrinksLeft -= 1) < 0) return true
    const own = isShrunk ? await openAgents(declaration, { ...options, tally: undefined }) : agents
    const wrong = await attempt(own[recipe.mode], recipe, pauseMs, watch)
    if (own !== agents) await closeAgents(own)
    reason = wrong ?? reason
    return wrong === undefined
  }
  const { counterexample, counterexamplePath } = await fc.check(
    fc.asyncProperty(recipesFor(declaration), pauses, isAsForeseen),
    {
      seed: isFixed ? 1 : seed,
      examples,
      numRuns: path === undefined ? (isFixed ? examples.length : ROUND_RECIPES) : 1,
      endOnFailure: mostShrinks === 0,
      ...(path !== undefined && { path }),
    },
  )
  await closeAgents(agents)
  watch.stop()
  if (counterexample === null || reason === undefined) return undefined
  return { reason, recipe: counterexample[0], declaration, path: counterexamplePath ?? '' }
}

function drawDeclaration(seed: number): Declaration {
  const [declaration] = fc.sample(declarations, { seed, numRuns: 1 })
  return declaration ?? FIXED_DECLARATION
}

async function attempt(
  scene: RunScene,
  recipe: Recipe,
  pauseMs: number,
  watch: ProcessWatch,
): Promise<string | undefined> {
  try {
    if (pauseMs > 0) await scene.stage.clock.advance(pauseMs)
    const wrong = await runRecipe(scene, recipe)
    // Node reports a rejection only when the turn is over.
    if (recipe.kind === 'execute' && recipe.behaviour !== QUIET) await setImmediate()
    return watch.take() ?? wrong
  } catch (error) {
    await setImmediate()
    return watch.take() ?? `fetch rejected: ${describeAnything(error)}`
  }
}

type Agents = { readonly [mode in Mode]: RunScene }

async function openAgents(
  declaration: Declaration,
  {
    maker,
    sabotage,
    tally,
  }: Pick<RoundOptions, 'maker' | 'sabotage'> & { readonly tally: Tally | undefined },
): Promise<Agents> {
  // Compiled once: it costs more than a hundred requests.
  const judgeInput = createAjvOracle(declaration)
  const open = async (mode: Mode): Promise<RunScene> => {
    const stage = await createFuzzStage({ mode, declaration, funded: maker.wallets.slice(0, POOR) })
    return {
      stage: sabotage === undefined ? stage : sabotage(stage),
      maker,
      judgeInput,
      onAnswer: answer => tally?.note(kindOfAnswer(answer, isToldByHandler)),
      onBranch: name => tally?.see(name),
    }
  }
  return { dev: await open('dev'), paid: await open('paid'), locked: await open('locked') }
}

/** Closes agents whose jobs may never end: their grace passes on their own clocks. */
async function closeAgents(agents: Agents): Promise<void> {
  for (const mode of MODES) {
    const { agent, clock } = agents[mode].stage
    const closing = agent.close()
    await clock.advance(2 * SHUTDOWN_GRACE_SECONDS * 1_000)
    await closing
  }
}
