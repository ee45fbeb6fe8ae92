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
  /** The price shown to the reader, in decimal USDC. */
  readonly price: string
  readonly fields: FieldMap
}

/** The dependencies of preparing an order. */
export interface PreparingDependencies extends PlatformOnChain {
  /** Resolves to the wallet that pays; undefined when the reader has chosen none. */
  readonly connect: () => Promise<Wallet | undefined>
  readonly loadParts: LoadOrderParts
}

/**
 * Turns a checked input into a signed order: connects the wallet, checks the price, the balance and the chain, signs, and
 * stores the order in the journal. Only the amount that the reader sees is signed, and nothing after the signal has aborted.
 *
 * @param begin called before each step with its description; throws if the step must not begin
 * @returns `ordered`, with an order that is in the journal; or the reason why there is none, in which case nothing was
 * signed
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
  // Stored before it is sent, so that every later attempt sends the same job.
  await journal.keep(order)
  return { step: 'ordered', order, unanswered: 0, isFresh: true }
}
