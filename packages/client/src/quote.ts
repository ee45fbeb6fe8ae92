import { SERVICE_VERSION } from '@farebox/protocol/version'
import { findCapability, meetAgent, type CalledAgent } from './agent/agent.ts'
import { UnusableAnswer } from './exchange/agent-errors.ts'
import { connectionOf, type ClientOptions } from './exchange/client-options.ts'
import { exchange } from './exchange/exchange.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { readQuote, type Quote } from './attempt/read-quote.ts'

/** D37, as for every probe. */
const QUOTE_TIMEOUT_MS = 10_000
const MAX_QUOTE_BYTES = 262_144

/** How a price is asked. */
export interface QuoteOptions extends ClientOptions {
  /** CAIP-2 ids that may be paid on; default all we know. */
  readonly networks?: readonly string[]
}

/**
 * Asks what a job would cost and to whom it would be paid, without running or paying anything: what a person
 * is shown before the wallet opens. Everything in the quote has been checked as `execute` checks it.
 *
 * @returns the quote; undefined where the agent asks for no payment (dev mode)
 * @throws {CapabilityError} when the capability is not one of the agent's
 * @throws {QuoteRefused} when the agent asks for something that `execute` would refuse to sign
 * @throws {AgentUnreachable | UnusableAnswer} when it gives no answer, or none of the interface
 * @example
 * ```ts
 * import { quote } from '@farebox/client/quote'
 * import { formatUsdc } from '@farebox/protocol/money/usdc'
 *
 * const price = await quote('https://agent.example', 'count')
 * console.log(price === undefined ? 'free' : formatUsdc(price.amountAtomic))
 * ```
 */
export async function quote(
  agent: CalledAgent,
  capability: string,
  options: QuoteOptions = {},
): Promise<Quote | undefined> {
  const connection = connectionOf(options)
  const { url, declaration } = await meetAgent(agent, connection)
  findCapability(declaration, capability)
  const answer = await exchange(connection, {
    url: `${url}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Without a job_id: it can be priced, as any body can (D14), and never run, not even in dev mode.
    body: JSON.stringify({ service_version: SERVICE_VERSION, task: { capability } }),
    timeoutMs: QUOTE_TIMEOUT_MS,
    maxBytes: MAX_QUOTE_BYTES,
  })
  const { status, json } = answer
  if (status === 402) return readQuote(answer, { declaration, capability, networks: options.networks })
  // The missing job_id was what it minded, not the missing payment.
  if (status === 400 && isObject(json) && json['error_type'] === 'validation') return undefined
  throw new UnusableAnswer(status, `the agent answered HTTP ${status} where it should have named its price`)
}
