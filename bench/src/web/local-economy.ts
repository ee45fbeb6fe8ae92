import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LocalFile } from '@farebox/local/local-file'
import { startChild } from '@farebox/local/src/processes/child-process'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { findFreePort } from '@farebox/local/src/processes/free-port'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What `npm start` started: chain, facilitator, platform and five agents; four of them have been paid a job. */
export interface LocalEconomy {
  /** As it was printed: what a person opens. */
  readonly url: string
  readonly addresses: LocalFile
  /** From the command to the printed address. */
  readonly startedInMs: number
  stop(): Promise<void>
}

/** Runs what `npm start` runs, on free ports and in a folder of its own, gone when it is stopped. */
export async function startLocalEconomy(): Promise<LocalEconomy> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-bench-web-'))
  const ports = ['chain', 'facilitator', 'platform', 'agents']
  const words: string[] = []
  for (const name of ports) words.push(`--${name}-port`, String(await findFreePortOf(name)))
  const startedMs = performance.now()
  const child = await startChild({
    command: process.execPath,
    arguments: [join(ROOT, 'scripts', 'start.mjs'), '--folder', folder, ...words],
    folder: ROOT,
    readReady: line => /^ {2}Open (http:\S+)$/.exec(line)?.[1],
  })
  const startedInMs = performance.now() - startedMs
  // A bench that is killed leaves nothing running.
  void child.exited.then(endWithUs(child.pid))
  const addresses = JSON.parse(await readFile(join(folder, 'local.json'), 'utf8')) as LocalFile
  return {
    url: child.ready,
    addresses,
    startedInMs,
    async stop() {
      await child.stop(30_000)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Four agents take as many ports in a row: one far from those that systems give away. */
async function findFreePortOf(name: string): Promise<number> {
  if (name !== 'agents') return await findFreePort()
  return 20_000 + (process.pid % 3_000) * 4
}
