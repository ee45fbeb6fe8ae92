import type { Flow } from '@farebox/flows/document/flow'
import { findJobStep } from '@farebox/flows/internal/document/find-job-step'
import { jobKeysOf } from '@farebox/flows/internal/document/job-key'
import { buildGraph } from '@farebox/flows/graph/graph'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'

const WALLET = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
/** Long enough for a retry. */
const VALID_SECONDS = 900

/** The network of all payments. */
export const TEST_NETWORK: Network = knownNetwork('eip155:84532')

/** A refusal with its HTTP status. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Prices that differ from the pinned ones, by capability; null: the agent has none. */
export type Prices = ReadonlyMap<string, string | null>

/** `POST /v1/runs/quote`. */
export function quoteRun(flow: Flow, keys: readonly string[] | undefined, prices: Prices): RunQuote {
  const all = buildGraph(flow).order.flatMap(id => {
    const step = flow.steps[id]
    return step?.kind === 'job' ? jobKeysOf(id, step) : []
  })
  const asked = keys ?? all
  return { jobs: asked.map(key => quoteJob(flow, key, prices)), total: '0' }
}

/** The current price of one job. */
export function quoteJob(flow: Flow, key: string, prices: Prices): RunQuote['jobs'][number] {
  const step = findJobStep(flow, key)
  if (step === undefined) throw new Refusal(400, `keys: ${key} is no job of the flow`)
  const { agent_id, capability, pinned } = step
  const price = readPrice(prices.get(capability) ?? pinned.price)
  if (!price.ok) throw new Refusal(400, price.reason)
  const requirement = createRequirement({
    network: TEST_NETWORK,
    payTo: WALLET,
    amountAtomic: price.atomic,
    maxDeadlineSeconds: pinned.max_deadline_seconds,
  })
  const quote = {
    agent_id,
    capability,
    amount: formatUsdc(price.atomic),
    amount_atomic: price.atomic.toString(),
    pay_to: WALLET,
    network: TEST_NETWORK.id,
    asset: TEST_NETWORK.asset.address,
    asset_domain: TEST_NETWORK.asset.domain,
    payment_requirement: requirement,
    max_timeout_seconds: requirement.maxTimeoutSeconds,
    max_deadline_seconds: pinned.max_deadline_seconds,
    price_changed: null,
    input_schema: {},
    endpoint: endpointOf(capability),
  }
  const isKnown = prices.get(capability) !== null
  return {
    key,
    step: key.replace(/#.*/, ''),
    sign: step.map === undefined && !isBehindPerson(flow, key) ? 'now' : 'later',
    valid_for_seconds: VALID_SECONDS,
    error: isKnown ? null : 'The agent does not answer.',
    quote: isKnown ? quote : null,
  }
}

/** The URL that jobs of a capability are posted to. */
export function endpointOf(capability: string): string {
  return `https://agents.example/${capability}/execute`
}

function isBehindPerson(flow: Flow, key: string): boolean {
  const graph = buildGraph(flow)
  const before = new Set([key])
  for (const id of before) for (const source of graph.sourcesOf(id)) before.add(source)
  return [...before].some(id => flow.steps[id]?.kind === 'approval')
}

function knownNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`no network ${id}`)
  return network
}
