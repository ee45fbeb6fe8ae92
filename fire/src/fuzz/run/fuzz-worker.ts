import { createPaymentMaker } from '../generate/payment-draft.ts'
import { fuzzDeclarations } from './fuzz-declarations.ts'
import { runRound } from './run-round.ts'
import { createTally, type TallyCounts } from './tally.ts'
import { writeFinding } from './write-finding.ts'

/** What a worker of the fuzz, a process of its own, is to do. */
export interface WorkerOrder {
  readonly seed: number
  readonly worker: number
  readonly workers: number
  /** Rounds go on until so many answers came. */
  readonly answers: number
  /** One round alone, by its seed, or one recipe of it. */
  readonly replay: { readonly seed: number | 'fixed'; readonly path: string | undefined } | undefined
}

/** What it reports after each round. */
export interface WorkerNews {
  readonly tally: TallyCounts
  readonly findings: readonly string[]
  readonly isDone: boolean
}

/** Declarations checked beside a round, and as many spoilt ones. */
const DECLARATIONS = 100
/** After so many findings a worker ends. */
const MOST_FINDINGS = 5

// The parent is our own `fuzz-on-cores.ts`.
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder
const leave = (): void => process.exit(1)
process.once('disconnect', leave)
const maker = await createPaymentMaker()
const tally = createTally()
let found = 0

if (order.replay === undefined) {
  if (order.worker === 0) await run('fixed', undefined)
  for (let round = order.worker; !isDone(); round += order.workers)
    await run((order.seed * 65_537 + round) | 0, undefined)
} else await run(order.replay.seed, order.replay.path)
report([], true)

// The channel to the parent would keep this process alive.
process.off('disconnect', leave)
process.disconnect()

function isDone(): boolean {
  return tally.answers >= order.answers || found >= MOST_FINDINGS
}

async function run(seed: number | 'fixed', path: string | undefined): Promise<void> {
  const finding = await runRound({ seed, maker, tally, path })
  const findings = finding === undefined ? [] : [writeFinding(finding, seed, maker)]
  if (path === undefined)
    findings.push(...fuzzDeclarations(seed === 'fixed' ? 1 : seed, DECLARATIONS, tally.see))
  found += findings.length
  report(findings, false)
}

function report(findings: readonly string[], isOver: boolean): void {
  const news: WorkerNews = { tally: { answers: tally.answers, seen: tally.seen }, findings, isDone: isOver }
  process.send?.(news)
}
