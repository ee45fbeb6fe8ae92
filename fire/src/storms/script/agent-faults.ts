import { setTimeout as delay } from 'node:timers/promises'
import { brokenOff, changed, dripping, faultsOf, reset, says, served, twice, type Fault } from './fault.ts'

/** Asks for the payment that was just sent, as a shop does that has not received it. */
const askAgain = says(402, '{"x402Version":1,"accepts":[]}', {
  'content-type': 'application/json',
  'payment-required': Buffer.from(
    JSON.stringify({ x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', accepts: [] }),
  ).toString('base64'),
})

/** Between client and agent, with our client and with a stock x402 one. */
export const agentFaults: readonly Fault[] = (['ours', 'stock'] as const).flatMap(caller =>
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
    [
      '503, and the request delivered half a second later',
      async crossing => {
        crossing.answer(503, '')
        await delay(500)
        await crossing.deliver()
      },
    ],
  ]),
)
