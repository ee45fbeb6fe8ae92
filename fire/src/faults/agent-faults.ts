import { firstPaid, later, type ScriptedFault } from './scripted-fault.ts'
import type { Crossing } from './wire.ts'
import { afterDelivery, type Act } from './wire-acts.ts'

/** Asks for the payment that was just sent, as a shop does that has not seen it. */
async function askAgain(crossing: Crossing): Promise<void> {
  const header = Buffer.from(
    JSON.stringify({ x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', accepts: [] }),
  ).toString('base64')
  crossing.answer(402, '{"x402Version":1,"accepts":[]}', {
    'content-type': 'application/json',
    'payment-required': header,
  })
}

const acts: readonly { readonly name: string; readonly act: Act; readonly times?: number }[] = [
  { name: 'the request never reaches the agent: reset', act: crossing => crossing.reset() },
  { name: 'done and charged, then reset', act: afterDelivery(crossing => crossing.reset()) },
  {
    name: 'done and charged, the answer lost three times',
    act: afterDelivery(crossing => crossing.reset()),
    times: 3,
  },
  {
    name: 'done and charged, the answer broken off in its middle',
    act: async crossing => crossing.breakOff(await crossing.deliver()),
  },
  {
    name: 'done and charged, the answer dripping in byte by byte',
    act: async crossing => crossing.drip(await crossing.deliver(), 5),
  },
  {
    name: 'done and charged, then 502',
    act: afterDelivery(crossing => crossing.answer(502, 'Bad Gateway', { 'content-type': 'text/plain' })),
  },
  {
    name: 'done and charged, then 200 with half of the JSON',
    act: async crossing => crossing.answer(200, (await crossing.deliver()).text.slice(0, 40)),
  },
  { name: 'done and charged, then 200 of nothing', act: afterDelivery(crossing => crossing.answer(200, '')) },
  { name: 'a second 402 before the agent hears of the payment', act: askAgain },
  { name: 'done and charged, then a second 402', act: afterDelivery(askAgain) },
  { name: 'done and charged, then a second and a third 402', act: afterDelivery(askAgain), times: 2 },
  {
    name: 'the request delivered twice at once',
    act: async crossing => {
      const [one] = await Promise.all([crossing.deliver(), crossing.deliver()])
      crossing.answerWith(one)
    },
  },
  {
    name: '503, and the request delivered half a second later',
    act: async crossing => {
      crossing.answer(503, '')
      later(crossing, 500)
    },
  },
]

/** Between client and agent, with our client and with a stock x402 one that is called again. */
export const agentFaults: readonly ScriptedFault[] = (['ours', 'stock'] as const).flatMap(caller =>
  acts.map(({ name, act, times = 1 }): ScriptedFault => ({
    name: caller === 'ours' ? name : `${name} (stock x402 client)`,
    at: 'agent',
    ends: 'delivered',
    caller,
    fault: () => firstPaid(times, act),
  })),
)
