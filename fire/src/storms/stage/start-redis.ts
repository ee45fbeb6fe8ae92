import { mkdir } from 'node:fs/promises'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { startWithUs } from './start-with-us.ts'

/** Acknowledged writes are on disk, and nothing is evicted: the requirements of agents (D25). */
const SETTINGS = '--appendonly yes --appendfsync always --save  --maxmemory-policy noeviction'.split(' ')

/**
 * Starts our own Redis, as durable as agents need it; it continues with the data in the folder.
 *
 * @throws NotStartedError if `redis-server` is not installed, or the port is in use
 */
export async function startRedis({
  folder,
  port,
}: {
  readonly folder: string
  readonly port: number
}): Promise<RunningChild<true>> {
  await mkdir(folder, { recursive: true })
  return await startWithUs({
    command: 'redis-server',
    arguments: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...SETTINGS],
    environment: { PATH: process.env['PATH'] ?? '' },
    ready: 'Ready to accept connections',
  })
}
