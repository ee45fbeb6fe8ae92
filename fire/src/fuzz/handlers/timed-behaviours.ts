import { BROKEN, CANARY, DONE, LATE, type Behaviour } from './behaviour.ts'

/** Handlers whose trouble is when, or how often, they answer. */
export function timedBehaviours(): { readonly [name: string]: Behaviour } {
  const late = (run: Behaviour['run']): Behaviour => ({ paid: LATE, dev: LATE, takesTime: true, run })
  return {
    'never ends': late(() => new Promise(() => undefined)),
    'ends when it is aborted': late(
      ({ context, output }) =>
        new Promise(resolve => context.signal.addEventListener('abort', () => resolve(output))),
    ),
    'rejects when it is aborted': late(
      ({ context }) =>
        new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(new Error(CANARY)))),
    ),
    'keeps its abort to itself': late(({ context }) => {
      context.signal.addEventListener('abort', event => event.stopImmediatePropagation())
      return new Promise(() => undefined)
    }),
    'a thenable': { paid: DONE, dev: DONE, run: ({ output }) => thenable(resolve => resolve(output)) },
    'a thenable that rejects': {
      paid: BROKEN,
      dev: BROKEN,
      run: () => thenable((_, reject) => reject(new Error(CANARY))),
    },
    'a thenable that throws': {
      paid: BROKEN,
      dev: BROKEN,
      run: () =>
        thenable(() => {
          throw new Error(CANARY)
        }),
    },
    'a thenable that answers twice': {
      paid: DONE,
      dev: DONE,
      run: ({ output }) =>
        thenable((resolve, reject) => {
          resolve(output)
          reject(new Error(CANARY))
          resolve({ canary: CANARY })
        }),
    },
    'a thenable that never answers': late(() => thenable(() => undefined)),
    'a function for every property': late(() => new Proxy({}, { get: () => () => undefined })),
    ...changingThenables(),
  }
}

/** Looks like a plain output when it is first asked for `then`, and never again: it must not be asked again. */
function changingThenables(): { readonly [name: string]: Behaviour } {
  const becomes = (what: () => unknown): Behaviour => ({
    paid: DONE,
    dev: DONE,
    run({ output }) {
      let asked = 0
      // oxlint-disable-next-line unicorn/no-thenable -- what is tested
      return Object.defineProperty({ ...output }, 'then', { get: () => (asked++ === 0 ? undefined : what()) })
    },
  })
  return {
    'throws when asked for then again': becomes(() => {
      throw new Error(CANARY)
    }),
    'hangs when asked for then again': becomes(() => () => undefined),
  }
}

type Settle = (value: unknown) => void

function thenable(act: (resolve: Settle, reject: Settle) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  return { then: act }
}
