import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { transfersTo } from '../../../../e2e/stage/pay.ts'
import type { Score } from '../../battery.ts'
import { findLastingPorts } from '../../storms/stage/lasting-ports.ts'
import { startRedis } from '../../storms/stage/start-redis.ts'
import type { Attack } from '../attack.ts'
import { playScene, send, type PaidScene } from '../stage/paid-scene.ts'
import { countRefusals, repeatUntilAnswered, type Repeated } from './repeat-until-answered.ts'

/** Redis is killed while payments are settled, and comes back empty (row 16). */
export const loseRedis: Attack = {
  id: 'R1',
  rule: 'A charged job is delivered and never denied after its record is lost.',
  title: 'Redis is killed during settlement and comes back empty',
  needs: ['redis-server'],
  run: async run =>
    await playScene(async scene => {
      const [port = 0] = await findLastingPorts(1)
      const onLine = (): void => undefined
      let redis = await startRedis({ folder: join(scene.stage.folder, 'redis'), port, onLine })
      try {
        const url = await scene.hire({ name: 'agent', store: `redis://127.0.0.1:${port}` })
        const jobs = await signJobs(scene, url, run.size === 'small' ? 8 : 80)
        const first = jobs.map(async job => await send(url, job))
        // Some are charged by then, some are being charged; the agent does not know of most of it yet.
        while ((await transfersTo(scene.stage, TEST_KEYS.agent.address)) < jobs.length / 4) {
          run.signal.throwIfAborted()
          await delay(5)
        }
        await redis.kill()
        redis = await startRedis({ folder: join(scene.stage.folder, 'redis-empty'), port, onLine })
        await Promise.all(first)
        const repeated = await repeatAll(url, jobs)
        return await score(scene, repeated)
      } finally {
        await redis.stop()
      }
    }),
}

async function signJobs(
  scene: PaidScene,
  url: string,
  count: number,
): Promise<readonly Awaited<ReturnType<PaidScene['sign']>>[]> {
  // Half of them as stock clients sign: our facilitator says whose job those paid.
  return await Promise.all(
    Array.from(
      { length: count },
      async (_, at) => await scene.sign(url, { unbound: at % 2 === 1, deadlineSeconds: 25 }),
    ),
  )
}

async function repeatAll(
  url: string,
  jobs: readonly Awaited<ReturnType<PaidScene['sign']>>[],
): Promise<readonly Repeated[]> {
  return await Promise.all(jobs.map(async job => await repeatUntilAnswered(url, job)))
}

async function score({ stage }: PaidScene, repeated: readonly Repeated[]): Promise<readonly Score[]> {
  const transfers = await transfersTo(stage, TEST_KEYS.agent.address)
  const delivered = repeated.filter(({ isDelivered }) => isDelivered).length
  const refusals = countRefusals(repeated)
  return [
    {
      test: `${repeated.length} jobs repeated until answered`,
      reached: `${delivered} delivered, ${transfers} transfers`,
      target: `${repeated.length} delivered, as many transfers`,
      isMet: delivered === repeated.length && transfers === repeated.length,
    },
    {
      test: 'answers that deny a charge',
      reached: String(refusals),
      target: '0',
      isMet: refusals === 0,
    },
  ]
}
