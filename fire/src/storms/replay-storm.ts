import { auditStorm, findingsOf } from './audit/audit-storm.ts'
import { watchChain } from './audit/watch-chain.ts'
import type { StormAnswer } from './event-log.ts'
import { persist } from './load/send-order.ts'
import { signRivals } from './load/sign-order.ts'
import type { StormAgent } from './stage/storm-agent.ts'
import { grouped, replayArguments, type StormResult, type StormRun } from './storm-run.ts'

const TIMEOUT_MS = 60_000

/**
 * One payment, sent for a thousand jobs at once (PAY-01, PAY-02). It buys one of them; the others are refused. In every
 * other round the agents share no store, so that only the facilitators' ledger stands between the payment and its reuse.
 */
export async function replayStorm(run: StormRun): Promise<StormResult> {
  const { stage, size, signal, progress } = run
  const strangers = await Promise.all(
    [1, 2, 3, 4].map(async index => await stage.stranger(`stranger-${index}`)),
  )
  const findings: string[] = []
  const rounds = { together: 0, apart: 0, kept: 0, paid: 0 }
  for (let round = 0; round < size.replayRounds && !signal.aborted; round += 1) {
    progress({ doing: 'replay storm', done: round, of: size.replayRounds })
    const isTogether = round % 2 === 0
    rounds[isTogether ? 'together' : 'apart'] += 1
    const { paid, wrong } = await playRound(run, isTogether ? stage.agents : strangers)
    rounds.paid += paid
    if (wrong.length === 0) rounds.kept += 1
    findings.push(
      ...wrong.map(
        text => `replay storm, round ${round + 1}: ${text} ${replayArguments(run, 'replay', run.seed)}`,
      ),
    )
  }
  for (const stranger of strangers) await stranger.stop()
  const played = rounds.together + rounds.apart
  return {
    scores: [
      {
        test: `replay storm: one payment for ${grouped(size.replays)} jobs, 4 agents (${rounds.together} × on one Redis, ${rounds.apart} × on none in common), 2 facilitators`,
        reached: `${rounds.kept} of ${played} rounds with one 200 and ${grouped(size.replays - 1)} × 402; ${rounds.paid} transfers`,
        target: `${played} rounds, ${played} transfers`,
        isMet: rounds.kept === played && rounds.paid === played,
      },
    ],
    findings,
  }
}

async function playRound(
  { stage, size, random, signal }: StormRun,
  agents: readonly StormAgent[],
): Promise<{ readonly paid: number; readonly wrong: readonly string[] }> {
  const watch = watchChain(stage)
  const wish = { payer: random.pick(stage.payers), waitMs: random.between(0, 50) }
  const orders = await signRivals(stage, wish, size.replays)
  const answers = await Promise.all(
    orders.map(async (order, index) => {
      const agent = agents[index % agents.length] ?? random.pick(agents)
      return await persist(stage, order, {
        nextAgent: () => agent,
        takes500: true,
        untilMs: Date.now() + TIMEOUT_MS,
        signal,
      })
    }),
  )
  await watch.stop()
  const served = answers.filter(answer => answer?.status === 200).length
  const refused = answers.filter(isRefusedPayment).length
  const audit = await auditStorm(stage, orders, {
    seenMs: watch.seenMs,
    settleMs: size.settleMs,
    // Where it went: agents that share no store know nothing of each other's jobs.
    agentFor: order => agents[orders.indexOf(order) % agents.length],
    signal,
  })
  const wrong = served === 1 && refused === orders.length - 1 ? [] : [describe(answers, served, refused)]
  return { paid: audit.money.paid, wrong: [...wrong, ...findingsOf(audit)] }
}

function isRefusedPayment(answer: StormAnswer | undefined): boolean {
  return answer?.status === 402 && answer.body.includes('"error_type":"payment"')
}

function describe(answers: readonly (StormAnswer | undefined)[], served: number, refused: number): string {
  const other = answers.find(answer => answer?.status !== 200 && !isRefusedPayment(answer))
  return (
    `${served} × 200 and ${refused} × 402 payment of ${answers.length}` +
    (other === undefined ? '' : `; another answer was HTTP ${other.status} ${other.body.slice(0, 160)}`)
  )
}
