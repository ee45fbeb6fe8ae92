import { Worker } from 'node:worker_threads'

const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
const never = () => new Promise(() => {})

// What each is answered with stands in ../misbehaving-handlers.ts.
const handlers = {
  tame: () => ({ handler: 'tame' }),
  sleeper: () => wait(50).then(() => ({ handler: 'sleeper' })),

  blocker() {
    for (;;);
  },
  waiter: never,
  latecomer: ({ remainingMs }) => wait(remainingMs() + 100).then(() => ({ handler: 'latecomer' })),
  dawdler({ remainingMs }) {
    while (remainingMs() > 0);
    return { handler: 'dawdler' }
  },
  async listener({ signal }) {
    signal.addEventListener('abort', () => {
      throw new Error('thrown in a listener')
    })
    return await never()
  },

  hoarder() {
    const all = []
    for (;;) all.push({ all: all.length })
  },
  collector() {
    const all = new Set()
    for (;;) all.add(all.size)
  },
  splitter: () => ({
    handler: 'x'
      .repeat(2 ** 28)
      .split('')
      .join(''),
  }),
  buffers() {
    const all = []
    for (;;) all.push(Buffer.alloc(8_388_608, 1))
  },

  async stray() {
    setTimeout(() => {
      throw new Error('stray')
    }, 5)
    return await never()
  },
  async rejecter() {
    void Promise.reject(new Error('nobody hears'))
    return await never()
  },
  leaver() {
    setTimeout(() => {
      throw new Error('left behind')
    }, 20)
    return { handler: 'leaver' }
  },
  threads() {
    void new Worker('for (;;);', { eval: true })
    return { handler: 'threads' }
  },
  exit: () => process.exit(3),
  abort: () => process.abort(),
  huge: () => ({ handler: 'x'.repeat(20_000_000) }),
  uncloneable: () => ({ handler: 'x', ask: { toJSON: () => 1n } }),
  proxy: () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('do not touch')
        },
      },
    ),
  shouter({ log }) {
    for (let line = 0; line < 5_000; line += 1) log('a line')
    for (let line = 0; line < 500; line += 1) console.log('another line')
    return { handler: 'shouter' }
  },
}

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default ({ handler }, context) => handlers[handler](context)
