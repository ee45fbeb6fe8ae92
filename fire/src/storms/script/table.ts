import { setTimeout as delay } from 'node:timers/promises'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { give, type Act, type Crossing } from '../stage/wire.ts'
import {
  afterwards,
  BAD_GATEWAY,
  brokenOff,
  changed,
  dripping,
  faultsOf,
  HTML,
  late,
  reset,
  says,
  served,
  twice,
  type Fault,
} from './fault.ts'

const NETWORK = 'eip155:84532'
/** A hash without a transaction. */
const NONE = `0x${'7b'.repeat(32)}`

function settled(transaction: string, rest: object = {}): Act {
  return says(200, JSON.stringify({ success: true, transaction, network: NETWORK, ...rest }))
}

function failed(errorReason: string, status = 200): Act {
  return says(status, JSON.stringify({ success: false, errorReason, transaction: '', network: NETWORK }))
}

const silentThenReset: Act = async crossing => {
  await delay(2_000)
  await reset(crossing)
}

/** Reads the payment that was just sent, like a shop that has not received it. */
const askAgain = says(402, '{"x402Version":1,"accepts":[]}', {
  'content-type': 'application/json',
  'payment-required': Buffer.from(
    JSON.stringify({ x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', accepts: [] }),
  ).toString('base64'),
})

function busy(status: number): Act {
  return says(status, '{"error":"busy"}')
}

/** A JSON-RPC answer with this result or this error. */
function answers(outcome: object): Act {
  return says(200, JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }))
}

/** All faults. */
export const FAULTS: readonly Fault[] = [
  // Between agent and facilitator: messages that are lost, late, broken or doubled.
  ...faultsOf({ at: 'facilitator', on: '/settle' }, [
    ['settled, then the connection is reset', served(reset)],
    ['settled, then two seconds of silence and a reset', served(silentThenReset)],
    ['settled, then silence until the agent gives up', served(() => undefined), { isSlow: true }],
    ['settled, then 502 with a page of HTML', served(says(502, BAD_GATEWAY, HTML))],
    ['settled, then 504 without a body', served(says(504, ''))],
    ['settled, then 500 with JSON', served(says(500, '{"error":"boom"}'))],
    ['settled, then 500 that says success: false', served(failed('unexpected_error', 500))],
    ['settled, the answer broken off in its middle', brokenOff],
    ['settled, the answer dripping in byte by byte', dripping],
    ['settled, then 200 with half of the JSON', changed(text => text.slice(0, text.length / 2))],
    ['settled, then 200 with something that is no JSON', served(says(200, 'OK'))],
    ['settled, then 200 with nothing', served(says(200, ''))],
    ['settled, then 200 with an empty object', served(says(200, '{}'))],
    ['settled, then success as a word', changed(text => text.replace('"success":true', '"success":"true"'))],
    ['settled, then success without a transaction', served(settled(''))],
    ['settled, then 429', served(says(429, '{"error":"slow down"}'))],
    ['settled, then 401', served(says(401, '{"error":"who are you"}'))],
    ['settled, then a redirect', served(says(307, '', { location: 'http://127.0.0.1:9/' }))],
    ['settled, and pending said three times', served(failed('settlement_pending')), { times: 3 }],
    ['settled, and the answer lost five times in a row', served(reset), { times: 5 }],
    ['reset before the facilitator receives it', reset],
    ['502 before the facilitator receives it', says(502, BAD_GATEWAY, HTML)],
    ['the request delivered twice at once', twice],
    ['502, and the request delivered a second later', afterwards(says(502, BAD_GATEWAY, HTML), 1_000)],
    ['an answer that comes after a second request was sent', late(1_500)],
  ]),
  // Nothing is charged yet.
  ...faultsOf({ at: 'facilitator', on: '/verify', ends: 'either' }, [
    ['reset before the payment is verified', reset],
    ['verified, then reset', served(reset)],
    ['verified, then 502', served(says(502, BAD_GATEWAY, HTML))],
    ['verified, then something that is no JSON', served(says(200, 'valid'))],
    ['verified twice at once', twice],
    ['verify broken off in its middle', brokenOff],
  ]),
  // A dishonest facilitator, with our hold extension (D9) and without; its agents check the chain.
  ...(['liar', 'holder'] as const).flatMap(at =>
    faultsOf({ at, on: '/settle' }, [
      ['says settled, names a transaction that is none, sends nothing', settled(NONE)],
      ['says settled without a transaction, sends nothing', settled('')],
      ['settles, and names a transaction that is none', served(settled(NONE))],
      [
        'settles, and names another payer and network',
        served(settled(NONE, { payer: `0x${'99'.repeat(20)}`, network: 'eip155:1' })),
      ],
      ['settles, and says that the balance was too small', served(failed('insufficient_funds'))],
      ['settles, and says that the nonce was used', served(failed('invalid_exact_evm_nonce_already_used'))],
      [
        'settles, and says that the transaction failed',
        served(failed('invalid_exact_evm_transaction_failed')),
      ],
      ['settles, and says that the signature is bad', served(failed('invalid_exact_evm_signature'))],
      ['sends nothing, says the balance was too small', failed('insufficient_funds'), { ends: 'either' }],
      ['settles, then 502', served(says(502, BAD_GATEWAY, HTML))],
      ['settles, then reset', served(reset)],
      ['says valid of everything', says(200, '{"isValid":true}'), { on: '/verify' }],
    ]),
  ),
  // Between client and agent, with our client and with a stock x402 one.
  ...(['ours', 'stock'] as const).flatMap(caller =>
    faultsOf({ at: 'agent', on: 'paid', caller }, [
      ['the request never reaches the agent: reset', reset],
      ['done and charged, then reset', served(reset)],
      ['done and charged, the answer lost three times', served(reset), { times: 3 }],
      ['done and charged, the answer broken off in its middle', brokenOff],
      ['done and charged, the answer dripping in byte by byte', dripping],
      ['done and charged, then 502', served(says(502, 'Bad Gateway', { 'content-type': 'text/plain' }))],
      ['done and charged, then 200 with half of the JSON', changed(text => text.slice(0, 40))],
      ['done and charged, then 200 of nothing', served(says(200, ''))],
      ['a second 402 before the agent receives the payment', askAgain],
      ['done and charged, then a second 402', served(askAgain)],
      ['done and charged, then a second and a third 402', served(askAgain), { times: 2 }],
      ['the request delivered twice at once', twice],
      ['503, and the request delivered half a second later', afterwards(says(503, ''), 500)],
    ]),
  ),
  // Between facilitator and chain node.
  ...faultsOf({ at: 'node', on: 'eth_sendRawTransaction' }, [
    ['transaction: taken, then the connection is reset', served(reset)],
    ['transaction: taken, then HTTP 500', served(busy(500))],
    ['transaction: taken, then HTTP 429', served(busy(429))],
    ['transaction: taken, then something that is no JSON', served(says(200, 'OK'))],
    [
      'transaction: taken, then "already known"',
      served(answers({ error: { code: -32000, message: 'already known' } })),
    ],
    ['transaction: taken, the answer two seconds late', late(2_000)],
    ['transaction: taken, then HTTP 500, and no receipt for five passes', hideReceipt],
    ['transaction: taken, and no block comes for two seconds', holdBlock],
  ]),
  // A transaction that the node dropped is sent again only when it counts as stuck, after 15 s.
  ...faultsOf({ at: 'node', on: 'eth_sendRawTransaction', isSlow: true }, [
    ['transaction: lost: said to be taken, and dropped', answers({ result: `0x${'ab'.repeat(32)}` })],
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
  const { body } = await crossing.deliver()
  const [, hash = ''] = /"(?:transactionHash|result)":"(0x[0-9a-f]{64})"/.exec(body) ?? []
  crossing.wire.breakFor(hash, { on: 'eth_getTransactionReceipt', times: 5, act: answers({ result: null }) })
  await busy(500)(crossing)
}

async function holdBlock({ wire, deliver, response }: Crossing): Promise<void> {
  await callAnvil(wire.target, 'evm_setAutomine', [false])
  const passed = deliver()
  await delay(2_000)
  await callAnvil(wire.target, 'evm_setAutomine', [true])
  await callAnvil(wire.target, 'evm_mine', [])
  give(response, await passed)
}
