import { setTimeout as delay } from 'node:timers/promises'
import { sends, type ChainAnswer, type ChainCall, type ChainFault } from './chain-proxy.ts'
import type { ScriptedFault } from './scripted-fault.ts'

function onSend(times: number, act: (call: ChainCall) => Promise<ChainAnswer>): () => ChainFault {
  return onCalls(times, sends, act)
}

function onCalls(
  times: number,
  which: (call: ChainCall) => boolean,
  act: (call: ChainCall) => Promise<ChainAnswer>,
): () => ChainFault {
  return () => {
    let left = times
    return async call => {
      if (left === 0 || !which(call)) return undefined
      left -= 1
      return await act(call)
    }
  }
}

const error = (status: number, text = '{"error":"busy"}'): ChainAnswer => ({ status, text })
const refused = (message: string): ChainAnswer => ({
  status: 200,
  text: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message } }),
})

function sending(
  name: string,
  act: (call: ChainCall) => Promise<ChainAnswer>,
  options: { readonly times?: number; readonly slow?: boolean } = {},
): ScriptedFault {
  return {
    name: `transaction: ${name}`,
    at: 'node',
    ends: 'delivered',
    slow: options.slow ?? true,
    alone: true,
    fault: onSend(options.times ?? 1, act),
  }
}

/** Passed on, and its answer lost: the facilitator finds the receipt by itself. */
const sent =
  (answer: ChainAnswer) =>
  async (call: ChainCall): Promise<ChainAnswer> => {
    await call.pass()
    return answer
  }

const looks = (call: ChainCall): boolean => call.method === 'eth_call'

/** Between facilitator and chain node. */
export const nodeFaults: readonly ScriptedFault[] = [
  sending('taken, then the connection is reset', sent('reset'), { slow: false }),
  sending('taken, then HTTP 500', sent(error(500)), { slow: false }),
  sending('taken, then HTTP 429', sent(error(429)), { slow: false }),
  sending('taken, then something that is no JSON', sent(error(200, 'OK')), { slow: false }),
  sending('taken, then "already known"', sent(refused('already known')), { slow: false }),
  sending(
    'taken, the answer two seconds late',
    async call => {
      const text = await call.pass()
      await delay(2_000)
      return { status: 200, text }
    },
    { slow: false },
  ),
  sending(
    'taken, then HTTP 500, and no receipt for five looks',
    async call => {
      const [, hash = ''] = /"(?:transactionHash|result)":"(0x[0-9a-f]{64})"/.exec(await call.pass()) ?? []
      call.breakFor(
        hash,
        onCalls(
          5,
          ({ method }) => method === 'eth_getTransactionReceipt',
          async () => error(200, '{"jsonrpc":"2.0","id":1,"result":null}'),
        )(),
      )
      return error(500)
    },
    { slow: false },
  ),
  sending(
    'taken, and no block comes for two seconds',
    async call => {
      await call.ask('evm_setAutomine', [false])
      const passed = call.pass()
      await delay(2_000)
      await call.ask('evm_setAutomine', [true])
      await call.ask('evm_mine', [])
      return { status: 200, text: await passed }
    },
    { slow: false },
  ),
  // What the node never took is sent again only when it counts as stuck, after 15 s.
  sending('lost: said to be taken, and dropped', async () =>
    error(200, JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'ab'.repeat(32)}` })),
  ),
  sending('never taken: reset', async () => 'reset'),
  sending('never taken: HTTP 500', async () => error(500)),
  sending('never taken: HTTP 429 twice', async () => error(429), { times: 2 }),
  { name: 'looks: HTTP 500', at: 'node', ends: 'either', fault: onCalls(1, looks, async () => error(500)) },
  { name: 'looks: HTTP 429', at: 'node', ends: 'either', fault: onCalls(1, looks, async () => error(429)) },
  {
    name: 'looks: something that is no JSON',
    at: 'node',
    ends: 'either',
    fault: onCalls(1, looks, async () => error(200, '<html>')),
  },
  { name: 'looks: reset', at: 'node', ends: 'either', fault: onCalls(1, looks, async () => 'reset') },
  {
    name: 'looks: an answer a second late',
    at: 'node',
    ends: 'delivered',
    fault: onCalls(3, looks, async call => {
      await delay(1_000)
      return { status: 200, text: await call.pass() }
    }),
  },
]
