import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClusterFolder } from './cluster-folder.ts'
import { awaitReady } from './spawn-postmaster.ts'

let cluster: ClusterFolder

beforeEach(async () => {
  const path = await mkdtemp(join(tmpdir(), 'farebox-postmaster-'))
  cluster = {
    path,
    data: join(path, 'data'),
    password: join(path, 'password'),
    log: join(path, 'postgres.log'),
  }
  await writeFile(cluster.log, 'LOG:  starting PostgreSQL\nLOG:  redo starts\n')
})
afterEach(async () => {
  await rm(cluster.path, { recursive: true })
})

/** A server that was started and writes no lock file. */
function createServer(looks: number): { isAlive(): boolean; end(): Promise<void>; hasEnded: boolean } {
  let looked = 0
  return {
    hasEnded: false,
    isAlive: () => (looked += 1) <= looks,
    end() {
      this.hasEnded = true
      return Promise.resolve()
    },
  }
}

test('a server that hangs while it starts is ended after five minutes, and the error contains its log', async () => {
  const server = createServer(Number.POSITIVE_INFINITY)
  const limits: number[] = []
  const waiting = awaitReady(cluster, server, {
    timer(delayMs, callback) {
      limits.push(delayMs)
      setImmediate(callback)
      return () => undefined
    },
  })
  await expect(waiting).rejects.toThrow(
    [
      'PostgreSQL did not start: it was not ready after 5 minutes',
      '  its last lines:',
      '    LOG:  starting PostgreSQL',
      '    LOG:  redo starts',
      `  its whole log: ${cluster.log}`,
      '  try: set DATABASE_URL',
    ].join('\n'),
  )
  expect(limits).toEqual([300_000])
  expect(server.hasEnded).toBe(true)
})

test('a server whose process has ended is no longer awaited', async () => {
  const server = createServer(3)
  expect(await awaitReady(cluster, server, {})).toBeUndefined()
  expect(server.hasEnded).toBe(false)
})

test('a cancelled start ends the server', async () => {
  const server = createServer(Number.POSITIVE_INFINITY)
  const signal = AbortSignal.abort(new Error('stopped while starting'))
  await expect(awaitReady(cluster, server, { signal })).rejects.toThrow('stopped while starting')
  expect(server.hasEnded).toBe(true)
})
