import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { Redis } from 'ioredis'
import { transfersTo } from '../../../../e2e/stage/pay.ts'
import { startRunCounter } from '../../../../e2e/stage/run-counter.ts'
import { findLastingPorts } from '../../storms/stage/lasting-ports.ts'
import { startRedis } from '../../storms/stage/start-redis.ts'
import type { Attack } from '../attack.ts'
import { untilTrue } from '../nodes/until-true.ts'
import { countStatuses, playScene, send } from '../stage/paid-scene.ts'

const NOTICED_WITHIN_MS = 15_000

/** Somebody sets Redis to evict records while the agent runs (row 10). */
export const changedPolicy: Attack = {
  name: 'Redis is set to evict records under a running agent',
  before:
    'not noticed within 15 s: 5 of 5 jobs were taken and charged meanwhile (small form); on record, 19 of 24 were then lost',
  run: async ({ size }) =>
    await playScene(async scene => {
      const [port = 0] = await findLastingPorts(1)
      const folder = join(scene.stage.folder, 'redis')
      const redis = await startRedis({ folder, port, onLine: () => undefined })
      const admin = new Redis(port)
      const counter = await startRunCounter(scene.stage)
      try {
        const url = await scene.hire({ name: 'agent', store: `redis://127.0.0.1:${port}` })
        const work = async () => await send(url, await scene.sign(url, { tellUrl: counter.url }))
        if ((await work()).status !== 200) throw new Error('a paid job was refused')
        await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
        const noticedMs = await untilTrue(NOTICED_WITHIN_MS, async () => (await work()).status === 503)
        const runs = counter.count()
        const refused = []
        for (let sent = 0; sent < (size === 'small' ? 5 : 50); sent += 1) refused.push(await work())
        const charged = await transfersTo(scene.stage, TEST_KEYS.agent.address)
        const ran = counter.count() - runs
        await admin.config('SET', 'maxmemory-policy', 'noeviction')
        const recoveredMs = await untilTrue(NOTICED_WITHIN_MS, async () => (await work()).status === 200)
        return [
          {
            test: `allkeys-lru: ${refused.length} paid jobs once it was noticed`,
            reached: `noticed after ${inSeconds(noticedMs)}; ${countStatuses(refused)}, ${ran} handler runs, ${charged - runs} charged`,
            target: 'noticed within 6 s; all 503, no run, none charged',
            isMet:
              noticedMs !== undefined &&
              noticedMs <= 6_000 &&
              refused.every(({ status }) => status === 503) &&
              ran === 0 &&
              charged === runs,
          },
          {
            test: 'noeviction again: until a job is taken',
            reached: inSeconds(recoveredMs),
            target: '6 s at most',
            isMet: recoveredMs !== undefined && recoveredMs <= 6_000,
          },
        ]
      } finally {
        admin.disconnect()
        await redis.stop()
      }
    }),
}

function inSeconds(ms: number | undefined): string {
  return ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`
}
