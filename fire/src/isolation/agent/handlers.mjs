import { Worker } from 'node:worker_threads'

const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
const never = () => new Promise(() => {})

// What each is answered with stands in ../beasts.ts.
const zoo = {
  tame: () => ({ beast: 'tame' }),
  sleeper: () => wait(50).then(() => ({ beast: 'sleeper' })),

  blocker() {
    for (;;);
  },
  waiter: never,
  latecomer: ({ remainingMs }) => wait(remainingMs() + 100).then(() => ({ beast: 'latecomer' })),
  dawdler({ remainingMs }) {
    while (remainingMs() > 0);
    return { beast: 'dawdler' }
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
    beast: 'x'
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
    return { beast: 'leaver' }
  },
  threads() {
    void new Worker('for (;;);', { eval: true })
    return { beast: 'threads' }
  },
  exit: () => process.exit(3),
  abort: () => process.abort(),
  huge: () => ({ beast: 'x'.repeat(20_000_000) }),
  uncloneable: () => ({ beast: 'x', ask: { toJSON: () => 1n } }),
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
    return { beast: 'shouter' }
  },
}

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default ({ beast }, context) => zoo[beast](context)
