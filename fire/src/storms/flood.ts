import { createRandom } from '../simulator/seeded-random.ts'
import { audit, findingsOf, type Audit } from './audit/audit.ts'
import { readRuns } from './audit/check-runs.ts'
import { watchChain } from './audit/read-chain.ts'
import type { StormAnswer, StormOrder } from './event-log.ts'
import { persist } from './load/send-order.ts'
import { PUBLIC_URL, signOrder, signRivals } from './load/sign-order.ts'
import { HANG_MS } from './stage/managed-process.ts'
import type { StageAgent } from './stage/parties.ts'
import { grouped, type StormResult, type StormRun } from './storm-run.ts'

/** Long enough for thousands to arrive while the handler runs. */
const HANDLER_MS = 1_500

/** As late as an agent takes it: no job of a flood is to end by the clock. */
const DEADLINE_SECONDS = 280

/** What a flood came to. */
interface Flooded {
  readonly answers: readonly (StormAnswer | undefined)[]
  readonly audit: Audit
  /** So many of each answer, for a finding. */
  readonly described: string
}

/**
 * One request, sent thousands of times at once to all replicas: the handler runs once, all callers get the same bytes,
 * and it is paid once (PAY-03, IDM-03, IDM-04).
 */
export async function duplicateStorm(run: StormRun): Promise<StormResult> {
  const { stage, size, seed } = run
  const { duplicates } = size
  const payer = createRandom(seed).fork('duplicate').pick(stage.payers)
  const order = await signOrder(stage, { payer, waitMs: HANDLER_MS, deadlineSeconds: DEADLINE_SECONDS })
  const flooded = await flood(run, 'duplicate storm', {
    orders: Array.from({ length: duplicates }, () => order),
    agents: stage.agents,
  })
  const runs = (await readRuns(stage.runsFile)).get(order.jobId)?.length ?? 0
  const [first] = flooded.answers
  const identical = flooded.answers.filter(
    answer => answer?.status === 200 && answer.body === first?.body && answer.receipt === first.receipt,
  ).length
  const { paid } = flooded.audit.money
  const isMet = runs === 1 && identical === duplicates && paid === 1
  const findings = [...(isMet ? [] : [`answers were ${flooded.described}`]), ...findingsOf(flooded.audit)]
  return {
    scores: [
      {
        test: `duplicate storm: ${grouped(duplicates)} requests for one job, ${stage.agents.length} agents on one Redis`,
        reached: `handler ran ${runs === 1 ? 'once' : `${runs} times`}, ${grouped(identical)} identical answers, ${paid} transfer`,
        target: `once, ${grouped(duplicates)} identical, 1 transfer`,
        isMet,
      },
    ],
    findings: findings.map(
      text => `duplicate storm: ${text} ${run.replay(`--only duplicate --seed ${seed}`)}`,
    ),
  }
}

/**
 * One payment, sent for a thousand jobs at once (PAY-01, PAY-02). It buys one of them; the others are refused. In every
 * other round the agents share no store, so that only the facilitators' ledger stands between the payment and its reuse.
 */
export async function replayStorm(run: StormRun): Promise<StormResult> {
  const { stage, size, seed, signal } = run
  const random = createRandom(seed).fork('replay')
  const apart: StageAgent[] = []
  for (let index = 1; index <= size.agents; index += 1)
    apart.push(
      await stage.addAgent({
        ownStore: `apart-${index}`,
        environment: { SERVICE_PUBLIC_URL: PUBLIC_URL },
      }),
    )
  const findings: string[] = []
  let [kept, transfers] = [0, 0]
  for (let round = 0; round < size.replayRounds && !signal.aborted; round += 1) {
    const wish = {
      payer: random.pick(stage.payers),
      waitMs: random.between(0, 50),
      deadlineSeconds: DEADLINE_SECONDS,
    }
    const orders = await signRivals(stage, wish, size.replays)
    const agents = round % 2 === 0 ? stage.agents : apart
    const flooded = await flood(run, `replay storm, round ${round + 1}`, { orders, agents })
    const served = flooded.answers.filter(answer => answer?.status === 200).length
    const refused = flooded.answers.filter(isRefusedPayment).length
    const isKept = served === 1 && refused === orders.length - 1
    const wrong = [
      ...(isKept ? [] : [`one 200 and the others 402 payment, got ${flooded.described}`]),
      ...findingsOf(flooded.audit),
    ]
    if (wrong.length === 0) kept += 1
    transfers += flooded.audit.money.paid
    findings.push(
      ...wrong.map(
        text => `replay storm, round ${round + 1}: ${text} ${run.replay(`--only replay --seed ${seed}`)}`,
      ),
    )
  }
  for (const agent of apart) await agent.stop()
  return {
    scores: [
      {
        test: `replay storm: one payment for ${grouped(size.replays)} jobs, ${size.agents} agents, on one Redis and on none in common in turn, 2 facilitators`,
        reached: `${kept} of ${size.replayRounds} rounds with one 200 and ${grouped(size.replays - 1)} × 402; ${transfers} transfers`,
        target: `${size.replayRounds} rounds, ${size.replayRounds} transfers`,
        isMet: kept === size.replayRounds && transfers === size.replayRounds,
      },
    ],
    findings,
  }
}

/** Sends all orders at once, to the agents in turn, each until it is answered; then audits them. */
async function flood(
  { stage, signal, progress }: StormRun,
  doing: string,
  { orders, agents }: { readonly orders: readonly StormOrder[]; readonly agents: readonly StageAgent[] },
): Promise<Flooded> {
  const watch = watchChain(stage)
  let done = 0
  const answers = await Promise.all(
    orders.map(async (order, index) => {
      const agent = agentAt(agents, index)
      const untilMs = Date.now() + HANG_MS
      const answer = await persist(stage, order, { nextAgent: () => agent, takes500: true, untilMs, signal })
      done += 1
      if (done % 100 === 0) progress({ doing, done, of: orders.length })
      return answer
    }),
  )
  await watch.stop()
  const judged = await audit(stage, [...new Set(orders)], {
    seenMs: watch.seenMs,
    // Where it went: agents that share no store know nothing of each other's jobs.
    agentFor: order => agentAt(agents, orders.indexOf(order)),
    signal,
  })
  return { answers, audit: judged, described: describe(answers) }
}

function agentAt(agents: readonly StageAgent[], turn: number): StageAgent {
  const agent = agents[turn % agents.length]
  if (agent === undefined) throw new RangeError('there are no agents')
  return agent
}

function isRefusedPayment(answer: StormAnswer | undefined): boolean {
  return answer?.status === 402 && answer.body.includes('"error_type":"payment"')
}

function describe(answers: readonly (StormAnswer | undefined)[]): string {
  const counts = new Map<string, number>()
  for (const answer of answers) {
    const what = answer === undefined ? 'none' : `HTTP ${answer.status} ${errorTypeOf(answer)}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ')
}

function errorTypeOf({ body }: StormAnswer): string {
  return /"error_type":"(\w+)"/.exec(body)?.[1] ?? ''
}
