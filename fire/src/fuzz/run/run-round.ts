import fc from 'fast-check'
import type { Declaration } from 'farebox'
import { setImmediate } from 'node:timers/promises'
import { declarations } from '../generate/declarations.ts'
import { recipesFor } from '../generate/draw-recipe.ts'
import { FIXED_DECLARATION, fixedRecipes } from '../generate/fixed-recipes.ts'
import { POOR, type PaymentMaker } from '../generate/payment-maker.ts'
import type { Recipe } from '../generate/recipe.ts'
import { either } from '../generate/values.ts'
import { createAjvOracle } from '../oracle/ajv-oracle.ts'
import type { ReadAnswer } from '../oracle/answer-table.ts'
import { createFuzzStage, type Mode } from './fuzz-stage.ts'
import { runRecipe } from './run-recipe.ts'
import { sabotageStage, type Sabotage } from './sabotages.ts'
import type { RunScene } from './send-request.ts'

interface RoundOptions {
  /** The seed of all draws; `fixed`: the fixed recipes instead. */
  readonly seed: number | 'fixed'
  readonly maker: PaymentMaker
  readonly onAnswer?: (answer: ReadAnswer) => void
  /** The sabotage that proves that the fuzz can fail. */
  readonly sabotage?: Sabotage
  /** Runs only the one recipe at this path. */
  readonly path?: string | undefined
}

/** Recipes of one round: enough to be efficient, few enough that agents stay small. */
const ROUND_RECIPES = 1_500

/** How far the clock moves before a request, in ms. */
const pauses = either(500, fc.constant(0), fc.integer({ min: 1, max: 700_000 }))

/**
 * One declaration, an agent of it in each mode, and a round of recipes. Returns the first deviation: in words, and the
 * path at which fast-check finds it, for `--replay <seed>/<path>`.
 */
export async function runRound(options: RoundOptions) {
  const { seed, path } = options
  const isFixed = seed === 'fixed'
  const [drawn] = isFixed ? [] : fc.sample(declarations, { seed, numRuns: 1 })
  const declaration = drawn ?? FIXED_DECLARATION
  const examples = isFixed ? fixedRecipes().map((recipe): [Recipe, number] => [recipe, 0]) : []
  const agents = await openAgents(declaration, options)
  const watch = watchProcess()
  let reason: string | undefined
  const isAsForeseen = async (recipe: Recipe, pauseMs: number): Promise<boolean> => {
    const scene = agents[recipe.mode]
    try {
      if (pauseMs > 0) await scene.stage.clock.advance(pauseMs)
      reason = await runRecipe(scene, recipe)
    } catch (error) {
      reason = `no answer: ${describeAnything(error)}`
    }
    // Node reports a rejection only at the end of the turn.
    await setImmediate()
    reason = watch.noted.splice(0)[0] ?? reason
    return reason === undefined
  }
  const numRuns = isFixed ? examples.length : ROUND_RECIPES
  const { counterexample, counterexamplePath } = await fc.check(
    fc.asyncProperty(recipesFor(declaration), pauses, isAsForeseen),
    {
      seed: isFixed ? 1 : seed,
      examples,
      endOnFailure: true,
      ...(path === undefined ? { numRuns } : { numRuns: 1, path }),
    },
  )
  for (const { stage } of Object.values(agents)) await stage.close()
  watch.stop()
  if (counterexample === null || reason === undefined) return undefined
  const found = counterexamplePath ?? ''
  const text = `✗ ${reason}
  again      npm run fire -- fuzz --replay ${seed}/${found}
  all of it  npm run fire -- fuzz --replay ${seed}
  recipe     ${JSON.stringify(counterexample[0]).slice(0, 10_000)}`
  return { text, path: found }
}

/** Records errors that would have ended this process: uncaught exceptions and unhandled rejections. */
function watchProcess() {
  const noted: string[] = []
  const note = (thrown: unknown): void =>
    void noted.push(`would have ended the process: ${describeAnything(thrown)}`)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  const stop = () => process.off('uncaughtException', note).off('unhandledRejection', note)
  return { noted, stop }
}

/** A thrown value in words; it may throw again when it is read. */
function describeAnything(thrown: unknown): string {
  try {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  } catch {
    return 'something that cannot be read'
  }
}

async function openAgents(
  declaration: Declaration,
  { maker, sabotage, onAnswer = () => undefined }: Omit<RoundOptions, 'seed'>,
): Promise<{ readonly [mode in Mode]: RunScene }> {
  // Compiled once: it costs more than a hundred requests.
  const judgeInput = createAjvOracle(declaration)
  const open = async (mode: Mode): Promise<RunScene> => {
    const stage = await createFuzzStage(mode, declaration, maker.wallets.slice(0, POOR))
    return { stage: sabotage ? sabotageStage(stage, sabotage) : stage, maker, judgeInput, onAnswer }
  }
  return { dev: await open('dev'), paid: await open('paid'), locked: await open('locked') }
}
