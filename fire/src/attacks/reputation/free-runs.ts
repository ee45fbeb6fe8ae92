import type { Attack } from '../attack.ts'
import { MAX_DEADLINE_SECONDS, PRICE_ATOMIC, stageOrders } from './stage-orders.ts'

/** The handler needs most of what its agent declares. */
const HANDLER_MS = 8_000
/** Too short for the handler, and long enough for it to begin. */
const SHORT_SECONDS = 0.4

/** Row 6: a wallet with one price has handlers run by deadlines that end before they do. */
export const freeRuns: Attack = {
  name: 'handlers run for nothing through the platform',
  before: 'one wallet with one price: 60 orders, 60 handler runs, nothing charged',
  async run({ size, signal }) {
    const orders = size === 'full' ? 60 : 30
    const stage = await stageOrders({ handlerMs: HANDLER_MS })
    try {
      const payerKey = await stage.wallet(PRICE_ATOMIC)
      for (let sent = 0; sent < orders && !signal.aborted; sent++) {
        await stage.order({ payerKey, deadlineSeconds: SHORT_SECONDS })
        await stage.quiet(signal)
      }
      const short = stage.handlerRuns()
      const keptMost = await runAtTheFloor(stage, payerKey, size === 'full' ? 8 : 0, signal)
      return [
        {
          test: `${orders} orders of one payer, each ${SHORT_SECONDS} s before its deadline`,
          reached: `${short} handler runs`,
          target: 'none',
          isMet: short === 0,
        },
        ...keptMost,
      ]
    } finally {
      await stage.close()
    }
  },
}

/** As short as the platform takes: the payer is refused after the fifth. */
async function runAtTheFloor(
  stage: Awaited<ReturnType<typeof stageOrders>>,
  payerKey: string,
  orders: number,
  signal: AbortSignal,
): ReturnType<Attack['run']> {
  if (orders === 0) return []
  const before = stage.handlerRuns()
  let refused = 0
  for (let sent = 0; sent < orders && !signal.aborted; sent++) {
    const { status } = await stage.order({ payerKey, deadlineSeconds: MAX_DEADLINE_SECONDS / 2 + 0.5 })
    if (status === 429) refused += 1
    await stage.quiet(signal)
  }
  const runs = stage.handlerRuns() - before
  return [
    {
      test: `${orders} orders of one payer with the shortest deadline that is taken`,
      reached: `${runs} handler runs, ${refused} orders answered 429`,
      target: `5 runs, ${orders - 5} answered 429`,
      isMet: runs === 5 && refused === orders - 5,
    },
  ]
}
