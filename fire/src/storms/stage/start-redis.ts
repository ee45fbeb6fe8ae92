import { mkdir } from 'node:fs/promises'
import { startChild } from '@farebox/local/src/processes/child-process'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { killFamily } from './process-family.ts'
import type { ProcessRun } from './managed-process.ts'

/** What it has acknowledged is on disk, and nothing is evicted: what agents need (D25). */
const SETTINGS = '--appendonly yes --appendfsync always --save  --maxmemory-policy noeviction'.split(' ')

/**
 * Starts a Redis of our own, as durable as agents need it; it goes on with what is in the folder.
 *
 * @throws ChildNotReadyError where `redis-server` is not installed, or does not take the port
 */
export async function startRedis(options: {
  readonly folder: string
  readonly port: number
  readonly onLine?: (line: string) => void
}): Promise<ProcessRun> {
  const { folder, port, onLine } = options
  await mkdir(folder, { recursive: true })
  const child = await startChild({
    command: 'redis-server',
    arguments: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...SETTINGS],
    environment: { PATH: process.env['PATH'] ?? '' },
    readReady: line => (line.includes('Ready to accept connections') ? true : undefined),
    ...(onLine !== undefined && { onLine }),
  })
  void child.exited.then(endWithUs(child.pid))
  return {
    pid: child.pid,
    exited: child.exited,
    kill: async () => {
      await killFamily(child.pid)
      await child.exited
    },
    stop: () => child.stop(),
  }
}
