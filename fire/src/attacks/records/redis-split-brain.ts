import { startRunCounter } from '../../../../e2e/stage/run-counter.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import {
  countDelivered,
  countDenials,
  playScene,
  repeatAll,
  send,
  type Answered,
  type PaidScene,
} from '../stage/paid-scene.ts'
import { inBothModes, type RedisMode } from './redis-group.ts'

/** Both agents are called by one name, as replicas behind a load balancer are. */
const PUBLIC_URL = 'http://agent.example'

/** Two primaries at once, an agent at each; then the first is made a replica, and what it alone had is gone. */
export const redisSplitBrain: Attack = {
  id: 'R3',
  rule: 'One payment buys one output while two primaries accept writes.',
  title: 'Redis with two primaries',
  needs: ['redis-server'],
  run: async run =>
    await playScene(async scene => {
      const results = await inBothModes(scene, async mode => await splitUp(scene, mode, run))
      const payments = results.reduce((sum, result) => sum + result.payments, 0)
      const transfers = await scene.transfers()
      return [
        ...results.flatMap(({ scores }) => scores),
        {
          test: 'payments that bought an output',
          reached: `${transfers} transfers`,
          target: `${payments}, one for each`,
          isMet: transfers === payments,
        },
      ]
    }),
}

interface Outcome {
  readonly scores: readonly Score[]
  /** That bought an output. */
  readonly payments: number
}

async function splitUp(
  scene: PaidScene,
  { group, where, parameters, isWaitedFor }: RedisMode,
  { size }: AttackRun,
): Promise<Outcome> {
  const count = size === 'small' ? 8 : 60
  const counter = await startRunCounter(scene.stage)
  const hire = async (port: number): Promise<string> =>
    await scene.hire({
      name: `agent-${port}`,
      store: `redis://127.0.0.1:${port}/0${parameters}`,
      environment: { SERVICE_PUBLIC_URL: PUBLIC_URL },
    })
  const [cutOff, other] = await Promise.all([hire(group.port), hire(group.ports[1])])
  await group.split()
  const jobs = await scene.signMany(count, PUBLIC_URL, { tellUrl: counter.url })
  // Each job goes to both at once: a caller that repeats, and a load balancer that sends the repeat elsewhere.
  const [first, second] = await Promise.all(
    [cutOff, other].map(url => Promise.all(jobs.map(job => send(url, job)))),
  )
  const runs = counter.count()
  const twins = await sendTwins(scene, [cutOff, other], count)
  await group.rejoinFirst()
  group.leadToSecond()
  const repeated = await repeatAll(cutOff, jobs)
  const delivered = countDelivered(repeated)
  const kept = repeated.filter(({ body }, at) => body === second?.[at]?.body).length
  const bought = twins.map(pair => pair.filter(({ status }) => status === 200).length)
  return {
    payments: count + bought.filter(outputs => outputs > 0).length,
    scores: [
      {
        test: `${where}: ${count} jobs, each sent to an agent on either side`,
        reached: `${runs} handler runs; the side cut off ${countStatuses(first)}; the other ${countStatuses(second)}`,
        target: isWaitedFor ? 'a run for each job' : 'two runs for each job at most',
        isMet: runs <= (isWaitedFor ? 1 : 2) * count,
      },
      {
        test: `${where}: ${count} stock payments, each for two jobs, one on either side`,
        reached: `${bought.filter(outputs => outputs === 1).length} bought one output, ${bought.filter(outputs => outputs > 1).length} two`,
        target: 'one each, none two',
        isMet: bought.every(outputs => outputs === 1),
      },
      {
        test: `${where}: repeated when there is one primary again`,
        reached: `${delivered} delivered, ${kept} as the remaining side answered, ${countDenials(repeated)} answers that deny the charge`,
        target: `all${isWaitedFor ? ', as it answered' : ''}, none`,
        isMet: delivered === count && countDenials(repeated) === 0 && (!isWaitedFor || kept === count),
      },
    ],
  }
}

/** One payment of a stock client for two jobs, one on either side. */
async function sendTwins(
  scene: PaidScene,
  urls: readonly string[],
  payments: number,
): Promise<readonly (readonly Answered[])[]> {
  return await Promise.all(
    Array.from({ length: payments }, async () => {
      const { header } = await scene.sign(PUBLIC_URL, { stock: true })
      return await Promise.all(
        urls.map(
          async url => await send(url, { ...(await scene.sign(PUBLIC_URL, { stock: true })), header }),
        ),
      )
    }),
  )
}

/** How often each status was answered: `200: 8, 402: 1`. */
function countStatuses(answers: readonly Answered[] = []): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${status}: ${count}`).join(', ')
}
