import { setTimeout as delay } from 'node:timers/promises'
import { first, later, type ScriptedFault } from './scripted-fault.ts'
import { afterDelivery, BAD_GATEWAY, HTML, type Act } from './wire-acts.ts'

function settle(name: string, act: Act, options: { times?: number; slow?: boolean } = {}): ScriptedFault {
  const { times = 1, slow = false } = options
  return { name, at: 'facilitator', ends: 'delivered', slow, fault: () => first(times, '/settle', act) }
}

/** Between agent and facilitator, when a payment is charged: what is lost, late, broken or doubled on the way. */
export const settleFaults: readonly ScriptedFault[] = [
  settle(
    'settled, then the connection is reset',
    afterDelivery(crossing => crossing.reset()),
  ),
  settle(
    'settled, then two seconds of silence and a reset',
    afterDelivery(async crossing => {
      await delay(2_000)
      crossing.reset()
    }),
  ),
  settle(
    'settled, then silence until the agent gives up',
    afterDelivery(() => undefined),
    { slow: true },
  ),
  settle(
    'settled, then 502 with a page of HTML',
    afterDelivery(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
  ),
  settle(
    'settled, then 504 without a body',
    afterDelivery(crossing => crossing.answer(504, '')),
  ),
  settle(
    'settled, then 500 with JSON',
    afterDelivery(crossing => crossing.answer(500, '{"error":"boom"}')),
  ),
  settle(
    'settled, then 500 that says success: false',
    afterDelivery(crossing =>
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
    afterDelivery(crossing => crossing.answer(200, 'OK')),
  ),
  settle(
    'settled, then 200 with nothing',
    afterDelivery(crossing => crossing.answer(200, '')),
  ),
  settle(
    'settled, then 200 with an empty object',
    afterDelivery(crossing => crossing.answer(200, '{}')),
  ),
  settle('settled, then success as a word, not a boolean', async crossing => {
    const { text } = await crossing.deliver()
    crossing.answer(200, text.replace('"success":true', '"success":"true"'))
  }),
  settle(
    'settled, then success without a transaction',
    afterDelivery(crossing =>
      crossing.answer(200, '{"success":true,"transaction":"","network":"eip155:84532"}'),
    ),
  ),
  settle(
    'settled, then 429',
    afterDelivery(crossing => crossing.answer(429, '{"error":"slow down"}')),
  ),
  settle(
    'settled, then 401',
    afterDelivery(crossing => crossing.answer(401, '{"error":"who are you"}')),
  ),
  settle(
    'settled, then a redirect',
    afterDelivery(crossing => crossing.answer(307, '', { location: 'http://127.0.0.1:9/' })),
  ),
  settle(
    'settled, and pending said three times',
    afterDelivery(crossing =>
      crossing.answer(
        200,
        '{"success":false,"errorReason":"settlement_pending","transaction":"","network":"eip155:84532"}',
      ),
    ),
    { times: 3 },
  ),
  settle(
    'settled, and the answer lost five times in a row',
    afterDelivery(crossing => crossing.reset()),
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
]

/** The same when it is verified: nothing is charged yet. */
export const verifyFaults: readonly ScriptedFault[] = [
  verify('reset before the payment is verified', crossing => crossing.reset()),
  verify(
    'verified, then reset',
    afterDelivery(crossing => crossing.reset()),
  ),
  verify(
    'verified, then 502',
    afterDelivery(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
  ),
  verify(
    'verified, then something that is no JSON',
    afterDelivery(crossing => crossing.answer(200, 'valid')),
  ),
  verify('verified twice at once', async crossing => {
    const [one] = await Promise.all([crossing.deliver(), crossing.deliver()])
    crossing.answerWith(one)
  }),
  verify('verify broken off in its middle', async crossing => crossing.breakOff(await crossing.deliver())),
]

function verify(name: string, act: Act): ScriptedFault {
  return { name, at: 'facilitator', ends: 'either', fault: () => first(1, '/verify', act) }
}
