import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { BatterySize, Score } from '../../battery.ts'
import type { Attack, AttackRun } from '../attack.ts'
import { startHostileServer, type HostileAnswer } from './hostile-server.ts'
import { checkMemory } from './check-memory.ts'
import { createMemoryReader, type MemoryReader } from './read-memory.ts'
import type { ReadOrder } from './reader.child.ts'
import { READERS, type ReaderName } from './readers.ts'

/** As fast as they are taken, and each alone: a stream that is read late hands several out as one. */
const ANSWERS: { readonly [size in BatterySize]: readonly HostileAnswer[] } = {
  full: [
    { chunks: 900_000, apart: false },
    { chunks: 60_000, apart: true },
  ],
  small: [
    { chunks: 200_000, apart: false },
    { chunks: 20_000, apart: true },
  ],
}

/** Row 1 of the attacks on record, at everything of ours that reads an untrusted host's answer. */
export const oneByteAnswers: Attack = {
  id: 'B2',
  rule: 'An answer of an untrusted host takes at most 3 times its bytes and 256 KiB a connection.',
  title: 'answers in one-byte chunks for each reader',
  needs: [],
  async run(run) {
    const memory = await createMemoryReader()
    const child = fork(new URL('reader.child.ts', import.meta.url), {
      execArgv: ['--conditions=@farebox/source', '--import', import.meta.resolve('tsx')],
      env: { ...process.env, ...memory.environment },
    })
    try {
      await once(child, 'message')
      const scores: Score[] = []
      for (const name of Object.keys(READERS) as ReaderName[])
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
  name: ReaderName,
  answer: HostileAnswer,
  memory: MemoryReader,
  { size, signal }: AttackRun,
): Promise<Score> {
  signal.throwIfAborted()
  const connections = size === 'small' ? 2 : 8
  const server = await startHostileServer(answer)
  const { pid = 0 } = child
  const read = (count: number): void => void child.send({ name, url: server.url, count } satisfies ReadOrder)
  let ended = 0
  child.on('message', () => (ended += 1))
  try {
    // One first, and held: what is loaded and compiled once, for all of them, is not what is measured.
    read(1)
    await server.quiet(1)
    const first = server.sent()
    const before = await memory.readSettled(pid)
    read(connections)
    await server.quiet(1 + connections)
    const after = await memory.readSettled(pid)
    const test = `${name}, ${connections} answers of ${answer.chunks} chunks${answer.apart ? ', each alone' : ''}`
    return checkMemory({ test, before, after, connections, bytes: server.sent() - first })
  } finally {
    await server.close()
    // Both orders: what they hold is not to be freed while the next ones are measured.
    await until(() => ended === 2)
    child.removeAllListeners('message')
  }
}
