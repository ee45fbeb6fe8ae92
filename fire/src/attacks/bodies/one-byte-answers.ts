import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { BatterySize, Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { drip, sum, type Drip } from './drip.ts'
import { createMemoryReader, measureBodies, type MemoryReader } from './measure.ts'
import type { ReadOrder } from './readers.child.ts'

/** Bytes are sent at the reader's speed, each alone: a stream that is read late returns several as one chunk. */
const ANSWERS: { readonly [size in BatterySize]: readonly Drip[] } = {
  full: [
    { chunks: 900_000, apart: false },
    { chunks: 60_000, apart: true },
  ],
  small: [
    { chunks: 30_000, apart: false },
    { chunks: 3_000, apart: true },
  ],
}

/** Every reader of ours that reads an untrusted host's answer. */
export const oneByteAnswers: Attack = {
  id: 'B2',
  rule: 'An answer of an untrusted host takes at most 3 times its bytes and 256 KiB a connection.',
  title: 'answers in one-byte chunks for each reader',
  async run(run) {
    const memory = await createMemoryReader()
    const child = fork(new URL('readers.child.ts', import.meta.url), {
      execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx')],
      env: { ...process.env, ...memory.environment },
    })
    try {
      const [names] = (await once(child, 'message')) as [readonly string[]]
      const scores: Score[] = []
      for (const name of names)
        for (const answer of ANSWERS[run.size]) scores.push(await attack(child, name, answer, memory, run))
      return scores
    } finally {
      child.kill('SIGKILL')
      await memory.close()
    }
  },
}

async function attack(
  child: ChildProcess,
  name: string,
  answer: Drip,
  memory: MemoryReader,
  { size, signal }: AttackRun,
): Promise<Score> {
  signal.throwIfAborted()
  const connections = size === 'small' ? 2 : 8
  const { url, sent, close } = await startHostileServer(answer)
  const read = (count: number): void => void child.send({ name, url, count } satisfies ReadOrder)
  let ended = 0
  child.on('message', () => (ended += 1))
  try {
    // One is read first and kept: modules loaded and code compiled for all of them are not measured.
    read(1)
    const first = await sent(1)
    const test = `${name}, ${connections} answers of ${answer.chunks} chunks${answer.apart ? ', each alone' : ''}`
    return await measureBodies(memory, { test, pid: child.pid ?? 0, connections }, async () => {
      read(connections)
      return (await sent(1 + connections)) - first
    })
  } finally {
    await close()
    // Both orders: their memory must not be freed while the next ones are measured.
    await until(() => ended === 2)
    child.removeAllListeners('message')
  }
}

/** A server that answers each request with a JSON body in one-byte chunks, which never ends. */
interface HostileServer {
  readonly url: string
  /**
   * Resolves, once the requested number of answers have begun and are no longer read, to the total number of body bytes
   * sent.
   */
  sent(answers: number): Promise<number>
  close(): Promise<void>
}

async function startHostileServer(answer: Drip): Promise<HostileServer> {
  const sockets = new Set<Socket>()
  const drips: Promise<number>[] = []
  const server = createServer(socket => {
    sockets.add(socket)
    socket.once('data', () => void drips.push(drip(socket, ['HTTP/1.1 200 OK', 'Connection: close'], answer)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async sent(answers) {
      await until(() => drips.length >= answers)
      return sum(await Promise.all(drips))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
