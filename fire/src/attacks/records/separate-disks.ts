import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { transfersTo } from '../../../../e2e/stage/pay.ts'
import type { Attack } from '../attack.ts'
import { countStatuses, playScene, send } from '../stage/paid-scene.ts'

/** Two agents of one wallet and one name, each with a disk of its own: a charged job is repeated at the other (row 10). */
export const separateDisks: Attack = {
  name: 'a charged job repeated at an agent with another disk',
  before: '4 of 4 repeats were answered 402 although charged (small form)',
  run: async ({ size }) =>
    await playScene(async scene => {
      const environment = { SERVICE_PUBLIC_URL: 'http://agent.example' }
      const [one = '', two = ''] = await Promise.all(
        ['one', 'two'].map(
          async name =>
            await scene.hire({ name, store: `lmdb:${join(scene.stage.folder, name)}`, environment }),
        ),
      )
      const count = size === 'small' ? 4 : 24
      const jobs = await Promise.all(
        Array.from(
          { length: count },
          async (_, at) => await scene.sign('http://agent.example', { unbound: at % 2 === 1 }),
        ),
      )
      const first = []
      const repeats = []
      for (const job of jobs) {
        first.push(await send(one, job))
        repeats.push(await send(two, job))
      }
      const transfers = await transfersTo(scene.stage, TEST_KEYS.agent.address)
      return [
        {
          test: `${count} jobs paid at one agent and repeated at the other`,
          reached: `${countStatuses(first)}; repeats ${countStatuses(repeats)}; ${transfers} transfers`,
          target: 'all 200, a transfer for each job',
          isMet: [...first, ...repeats].every(({ status }) => status === 200) && transfers === count,
        },
      ]
    }),
}
