import { SERVICE_VERSION } from '@farebox/protocol/version'
import { findCapability, meetAgent, type CalledAgent } from './agent/agent.ts'
import { UnusableAnswer } from './exchange/agent-errors.ts'
import { connectionOf, type ClientOptions } from './exchange/client-options.ts'
import { exchangeUntil, FIRST_CONTACT } from './exchange/exchange-until.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { readQuote, type Quote } from './attempt/read-quote.ts'

/** D37: the time limit of every probe. */
const QUOTE_TIMEOUT_MS = 10_000
const MAX_QUOTE_BYTES = 262_144

/** How a price is requested. */
export interface QuoteOptions extends ClientOptions {
  /** CAIP-2 ids of the networks that may be paid on; default: all known networks. */
  readonly networks?: readonly string[]
}

/**
 * Asks for the price and the payee of a job without running or paying anything, for example to show them before the wallet
 * opens. Every value of the quote is checked as `execute` checks it.
 *
 * @returns the quote; undefined when the agent asks for no payment (dev mode)
 * @throws {CapabilityError} when the capability is not one of the agent's
 * @throws {QuoteRefused} when the agent asks for something that `execute` would refuse to sign
 * @throws {AgentUnreachable | UnusableAnswer} when there is no response, or none that follows the interface
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
  const request = {
    url: `${url}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Without a job_id: like any body it gets a price (D14), but it can never run, not even in dev mode.
    body: JSON.stringify({ service_version: SERVICE_VERSION, task: { capability } }),
    timeoutMs: QUOTE_TIMEOUT_MS,
    maxBytes: MAX_QUOTE_BYTES,
  } as const
  const answer = await exchangeUntil(connection, request, FIRST_CONTACT)
  const { status, json } = answer
  if (status === 402) return readQuote(answer, { declaration, capability, networks: options.networks })
  // The agent rejected the missing job_id, not the missing payment.
  if (status === 400 && isObject(json) && json['error_type'] === 'validation') return undefined
  throw new UnusableAnswer(status, `the agent answered HTTP ${status} where it should have named its price`)
}
