import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { request } from 'undici'
import { AGENT_CONFIG, CURRENT } from './build.ts'
import { stopServer } from './start-server.ts'
import type { Stage } from './stage.ts'

/** An agent in TypeScript, as somebody writes it: a declaration, handlers, one file that they import. */
export interface DevProject {
  /** Saves one of its two files, so that answers tell the version from now on. */
  save(file: 'handlers.ts' | 'mark.ts', version: string): Promise<void>
  /** Starts `farebox dev` in it, as it was built. */
  start(): Promise<RunningDev>
}

/** `farebox dev`, and the agent it serves. */
export interface RunningDev {
  /**
   * Sends jobs until the answer is of this version; resolves to the time of that answer, of `performance.now()`.
   * Rejects with its last words where it ends or does not answer.
   */
  answers(version: string): Promise<number>
  stop(): Promise<void>
}

const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 2

/** Writes the project; it lies outside the repository, as anybody's does. */
export async function createDevProject(stage: Stage): Promise<DevProject> {
  const folder = await mkdtemp(join(stage.folder, 'dev-'))
  await copyFile(AGENT_CONFIG, join(folder, 'agent.json'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
  const versions = { 'handlers.ts': 'a', 'mark.ts': 'b' }
  const save: DevProject['save'] = async (file, version) => {
    versions[file] = version
    await writeFile(join(folder, file), SOURCES[file](version))
  }
  await save('handlers.ts', 'first')
  await save('mark.ts', 'first')
  return { save, start: () => startDev(stage, folder) }
}

const SOURCES = {
  'handlers.ts': (version: string) => `
import { mark } from './mark.ts'

let runs = 0
export default ({ text }: { text: string }): { text: string; run: number } => {
  runs += 1
  return { text: [text, mark, '${version}'].join(' '), run: runs }
}
`,
  'mark.ts': (version: string) => `export const mark: string = '${version}'\n`,
}

async function startDev(stage: Stage, folder: string): Promise<RunningDev> {
  const port = await findFreePort()
  const log = join(folder, 'dev.log')
  const output = openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [join(CURRENT.root, 'packages/cli/dist/bin.js'), 'dev', '--port', String(port)],
    {
      cwd: folder,
      stdio: ['ignore', output, output],
      env: { PATH: process.env['PATH'], HOME: folder },
    },
  )
  closeSync(output)
  const stop = (): Promise<void> => stopServer(child)
  stage.onStrike(stop)
  return { answers: version => untilAnswered(child, port, version, log), stop }
}

async function untilAnswered(
  child: ChildProcess,
  port: number,
  version: string,
  log: string,
): Promise<number> {
  const giveUpMs = performance.now() + PATIENCE_MS
  while (!(await answer(port)).includes(version)) {
    if (child.exitCode !== null || performance.now() > giveUpMs)
      throw new Error(`farebox dev does not answer ${version}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
    await delay(LOOK_EVERY_MS)
  }
  return performance.now()
}

/** The words of the answer; none while nobody answers. */
async function answer(port: number): Promise<readonly string[]> {
  try {
    const { body } = await request(`http://127.0.0.1:${port}/execute`, {
      method: 'POST',
      // A connection of its own: one that is kept would go on with the process that is leaving.
      reset: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        service_version: '1.0',
        job_id: crypto.randomUUID(),
        task: { input: { text: 'hello' } },
        deadline: Math.ceil(Date.now() / 1_000) + 20,
      }),
    })
    const { output } = (await body.json()) as { readonly output?: { readonly text?: string } }
    return output?.text?.split(' ') ?? []
  } catch {
    return []
  }
}
