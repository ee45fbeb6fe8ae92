import { mkdir } from 'node:fs/promises'
import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { startWithUs } from './start-with-us.ts'

/** What it has acknowledged is on disk, and nothing is evicted: what agents need (D25). */
const SETTINGS = '--appendonly yes --appendfsync always --save  --maxmemory-policy noeviction'.split(' ')

/**
 * Starts a Redis of our own, as durable as agents need it; it goes on with what is in the folder.
 *
 * @throws NotStartedError where `redis-server` is not installed, or does not take the port
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
