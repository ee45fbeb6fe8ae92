import { setTimeout as delay } from 'node:timers/promises'
import type { Crossing } from '../stage/wire.ts'
import { faultsOf, reset, says, served, type Fault } from './fault.ts'

function busy(status: number): ReturnType<typeof says> {
  return says(status, '{"error":"busy"}')
}

async function ask({ deliver }: Crossing, method: string, parameters: readonly unknown[]): Promise<void> {
  await deliver(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters }))
}

function late(ms: number): Fault['act'] {
  return async crossing => {
    const delivered = await crossing.deliver()
    await delay(ms)
    crossing.answerWith(delivered)
  }
}

/** Between facilitator and chain node. */
export const nodeFaults: readonly Fault[] = [
  ...faultsOf({ at: 'node', on: 'eth_sendRawTransaction', isAlone: true }, [
    ['transaction: taken, then the connection is reset', served(reset)],
    ['transaction: taken, then HTTP 500', served(busy(500))],
    ['transaction: taken, then HTTP 429', served(busy(429))],
    ['transaction: taken, then something that is no JSON', served(says(200, 'OK'))],
    [
      'transaction: taken, then "already known"',
      served(says(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"already known"}}')),
    ],
    ['transaction: taken, the answer two seconds late', late(2_000)],
    ['transaction: taken, then HTTP 500, and no receipt for five passes', hideReceipt],
    ['transaction: taken, and no block comes for two seconds', holdBlock],
  ]),
  // What the node never took is sent again only when it counts as stuck, after 15 s.
  ...faultsOf({ at: 'node', on: 'eth_sendRawTransaction', isAlone: true, isSlow: true }, [
    [
      'transaction: lost: said to be taken, and dropped',
      says(200, JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'ab'.repeat(32)}` })),
    ],
    ['transaction: never taken: reset', reset],
    ['transaction: never taken: HTTP 500', busy(500)],
    ['transaction: never taken: HTTP 429 twice', busy(429), { times: 2 }],
  ]),
  ...faultsOf({ at: 'node', on: 'eth_call', ends: 'either' }, [
    ['reads: HTTP 500', busy(500)],
    ['reads: HTTP 429', busy(429)],
    ['reads: something that is no JSON', says(200, '<html>')],
    ['reads: reset', reset],
    ['reads: an answer a second late', late(1_000), { times: 3, ends: 'delivered' }],
  ]),
]

async function hideReceipt(crossing: Crossing): Promise<void> {
  const { text } = await crossing.deliver()
  const [, hash = ''] = /"(?:transactionHash|result)":"(0x[0-9a-f]{64})"/.exec(text) ?? []
  let left = 5
  const undo = crossing.wire.breakFor(hash, async asked => {
    if (asked.call !== 'eth_getTransactionReceipt') return false
    left -= 1
    if (left === 0) undo()
    asked.answer(200, '{"jsonrpc":"2.0","id":1,"result":null}')
    return true
  })
  crossing.answer(500, '{"error":"busy"}')
}

async function holdBlock(crossing: Crossing): Promise<void> {
  await ask(crossing, 'evm_setAutomine', [false])
  const passed = crossing.deliver()
  await delay(2_000)
  await ask(crossing, 'evm_setAutomine', [true])
  await ask(crossing, 'evm_mine', [])
  crossing.answerWith(await passed)
}
