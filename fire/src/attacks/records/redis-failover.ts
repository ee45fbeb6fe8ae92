import { setTimeout as delay } from 'node:timers/promises'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { transfersTo, type PaidRequest } from '../../../../e2e/stage/pay.ts'
import type { Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { playScene, send, type PaidScene } from '../stage/paid-scene.ts'
import { startRedisGroup } from './redis-group.ts'
import { countRefusals, repeatUntilAnswered, type Repeated } from './repeat-until-answered.ts'

/** Writes of so long are lost. */
const LOST_MS = 3_000
/** Short, so that each job is repeated when its deadline has passed. */
const DEADLINE_SECONDS = 5

/** A failover to a replica that lacks the last three seconds, with jobs delivered all the while (row 21). */
export const redisFailover: Attack = {
  id: 'R2',
  rule: 'A charged job is delivered when it is repeated after a failover.',
  title: 'a Redis failover that loses 3 s of writes',
  needs: ['redis-server'],
  run: async run => [...(await failOver('', run)), ...(await failOver('?replicas=1', run))],
}

/** A job, and what it was answered before the failover; undefined: 503. */
interface Sent {
  readonly request: PaidRequest
  readonly output: string | undefined
}

async function failOver(parameters: string, run: AttackRun): Promise<readonly Score[]> {
  return await playScene(async scene => {
    const group = await startRedisGroup(scene.stage.folder)
    try {
      const store = `redis://127.0.0.1:${group.port}/0${parameters}`
      const url = await scene.hire({ name: 'agent', store })
      const sent = await sendFor(scene, url, LOST_MS / 2, run)
      await group.split()
      sent.push(...(await sendFor(scene, url, LOST_MS, run)))
      await group.killFirst()
      group.leadToSecond()
      await delay(DEADLINE_SECONDS * 1_000)
      const repeated = await Promise.all(
        sent.map(async ({ request }) => await repeatUntilAnswered(url, request)),
      )
      const transfers = await transfersTo(scene.stage, TEST_KEYS.agent.address)
      return score(parameters, sent, repeated, transfers)
    } finally {
      await group.stop()
    }
  })
}

/** Jobs one after the other, in a few rows. */
async function sendFor(
  scene: PaidScene,
  url: string,
  durationMs: number,
  { size, signal }: AttackRun,
): Promise<Sent[]> {
  const sent: Sent[] = []
  const untilMs = performance.now() + durationMs
  const work = async (row: number): Promise<void> => {
    while (performance.now() < untilMs && !signal.aborted) {
      // Half of the rows sign as stock clients do.
      const request = await scene.sign(url, { unbound: row % 2 === 1, deadlineSeconds: DEADLINE_SECONDS })
      const { status, body } = await send(url, request)
      // A busy machine may need longer than the deadline: such a job is not charged, and not repeated.
      if (status === 408) continue
      if (status !== 200 && status !== 503) throw new Error(`a paid job was answered ${status} ${body}`)
      sent.push({ request, output: status === 200 ? body : undefined })
    }
  }
  await Promise.all(Array.from({ length: size === 'small' ? 2 : 8 }, (_, row) => work(row)))
  return sent
}

function score(
  parameters: string,
  sent: readonly Sent[],
  repeated: readonly Repeated[],
  transfers: number,
): readonly Score[] {
  const isWaitedFor = parameters !== ''
  const where = isWaitedFor ? 'replicas=1' : 'no replicas asked for'
  const paid = repeated.filter((_, at) => sent[at]?.output !== undefined)
  const again = paid.filter(({ isDelivered }) => isDelivered).length
  const same = repeated.filter(({ body }, at) => sent[at]?.output === body).length
  const delivered = repeated.filter(({ isDelivered }) => isDelivered).length
  return [
    {
      test: `${where}: ${paid.length} delivered jobs repeated after the failover, their deadlines passed`,
      reached: `${again} delivered again, ${same} the same bytes, ${countRefusals(paid)} answers that deny the charge`,
      target: `all${isWaitedFor ? ', the same bytes' : ''}, none`,
      isMet:
        paid.length > 0 &&
        again === paid.length &&
        countRefusals(paid) === 0 &&
        (!isWaitedFor || same === paid.length),
    },
    {
      test: `${where}: ${sent.length} jobs, of which ${sent.length - paid.length} were answered 503 meanwhile`,
      reached: `${delivered} delivered in the end, ${transfers} transfers`,
      target: 'a transfer for each that was delivered',
      isMet: transfers === delivered,
    },
  ]
}
