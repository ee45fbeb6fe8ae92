import { createPaymentMaker } from '../generate/payment-draft.ts'
import { fuzzDeclarations } from './fuzz-declarations.ts'
import { reportFinding } from './report-finding.ts'
import { EPOCH_RECIPES, rerun, runEpoch } from './run-epoch.ts'
import { shrinkRecipe } from './shrink-recipe.ts'
import { countsOf, createTally, type TallyCounts } from './tally.ts'

/** What a worker of the fuzz, a process of its own, is told. */
export interface WorkerOrder {
  readonly seed: number
  readonly firstEpoch: number
  /** Epochs of the other workers lie between. */
  readonly step: number
  readonly answers: number
}

/** What it tells after each epoch. */
export interface WorkerNews {
  readonly tally: TallyCounts
  readonly reports: readonly string[]
  readonly heapBytes: number
  readonly done: boolean
}

/** Declarations checked in each epoch, and as many spoilt ones. */
const DECLARATIONS = 10

// The parent is our own `fuzz-on-cores.ts`.
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder
// Whoever it worked for is gone.
const leave = (): void => process.exit(1)
process.once('disconnect', leave)
const maker = await createPaymentMaker()
const tally = createTally()

for (let epoch = order.firstEpoch; tally.answers < order.answers; epoch += order.step) {
  const findings = await runEpoch({
    seed: order.seed,
    epoch,
    recipes: EPOCH_RECIPES,
    maker,
    tally,
    mostFindings: 3,
  })
  const reports = fuzzDeclarations(order.seed, epoch, DECLARATIONS, tally.see)
  for (const finding of findings) {
    const aside = { maker, tally: createTally() }
    const smallest = await shrinkRecipe(
      finding.recipe,
      async recipe => (await rerun(aside, finding.declaration, recipe)) !== undefined,
    )
    reports.push(reportFinding(finding, smallest, maker))
  }
  tell({ reports, done: tally.answers >= order.answers })
}

// The channel to the parent would keep this process alive.
process.off('disconnect', leave)
process.disconnect()

function tell({ reports, done }: Pick<WorkerNews, 'reports' | 'done'>): void {
  globalThis.gc?.()
  const news: WorkerNews = {
    tally: countsOf(tally),
    reports,
    heapBytes: process.memoryUsage().heapUsed,
    done,
  }
  process.send?.(news)
}
