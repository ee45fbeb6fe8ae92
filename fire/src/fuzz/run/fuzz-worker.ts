import { createPaymentMaker } from '../generate/payment-maker.ts'
import { kindOfAnswer } from '../oracle/kinds-of-answer.ts'
import { runRound } from './run-round.ts'

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
export interface WorkerReport {
  /** How often each kind of answer came up. */
  readonly kinds: { readonly [kind: string]: number }
  readonly findings: readonly string[]
  readonly isDone: boolean
}

/** After so many findings a worker ends. */
const MOST_FINDINGS = 5

// The parent is our own `fuzz-on-cores.ts`.
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder
const leave = (): void => process.exit(1)
process.once('disconnect', leave)
const maker = await createPaymentMaker()
const kinds: { [kind: string]: number } = {}
const findings: string[] = []
let answers = 0

if (order.replay === undefined) {
  if (order.worker === 0) await run('fixed', undefined)
  for (
    let round = order.worker;
    answers < order.answers && findings.length < MOST_FINDINGS;
    round += order.workers
  )
    await run((order.seed * 65_537 + round) | 0, undefined)
} else await run(order.replay.seed, order.replay.path)
report(true)

// The channel to the parent would keep this process alive.
process.off('disconnect', leave)
process.disconnect()

async function run(seed: number | 'fixed', path: string | undefined): Promise<void> {
  const finding = await runRound({
    seed,
    maker,
    path,
    onAnswer(answer) {
      const kind = kindOfAnswer(answer)
      kinds[kind] = (kinds[kind] ?? 0) + 1
      answers += 1
    },
  })
  if (finding !== undefined)
    findings.push(
      `✗ ${finding.reason}
  again      npm run fire -- fuzz --replay ${seed}/${finding.path}
  all of it  npm run fire -- fuzz --replay ${seed}
  recipe     ${JSON.stringify(finding.recipe)}`,
    )
  report(false)
}

function report(isDone: boolean): void {
  const sent: WorkerReport = { kinds, findings, isDone }
  process.send?.(sent)
}
