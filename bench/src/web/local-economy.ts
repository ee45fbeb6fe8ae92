import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '@farebox/local/src/processes/child-process'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { CURRENT } from '../stage/build.ts'
import type { Stage } from '../stage/stage.ts'

/**
 * Runs the program of `npm start`, on free ports and in its own folder, until the scene ends. Resolves to the URL of
 * the pages.
 */
export async function startLocalEconomy(stage: Stage): Promise<string> {
  const folder = await mkdtemp(join(stage.folder, 'economy-'))
  const words: string[] = []
  for (const name of ['chain', 'facilitator', 'platform'])
    words.push(`--${name}-port`, String(await findFreePort()))
  // Agents use consecutive ports: far from the system's ephemeral ones.
  words.push('--agents-port', String(20_000 + (process.pid % 3_000) * 4))
  const child = await startChild({
    command: process.execPath,
    arguments: [join(CURRENT.root, 'scripts', 'start.mjs'), '--folder', folder, ...words],
    folder: CURRENT.root,
    readReady: line => /^ {2}Open (http:\S+)$/.exec(line)?.[1],
  })
  stage.onStrike(() => child.stop(30_000))
  // A killed bench leaves no process running.
  void child.exited.then(endWithUs(child.pid))
  return child.ready
}
