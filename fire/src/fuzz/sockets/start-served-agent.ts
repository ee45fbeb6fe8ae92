import { fork } from 'node:child_process'

/** An agent in a process of its own. */
export interface ServedAgent {
  readonly port: number
  /** Whether it still runs. */
  isAlive(): boolean
  stop(): Promise<void>
}

/** Starts it; resolves when it listens. */
export async function startServedAgent(): Promise<ServedAgent> {
  const child = fork(new URL('served-agent.child.ts', import.meta.url), {
    execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx')],
  })
  const ended = new Promise<void>(resolve => void child.once('exit', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', message => resolve(Number(message)))
    child.once('exit', code => reject(new Error(`the agent ended with ${code} before it listened`)))
  })
  return {
    port,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.disconnect()
      await ended
    },
  }
}
