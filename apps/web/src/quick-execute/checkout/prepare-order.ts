import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { PlatformOnChain } from '../../orders/ready-wallet.ts'
import { answers } from '../../site/answers.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { Execution } from './checkout-state.ts'
import type { LoadOrderParts } from './follower.ts'

/** A capability that can be ordered. */
export interface Orderable {
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  /** Decimal USDC, as the reader sees it. */
  readonly price: string
  readonly fields: FieldMap
}

/** The platform, the wallet and the journal, for an order that is prepared. */
export interface PreparingDependencies extends PlatformOnChain {
  /** The wallet that pays; undefined: the reader has chosen none. */
  readonly connect: () => Promise<Wallet | undefined>
  readonly loadParts: LoadOrderParts
}

/**
 * From a checked input to a signed order: wallet, price, balance, chain, signature, journal. Nothing is signed for another
 * amount than the reader sees, nor after the signal has aborted.
 *
 * @param begin called before each step, in words; throws where the step must not begin
 * @returns an order that the journal has, `ordered`; or why there is none: then nothing was signed
 */
export async function prepareOrder(
  { ask, platform, connect, loadParts }: PreparingDependencies,
  { orderable, input }: { readonly orderable: Orderable; readonly input: JsonObject },
  begin: (words: string) => void,
  signal: AbortSignal,
): Promise<Execution> {
  const { agentId, agentName, capability, price } = orderable
  begin('Opening the wallet')
  const wallet = await connect()
  if (wallet === undefined) return { step: 'idle' }
  begin('Getting the price')
  const body = { agent_id: agentId, capability }
  const quote = await ask('/v1/quotes', answers.quote, { method: 'POST', body, signal })
  if (quote.amount !== price) return { step: 'changed', quote }
  const [{ readyWallet }, { signOrder }, { journal }] = await Promise.all([
    import('../../orders/ready-wallet.ts'),
    import('../../orders/sign-order.ts'),
    loadParts(),
  ])
  const short = await readyWallet({ ask, platform }, wallet, BigInt(quote.amount_atomic))
  if (short !== undefined) return { step: 'stopped', sentence: short, tone: 'warn', isShort: true }
  begin(wallet.kind === 'test' ? 'Signing' : 'Waiting for your signature')
  const order = await signOrder(wallet, { agentId, agentName, capability, input }, quote)
  // Before it is sent: whatever happens next, it is the same job.
  await journal.keep(order)
  return { step: 'ordered', order, unanswered: 0, isFresh: true }
}
