import { fork, type ChildProcess } from 'node:child_process'
import type { AskedJob, EndedJob } from './spending-agent.ts'
import type { Seeded } from './seeded.ts'

/** Replicas of one agent, which are killed and restarted. */
export interface GreedyReplicas {
  /** Sends a job to a random replica, and sends it again when that replica is killed first or answers 503. */
  run(job: AskedJob & { readonly jobId: string }): Promise<EndedJob>
  /** Kills a random replica with SIGKILL, and starts it again. */
  killOne(): Promise<void>
  kills(): number
  stop(): Promise<void>
}

interface Replica {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly open: Map<number, (ended: EndedJob | undefined) => void>
}

const ASKS_AGAIN = 40
const PROGRAM = new URL('../greedy-replica.child.ts', import.meta.url)

/** Starts the replicas with one shared store. */
export async function startGreedyReplicas(options: {
  readonly count: number
  readonly nodeUrl: string
  readonly store: string
  readonly random: Seeded
}): Promise<GreedyReplicas> {
  const { count, nodeUrl, store, random } = options
  const start = (): Replica => startReplica([nodeUrl, store])
  const replicas = Array.from({ length: count }, start)
  await Promise.all(replicas.map(({ ready }) => ready))
  let asked = 0
  let kills = 0
  return {
    async run(job) {
      for (let attempt = 0; attempt < ASKS_AGAIN; attempt += 1) {
        const replica = random.pick(replicas)
        await replica.ready
        asked += 1
        const ended = await ask(replica, asked, job)
        if (ended !== undefined && ended.status !== 503) return ended
        await new Promise(resolve => setTimeout(resolve, 200))
      }
      throw new Error(`${job.jobId} was answered by nobody`)
    },
    async killOne() {
      const at = random.between(0, count - 1)
      const killed = replicas[at]
      if (killed === undefined) return
      kills += 1
      killed.child.kill('SIGKILL')
      const started = start()
      replicas[at] = started
      await started.ready
    },
    kills: () => kills,
    async stop() {
      await Promise.all(
        replicas.map(async ({ child, ready }) => {
          await ready
          child.kill('SIGKILL')
        }),
      )
    },
  }
}

function startReplica(words: readonly string[]): Replica {
  const child = fork(PROGRAM, words, {
    execArgv: ['--conditions=@farebox/source', '--import', 'tsx'],
    stdio: 'inherit',
  })
  const open: Replica['open'] = new Map()
  const ready = new Promise<void>(resolve => {
    child.on('message', message => {
      if (message === 'ready') return resolve()
      const { number, ended } = message as { readonly number: number; readonly ended: EndedJob }
      open.get(number)?.(ended)
    })
    // The exit resolves `ready`, so that a job for this replica fails at once.
    child.once('exit', () => {
      resolve()
      for (const end of open.values()) end(undefined)
    })
  })
  return { child, ready, open }
}

/** Undefined when the replica is killed before it answers. */
async function ask({ child, open }: Replica, number: number, job: AskedJob): Promise<EndedJob | undefined> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined
  try {
    return await new Promise(resolve => {
      open.set(number, resolve)
      child.send({ number, job }, error => {
        if (error !== null) resolve(undefined)
      })
    })
  } finally {
    open.delete(number)
  }
}
