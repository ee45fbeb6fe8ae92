import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs } from '../rounds/cpu-time.ts'
import type { Stage } from '../stage/stage.ts'
import type { Answered, Told } from './worker-messages.ts'

/** Worker processes of one contender. */
export interface Workers {
  /** Lets all of them begin. */
  go(): void
  /** Has all of them take nothing until they begin again. */
  rest(): Promise<void>
  /** CPU time of all of them so far, in milliseconds. */
  cpuMs(): number
  stop(): Promise<void>
  /** The end of what they have printed. */
  lastWords(): string
}

const READY_WITHIN_MS = 60_000

/** Starts so many of a program, each with its number in `WORKER`, and waits until all can begin. */
export async function startWorkers(
  stage: Stage,
  program: string,
  count: number,
  environment: { readonly [name: string]: string },
): Promise<Workers> {
  const logs: string[] = []
  const start = async (number: number): Promise<ChildProcess> => {
    const log = join(stage.folder, `worker-${process.hrtime.bigint()}.log`)
    logs.push(log)
    const output = openSync(log, 'a')
    const child = fork(program, [], {
      execArgv: ['--conditions=@farebox/built'],
      stdio: ['ignore', output, output, 'ipc'],
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', WORKER: String(number), ...environment },
    })
    closeSync(output)
    const answer = once(child, 'message', { signal: AbortSignal.timeout(READY_WITHIN_MS) })
    const ended = once(child, 'exit').then(() => {
      throw new Error(`a worker did not start:\n${lastWords()}`)
    })
    const [first] = (await Promise.race([answer, ended])) as [Answered]
    ended.catch(() => undefined)
    if (first !== 'ready') throw new Error(`a worker said ${first}`)
    return child
  }
  const lastWords = (): string => logs.map(log => readFileSync(log, 'utf8').slice(-1_000)).join('\n')
  const tell = (child: ChildProcess, told: Told): void => void child.send(told)
  const children = await Promise.all(Array.from({ length: count }, (_, number) => start(number)))
  const stop = async (): Promise<void> => {
    await Promise.all(
      children.splice(0).map(async child => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        if (child.connected) tell(child, 'stop')
        const insisting = setTimeout(() => child.kill('SIGKILL'), 10_000)
        await ended
        clearTimeout(insisting)
      }),
    )
  }
  stage.onStrike(stop)
  return {
    go: () => children.forEach(child => tell(child, 'go')),
    async rest() {
      await Promise.all(
        children.map(async child => {
          const answer = once(child, 'message', { signal: AbortSignal.timeout(READY_WITHIN_MS) })
          tell(child, 'rest')
          await answer
        }),
      )
    },
    cpuMs: () => cpuMs({ pids: children.map(({ pid = 0 }) => pid) }),
    stop,
    lastWords,
  }
}
