import { execSync } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { PaymentError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { JobContext } from '../handlers.ts'

// Misbehaving handlers for `misbehaving-handlers.test.ts`; the text of a job selects one.

type MisbehavingHandler = (context: JobContext) => unknown

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const never = (): Promise<never> => new Promise(() => undefined)

const handlers: { readonly [text: string]: MisbehavingHandler } = {
  tame: () => ({ text: 'tame' }),
  'tame for a while': () => wait(300).then(() => ({ text: 'tame' })),
  pid: () => ({ text: String(process.pid) }),

  'blocks for ever': () => {
    for (;;);
  },
  'never returns': never,
  'returns late': async ({ remainingMs }) => {
    await wait(remainingMs() + 200)
    return { text: 'late' }
  },
  'blocks until late': ({ remainingMs }) => {
    while (remainingMs() > 0);
    return { text: 'late' }
  },
  'waits in a command': () => execSync('sleep 20'),

  'many objects': () => {
    const all: object[] = []
    for (;;) all.push({ all: all.length })
  },
  'large arrays': () => {
    const all: number[][] = []
    for (;;) all.push(Array<number>(2 ** 24).fill(1))
  },
  'one huge array': () => ({ text: 'x'.repeat(2 ** 28).split('').length }),
  'a growing set': () => {
    const all = new Set<number>()
    for (;;) all.add(all.size)
  },
  buffers: () => {
    const all: Buffer[] = []
    for (;;) all.push(Buffer.alloc(8_388_608, 1))
  },

  'a stray timer': async () => {
    setTimeout(() => {
      throw new Error('stray')
    }, 20)
    return await never()
  },
  'a stray rejection': async () => {
    void Promise.reject(new Error('nobody hears'))
    return await never()
  },
  'an abort listener': async ({ signal }) => {
    signal.addEventListener('abort', () => {
      throw new Error('thrown in a listener')
    })
    return await never()
  },
  'leaves a timer': () => {
    setTimeout(() => {
      throw new Error('left behind')
    }, 100)
    return { text: 'left' }
  },
  'leaves a rejection': () => {
    // The timer is not detected as left behind, because it does not keep the process alive.
    setTimeout(() => void Promise.reject(new Error('left unseen')), 150).unref()
    return { text: 'left' }
  },
  'leaves a thread': () => {
    void new Worker('for (;;);', { eval: true })
    return { text: 'left' }
  },

  exits: () => process.exit(3),
  aborts: () => process.abort(),
  'kills itself': () => process.kill(process.pid, 'SIGKILL'),
  disconnects: () => {
    process.disconnect()
    return never()
  },
  'sends rubbish': () => {
    for (const message of [
      null,
      7,
      {},
      { kind: 'returned' },
      { kind: 'returned', run: 'x' },
      { kind: 'threw' },
    ])
      process.send?.(message)
    return { text: 'tame' }
  },
  'sends for ever': async () => {
    // A handler that does not wait would fill its own memory with messages instead, as `many objects` does.
    const message = { kind: 'log', run: 0, message: 'x' }
    for (;;) await new Promise(resolve => process.send?.(message, undefined, undefined, resolve))
  },

  'a huge output': () => ({ text: 'x'.repeat(20_000_000) }),
  'an output shared': () => {
    const text = 'x'.repeat(4_000_000)
    return { text, more: Array<string>(200).fill(text) }
  },
  'a function': () => ({ text: () => 'x' }),
  'a proxy': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('do not touch')
        },
      },
    ),
  'a class instance': () =>
    new (class Answer {
      text = 'x'
    })(),
  'a getter that ends': () => ({
    get text() {
      return process.exit(4)
    },
  }),

  'a typed error': () => {
    throw new ValidationError('text', 'is not to my liking')
  },
  'another typed error': () => {
    throw new PaymentError('too little')
  },
  'a plain error': () => {
    throw new Error('secret reason')
  },
  'throws a proxy': () => {
    const trap = (): never => {
      throw new Error('do not touch')
    }
    throw new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap }) as Error
  },
  'heeds its signal': ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`heard ${(signal.reason as Error).name}`)))
    }),
  'says much': ({ log }) => {
    process.stdout.write('half a line, ')
    console.log('and the rest')
    console.error('beside it')
    process.stdout.write('without an end')
    for (let line = 1; line <= 2_000; line += 1) log(`line ${line}`)
    return { text: 'said' }
  },
  context: ({ jobId, capability, payer, deadline, remainingMs }) => ({
    text: JSON.stringify({ jobId, capability, payer, deadline, left: Math.round(remainingMs() / 1_000) }),
  }),
}

const work = ({ text }: JsonObject, context: JobContext): unknown => handlers[String(text)]?.(context)

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default { work, cheap: work }
