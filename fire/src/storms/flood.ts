import type { Answer, StormOrder } from './event-log.ts'
import { persist, signOrders } from './order.ts'
import { HANG_MS } from './stage/managed-process.ts'
import { agentAt, type StageAgent } from './stage/stage.ts'
import { grouped, type Round, type Scene, type Storm } from './storm.ts'

/** Long enough for thousands to arrive while the handler runs. */
const HANDLER_MS = 1_500
/** As late as an agent takes it: no job of a flood is to end by the clock. */
const DEADLINE_SECONDS = 280

/**
 * One request, sent thousands of times at once to all replicas: the handler runs once, all callers get the same bytes,
 * and it is paid once (PAY-03, IDM-03, IDM-04).
 */
export const duplicates: Storm = {
  name: 'duplicate',
  describe: size => `${grouped(size.duplicates)} requests for one job, ${size.agents} agents on one Redis`,
  rounds: () => 1,
  async play(scene, round) {
    const payer = round.random.pick(scene.payers)
    const wish = { payer, waitMs: HANDLER_MS, deadlineSeconds: DEADLINE_SECONDS }
    const [order] = await signOrders(scene.stage, wish)
    const orders = Array.from({ length: scene.size.duplicates }, () => order)
    return judge(await flood(scene, round, orders, scene.replicas), orders.length)
  },
}

/**
 * One payment, sent for a thousand jobs at once (PAY-01, PAY-02). It buys one of them; the others are refused. In every
 * other round the agents share no store, so that only the facilitators' ledger stands between the payment and its reuse.
 */
export const replays: Storm = {
  name: 'replay',
  describe: size =>
    `${size.replayRounds} × one payment for ${grouped(size.replays)} jobs, ${size.agents} agents, on one Redis and on none in common in turn`,
  rounds: size => size.replayRounds,
  async play(scene, round) {
    const { stage, size, payers, replicas, loners } = scene
    const { random, seed } = round
    const [payer, waitMs] = [random.pick(payers), random.between(0, 50)]
    const wish = { payer, waitMs, deadlineSeconds: DEADLINE_SECONDS, competing: size.replays }
    const orders = await signOrders(stage, wish)
    return judge(await flood(scene, round, orders, seed % 2 === 0 ? loners : replicas), 1)
  },
}

/** Sends all orders at once, to the agents in turn, each until it is answered. */
async function flood(
  { stage }: Scene,
  { tell }: Round,
  orders: readonly StormOrder[],
  agents: readonly StageAgent[],
): Promise<readonly (Answer | undefined)[]> {
  let done = 0
  return await Promise.all(
    orders.map(async (order, index) => {
      const nextAgent = (): StageAgent => agentAt(agents, index)
      const answer = await persist(stage, order, { nextAgent, forMs: HANG_MS })
      done += 1
      if (done % 100 === 0) tell(done, orders.length)
      return answer
    }),
  )
}

/** So many must be served, all with the same bytes and receipt; the others must be refused. */
function judge(answers: readonly (Answer | undefined)[], asked: number): readonly string[] {
  const served = answers.filter(answer => answer?.status === 200)
  const outputs = new Set(
    served.map(answer => `${answer?.body} ${String(answer?.headers['payment-response'])}`),
  )
  const refused = answers.filter(
    answer => answer?.status === 402 && answer.body.includes('"error_type":"payment"'),
  ).length
  if (served.length === asked && outputs.size === 1 && refused === answers.length - asked) return []
  const kinds = answers.map(answer => `${answer?.status ?? 'none'} ${answer?.body.slice(0, 160) ?? ''}`)
  const some = [...new Set(kinds)].slice(0, 5).join('; ')
  return [`${served.length} × 200 with ${outputs.size} outputs and ${refused} × 402 payment: ${some}`]
}
