import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '@farebox/local/src/processes/child-process'
import type { Stage } from '../../../e2e/stage/stage.ts'
import { openLine, type BreakableLine } from './breakable-line.ts'
import { freePort } from './free-port.ts'

/** A Redis of our own, closed to who has not the password. */
export async function startLockedRedis(stage: Stage, password: string): Promise<BreakableLine> {
  const port = await freePort()
  // Not among its words: those are in the list of processes.
  const settings = join(stage.folder, 'redis.conf')
  await writeFile(settings, `port ${port}\nbind 127.0.0.1\nsave ""\nrequirepass ${password}\n`)
  const child = await startChild({
    command: 'redis-server',
    arguments: [settings, '--maxmemory-policy', 'noeviction'],
    environment: { PATH: process.env['PATH'] ?? '' },
    folder: stage.folder,
    readReady: line => (line.includes('Ready to accept connections') ? true : undefined),
  })
  stage.onStrike(() => child.stop())
  const line = await openLine({ host: '127.0.0.1', port })
  stage.onStrike(line.stop)
  return line
}
