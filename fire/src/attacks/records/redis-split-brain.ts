import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { transfersTo, type PaidRequest } from '../../../../e2e/stage/pay.ts'
import { startRunCounter } from '../../../../e2e/stage/run-counter.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { countStatuses, playScene, send, type PaidScene } from '../stage/paid-scene.ts'
import { startRedisGroup } from './redis-group.ts'
import { countRefusals, repeatUntilAnswered, type Repeated } from './repeat-until-answered.ts'

/** Both agents are called by one name, as replicas behind a load balancer are. */
const PUBLIC_URL = 'http://agent.example'
const DEADLINE_SECONDS = 25

/** Two primaries at once, an agent at each; then the first is made a replica, and what it alone had is gone. */
export const redisSplitBrain: Attack = {
  id: 'R3',
  rule: 'One payment buys one output while two primaries accept writes.',
  title: 'Redis with two primaries',
  needs: ['redis-server'],
  run: async run => [...(await splitUp('', run)), ...(await splitUp('?replicas=1', run))],
}

type Answered = Awaited<ReturnType<typeof send>>

interface Seen {
  readonly requests: readonly PaidRequest[]
  /** Of the agent whose primary was cut off, and of the other. */
  readonly first: readonly Answered[]
  readonly second: readonly Answered[]
  readonly runs: number
  /** Two jobs for each stock payment, one on either side. */
  readonly twins: readonly (readonly Answered[])[]
  readonly repeated: readonly Repeated[]
  readonly transfers: number
}

async function splitUp(parameters: string, { size }: AttackRun): Promise<readonly Score[]> {
  const jobs = size === 'small' ? 8 : 60
  return await playScene(async scene => {
    const group = await startRedisGroup(scene.stage.folder)
    const counter = await startRunCounter(scene.stage)
    try {
      const environment = { SERVICE_PUBLIC_URL: PUBLIC_URL }
      const [cutOff, other] = await Promise.all(
        [group.port, group.ports[1]].map(
          async (port, at) =>
            await scene.hire({
              name: `agent-${at}`,
              store: `redis://127.0.0.1:${port}/0${parameters}`,
              environment,
            }),
        ),
      )
      if (cutOff === undefined || other === undefined) throw new Error('two agents were to be hired')
      await group.split()
      const requests = await signJobs(scene, jobs, counter.url)
      // Each job goes to both at once: a caller that repeats, and a load balancer that sends the repeat elsewhere.
      const [first, second] = await Promise.all(
        [cutOff, other].map(
          async url => await Promise.all(requests.map(async request => await send(url, request))),
        ),
      )
      const runs = counter.count()
      const twins = await sendTwins(scene, [cutOff, other], jobs)
      await group.rejoinFirst()
      group.leadToSecond()
      const repeated = await Promise.all(
        requests.map(async request => await repeatUntilAnswered(cutOff, request)),
      )
      const transfers = await transfersTo(scene.stage, TEST_KEYS.agent.address)
      return score(parameters, {
        requests,
        first: first ?? [],
        second: second ?? [],
        runs,
        twins,
        repeated,
        transfers,
      })
    } finally {
      await group.stop()
    }
  })
}

/** One payment of a stock client for two jobs, one on either side. */
async function sendTwins(
  scene: PaidScene,
  urls: readonly string[],
  payments: number,
): Promise<readonly (readonly Answered[])[]> {
  return await Promise.all(
    Array.from({ length: payments }, async () => {
      const { header } = await scene.sign(PUBLIC_URL, { unbound: true, deadlineSeconds: DEADLINE_SECONDS })
      return await Promise.all(
        urls.map(async url => {
          const job = await scene.sign(PUBLIC_URL, { unbound: true, deadlineSeconds: DEADLINE_SECONDS })
          return await send(url, { ...job, header })
        }),
      )
    }),
  )
}

/** Half of them as stock clients sign. */
async function signJobs(scene: PaidScene, jobs: number, tellUrl: string): Promise<readonly PaidRequest[]> {
  return await Promise.all(
    Array.from(
      { length: jobs },
      async (_, at) =>
        await scene.sign(PUBLIC_URL, {
          unbound: at % 2 === 1,
          deadlineSeconds: DEADLINE_SECONDS,
          tellUrl,
        }),
    ),
  )
}

function score(parameters: string, seen: Seen): readonly Score[] {
  const { requests, first, second, runs, twins, repeated, transfers } = seen
  const isWaitedFor = parameters !== ''
  const where = isWaitedFor ? 'replicas=1' : 'no replicas asked for'
  const delivered = repeated.filter(({ isDelivered }) => isDelivered).length
  const kept = repeated.filter(({ body }, at) => body === second[at]?.body).length
  const bought = twins.map(pair => pair.filter(({ status }) => status === 200).length)
  const paid = requests.length + bought.filter(outputs => outputs > 0).length
  const answers = `the side cut off ${countStatuses(first)}; the other ${countStatuses(second)}`
  return [
    {
      test: `${where}: ${requests.length} jobs, each sent to an agent on either side`,
      reached: `${runs} handler runs; ${answers}`,
      target: isWaitedFor ? 'a run for each job' : 'two runs for each job at most',
      isMet: runs <= (isWaitedFor ? 1 : 2) * requests.length,
    },
    {
      test: `${where}: ${twins.length} stock payments, each for two jobs, one on either side`,
      reached: `${bought.filter(outputs => outputs === 1).length} bought one output, ${bought.filter(outputs => outputs > 1).length} two; ${transfers} transfers in all`,
      target: 'one each, none two, and a transfer for each payment',
      isMet: bought.every(outputs => outputs === 1) && transfers === paid,
    },
    {
      test: `${where}: repeated when there is one primary again`,
      reached: `${delivered} delivered, ${kept} as the remaining side answered, ${countRefusals(repeated)} answers that deny the charge`,
      target: `all${isWaitedFor ? ', as it answered' : ''}, none`,
      isMet:
        delivered === requests.length &&
        countRefusals(repeated) === 0 &&
        (!isWaitedFor || kept === requests.length),
    },
  ]
}
