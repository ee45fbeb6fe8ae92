import type { Attempt, StormAnswer, StormOrder } from './event-log.ts'
import { auditStorm, findingsOf } from './audit/audit-storm.ts'
import { readRuns } from './audit/read-runs.ts'
import { watchChain } from './audit/watch-chain.ts'
import { persist } from './load/send-order.ts'
import { signOrder } from './load/sign-order.ts'
import { grouped, replayArguments, type StormResult, type StormRun } from './storm-run.ts'

/** Long enough for thousands to arrive while the handler runs. */
const HANDLER_MS = 1_500
const TIMEOUT_MS = 60_000

/**
 * One request, sent thousands of times at once to all replicas: the handler runs once, everybody gets the same bytes,
 * and it is paid once (PAY-03, IDM-03, IDM-04).
 */
export async function duplicateStorm(run: StormRun): Promise<StormResult> {
  const { stage, size, seed, random, signal } = run
  const { duplicates } = size
  const watch = watchChain(stage)
  const order = await signOrder(stage, { payer: random.pick(stage.payers), waitMs: HANDLER_MS })
  const answers = await flood(run, order)
  await watch.stop()
  const attempts = stage.eventLog.attemptsOf(order.jobId)
  const audit = await auditStorm(stage, [order], { seenMs: watch.seenMs, settleMs: size.settleMs, signal })
  const runs = (await readRuns(stage.runsFile)).get(order.jobId)?.length ?? 0
  const [first] = answers
  const identical = answers.filter(
    answer => answer?.status === 200 && answer.body === first?.body && answer.receipt === first.receipt,
  ).length
  const pending = attempts.filter(({ answer }) => answer?.status === 503).length
  const isMet = runs === 1 && identical === duplicates && audit.money.paid === 1
  const findings = [...(isMet ? [] : [`answers were ${describe(attempts)}`]), ...findingsOf(audit)]
  return {
    scores: [
      {
        test: `duplicate storm: ${grouped(duplicates)} requests for one job, ${stage.agents.length} agents on one Redis`,
        reached: `handler ran ${times(runs)}, ${grouped(identical)} identical answers, ${audit.money.paid} transfer, ${grouped(pending)} told to ask again`,
        target: `once, ${grouped(duplicates)} identical, 1 transfer`,
        isMet,
      },
    ],
    findings: findings.map(text => `duplicate storm: ${text} ${replayArguments(run, 'duplicate', seed)}`),
  }
}

/** The same order, to all replicas in turn, all at once; each sender is answered in the end. */
async function flood(
  { stage, size, random, signal, progress }: StormRun,
  order: StormOrder,
): Promise<readonly (StormAnswer | undefined)[]> {
  let done = 0
  return await Promise.all(
    Array.from({ length: size.duplicates }, async (_, index) => {
      const agent = stage.agents[index % stage.agents.length] ?? random.pick(stage.agents)
      const answer = await persist(stage, order, {
        nextAgent: () => agent,
        takes500: true,
        untilMs: Date.now() + TIMEOUT_MS,
        signal,
      })
      done += 1
      if (done % 100 === 0) progress({ doing: 'duplicate storm', done, of: size.duplicates })
      return answer
    }),
  )
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** So many of each status, and of each trouble. */
function describe(attempts: readonly Attempt[]): string {
  const counts = new Map<string, number>()
  for (const { answer, trouble } of attempts) {
    const what = answer === undefined ? trouble : `HTTP ${answer.status}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ')
}
