import { join } from 'node:path'
import { until } from '@farebox/protocol/src/test-setup/until'
import { findLastingPort } from '../../storms/stage/lasting-ports.ts'
import { startRedis } from '../../storms/stage/start-redis.ts'
import type { Attack } from '../attack.ts'
import { countDelivered, countDenials, playScene, repeatAll, send } from '../stage/paid-scene.ts'

/** Redis is killed while payments are settled, and comes back empty (row 16). */
export const loseRedis: Attack = {
  id: 'R1',
  rule: 'A charged job is delivered and never denied after its record is lost.',
  title: 'Redis is killed during settlement and comes back empty',
  needs: ['redis-server'],
  run: async ({ size }) =>
    await playScene(async scene => {
      const port = await findLastingPort()
      const start = (name: string) => startRedis({ folder: join(scene.stage.folder, name), port })
      let redis = await start('redis')
      try {
        const url = await scene.hire({ name: 'agent', store: `redis://127.0.0.1:${port}` })
        const jobs = await scene.signMany(size === 'small' ? 8 : 80, url)
        const first = jobs.map(job => send(url, job))
        // Some are charged by then, some are being charged; the agent does not know of most of it yet.
        await until(async () => (await scene.transfers()) >= jobs.length / 4, 5)
        await redis.kill()
        redis = await start('redis-empty')
        await Promise.all(first)
        const repeated = await repeatAll(url, jobs)
        const [delivered, transfers] = [countDelivered(repeated), await scene.transfers()]
        return [
          {
            test: `${jobs.length} jobs repeated until answered`,
            reached: `${delivered} delivered, ${transfers} transfers`,
            target: `${jobs.length} delivered, as many transfers`,
            isMet: delivered === jobs.length && transfers === jobs.length,
          },
          {
            test: 'answers that deny a charge',
            reached: String(countDenials(repeated)),
            target: '0',
            isMet: countDenials(repeated) === 0,
          },
        ]
      } finally {
        await redis.stop()
      }
    }),
}
