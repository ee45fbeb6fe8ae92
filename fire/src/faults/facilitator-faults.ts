import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { first, later, type ScriptedFault } from './scripted-fault.ts'
import type { Crossing } from './wire.ts'

const HTML = { 'content-type': 'text/html' }
const BAD_GATEWAY = '<html><body><h1>502 Bad Gateway</h1></body></html>'

type Act = (crossing: Crossing) => Promise<void> | void

function settle(name: string, act: Act, options: { times?: number; slow?: boolean } = {}): ScriptedFault {
  const { times = 1, slow = false } = options
  return { name, at: 'facilitator', ends: 'delivered', slow, fault: () => first(times, '/settle', act) }
}

/** It has settled when this is called; what the agent hears of it is up to the fault. */
const settled =
  (act: (crossing: Crossing) => Promise<void> | void): Act =>
  async crossing => {
    await crossing.deliver()
    await act(crossing)
  }

function verify(name: string, act: Act): ScriptedFault {
  return { name, at: 'facilitator', ends: 'either', fault: () => first(1, '/verify', act) }
}

/** Between agent and facilitator: what is lost, late, broken or doubled on the way. */
export const facilitatorFaults: readonly ScriptedFault[] = [
  settle(
    'settled, then the connection is reset',
    settled(crossing => crossing.reset()),
  ),
  settle(
    'settled, then two seconds of silence and a reset',
    settled(async crossing => {
      await delay(2_000)
      crossing.reset()
    }),
  ),
  settle(
    'settled, then silence until the agent gives up',
    settled(() => undefined),
    { slow: true },
  ),
  settle(
    'settled, then 502 with a page of HTML',
    settled(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
  ),
  settle(
    'settled, then 504 without a body',
    settled(crossing => crossing.answer(504, '')),
  ),
  settle(
    'settled, then 500 with JSON',
    settled(crossing => crossing.answer(500, '{"error":"boom"}')),
  ),
  settle(
    'settled, then 500 that says success: false',
    settled(crossing =>
      crossing.answer(500, '{"success":false,"errorReason":"unexpected_error","transaction":""}'),
    ),
  ),
  settle('settled, the answer broken off in its middle', async crossing =>
    crossing.breakOff(await crossing.deliver()),
  ),
  settle('settled, the answer dripping in byte by byte', async crossing =>
    crossing.drip(await crossing.deliver(), 5),
  ),
  settle('settled, then 200 with half of the JSON', async crossing => {
    const { text } = await crossing.deliver()
    crossing.answer(200, text.slice(0, text.length / 2))
  }),
  settle(
    'settled, then 200 with something that is no JSON',
    settled(crossing => crossing.answer(200, 'OK')),
  ),
  settle(
    'settled, then 200 with nothing',
    settled(crossing => crossing.answer(200, '')),
  ),
  settle(
    'settled, then 200 with an empty object',
    settled(crossing => crossing.answer(200, '{}')),
  ),
  settle('settled, then success as a word, not a boolean', async crossing => {
    const { text } = await crossing.deliver()
    crossing.answer(200, text.replace('"success":true', '"success":"true"'))
  }),
  settle(
    'settled, then success without a transaction',
    settled(crossing => crossing.answer(200, '{"success":true,"transaction":"","network":"eip155:84532"}')),
  ),
  settle(
    'settled, then 429',
    settled(crossing => crossing.answer(429, '{"error":"slow down"}')),
  ),
  settle(
    'settled, then 401',
    settled(crossing => crossing.answer(401, '{"error":"who are you"}')),
  ),
  settle(
    'settled, then a redirect',
    settled(crossing => crossing.answer(307, '', { location: 'http://127.0.0.1:9/' })),
  ),
  settle(
    'settled, and pending said three times',
    settled(crossing =>
      crossing.answer(
        200,
        '{"success":false,"errorReason":"settlement_pending","transaction":"","network":"eip155:84532"}',
      ),
    ),
    { times: 3 },
  ),
  settle(
    'settled, and the answer lost five times in a row',
    settled(crossing => crossing.reset()),
    { times: 5 },
  ),
  settle('reset before the facilitator hears of it', crossing => crossing.reset()),
  settle('502 before the facilitator hears of it', crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
  settle('the request delivered twice at once', async crossing => {
    const [one] = await Promise.all([crossing.deliver(), crossing.deliver()])
    crossing.answerWith(one)
  }),
  settle('502, and the request delivered a second later', async crossing => {
    crossing.answer(502, BAD_GATEWAY, HTML)
    later(crossing, 1_000)
  }),
  settle('an answer that comes after a second request was sent', async crossing => {
    const delivered = await crossing.deliver()
    await delay(1_500)
    crossing.answerWith(delivered)
  }),
  verify('reset before the payment is verified', crossing => crossing.reset()),
  verify(
    'verified, then reset',
    settled(crossing => crossing.reset()),
  ),
  verify(
    'verified, then 502',
    settled(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
  ),
  verify(
    'verified, then something that is no JSON',
    settled(crossing => crossing.answer(200, 'valid')),
  ),
  verify('verified twice at once', async crossing => {
    const [one] = await Promise.all([crossing.deliver(), crossing.deliver()])
    crossing.answerWith(one)
  }),
  verify('verify broken off in its middle', async crossing => crossing.breakOff(await crossing.deliver())),
]

function lie(
  name: string,
  ends: ScriptedFault['ends'],
  deliver: 'settles' | 'sends nothing',
  tell: (crossing: Crossing) => object,
): ScriptedFault {
  const act: Act = async crossing => {
    if (deliver === 'settles') await crossing.deliver()
    crossing.answer(200, JSON.stringify(tell(crossing)))
  }
  return { name, at: 'liar', ends, fault: () => first(1, '/settle', act) }
}

const success = (transaction: string, rest: object = {}): object => ({
  success: true,
  transaction,
  network: 'eip155:84532',
  ...rest,
})
const failure = (errorReason: string): object => ({
  success: false,
  errorReason,
  transaction: '',
  network: 'eip155:84532',
})
const anyHash = (): string => `0x${randomBytes(32).toString('hex')}`

/** A facilitator whose word is worth nothing; the agent has a node of its own. */
export const lyingFacilitatorFaults: readonly ScriptedFault[] = [
  lie('says settled, names a transaction that is none, sends nothing', 'delivered', 'sends nothing', () =>
    success(anyHash()),
  ),
  lie('says settled without a transaction, sends nothing', 'delivered', 'sends nothing', () => success('')),
  lie('settles, and names a transaction that is none', 'delivered', 'settles', () => success(anyHash())),
  lie('settles, and names another payer and network', 'delivered', 'settles', () =>
    success(anyHash(), { payer: `0x${'99'.repeat(20)}`, network: 'eip155:1' }),
  ),
  lie('settles, and says that the balance was too small', 'delivered', 'settles', () =>
    failure('insufficient_funds'),
  ),
  lie('settles, and says that the nonce was used', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_nonce_already_used'),
  ),
  lie('settles, and says that the transaction failed', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_transaction_failed'),
  ),
  lie('settles, and says that the signature is bad', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_signature'),
  ),
  lie('sends nothing, and says that the balance was too small', 'either', 'sends nothing', () =>
    failure('insufficient_funds'),
  ),
  {
    name: 'settles, then 502',
    at: 'liar',
    ends: 'delivered',
    fault: () =>
      first(
        1,
        '/settle',
        settled(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
      ),
  },
  {
    name: 'settles, then reset',
    at: 'liar',
    ends: 'delivered',
    fault: () =>
      first(
        1,
        '/settle',
        settled(crossing => crossing.reset()),
      ),
  },
  {
    name: 'says valid of everything',
    at: 'liar',
    ends: 'delivered',
    fault: () => first(1, '/verify', crossing => crossing.answer(200, '{"isValid":true}')),
  },
]
