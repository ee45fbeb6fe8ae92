import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseTerms } from '@farebox/payments/x402/check-terms'
import { createSignatureVerifier, type ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { refuseNonce } from '@farebox/payments/authorization/nonce-binding'
import { decodePaymentHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import {
  createRequirement,
  paymentRequiredBody,
  paymentRequiredHeader,
  type PaymentRequirement,
} from '@farebox/payments/x402/requirement'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { failureBody } from '@farebox/protocol/errors/error-types'
import { readJobRequest, type JobRequest } from '@farebox/protocol/job/job-request'
import { jobPending } from '@farebox/protocol/job/job-response'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { Clock } from '@farebox/protocol/time/clock'

/** A response before it is written. */
export interface Reply {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body: unknown
}

/** One `POST /execute` as it arrived. */
export interface Seen {
  readonly body: string
  readonly header: string | undefined
  readonly traceparent: string | undefined
}

/**
 * Replaces the honest response to one paid request. `work` does the job and settles, as an honest agent would, and returns
 * the response, which the fault may hold back.
 */
export type Fault = (work: () => Reply, response: ServerResponse) => void

/** A small agent that follows the interface, except where a test changes it. */
export interface TestAgent {
  readonly url: string
  readonly endpoint: string
  declaration: Declaration
  /** In dev mode no payment is required. */
  devMode: boolean
  /** Each paid request takes the next fault; when none is left, responses are honest. */
  readonly faults: Fault[]
  /** Changes a response before it is sent, including `/about` and the 402. */
  lie: (path: string, reply: Reply) => Reply
  output: unknown
  readonly seen: Seen[]
  /** Keys of the authorizations that moved money, one for each transfer. */
  readonly transfers: string[]
  readonly runs: string[]
  close(): Promise<void>
}

export const AGENT_WALLET = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
export const TRANSACTION = `0x${'5e'.repeat(32)}`

/** Starts an agent with one capability, `count`, at 0.01 USDC on Base Sepolia. */
export async function startTestAgent(crypto: EvmCrypto, clock: Clock): Promise<TestAgent> {
  const network = knownNetwork('eip155:84532')
  const jobs = new Map<string, Reply>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // The address of a listening TCP server has this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const agent: TestAgent = {
    url,
    endpoint: `${url}/execute`,
    declaration: DECLARATION,
    devMode: false,
    faults: [],
    lie: (_, reply) => reply,
    output: { words: 2 },
    seen: [],
    transfers: [],
    runs: [],
    close: () => closeServer(server),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const about = { status: 200, body: agent.declaration }
    if (request.url === '/about') return write(response, agent.lie('/about', about))
    const body = Buffer.concat(chunks).toString()
    const header = request.headers['payment-signature']
    agent.seen.push({
      body,
      header: typeof header === 'string' ? header : undefined,
      traceparent: textOf(request.headers['traceparent']),
    })
    const work = (): Reply => execute(body, typeof header === 'string' ? header : undefined)
    const fault = header === undefined ? undefined : agent.faults.shift()
    if (fault === undefined) write(response, agent.lie('/execute', work()))
    else fault(work, response)
  }

  function execute(body: string, header: string | undefined): Reply {
    const job = readJobRequest(JSON.parse(body))
    if (header === undefined && !agent.devMode) return askToPay(JSON.parse(body))
    if (!job.ok) return failed(400, 'validation', `${job.field}: ${job.reason}`)
    if (header === undefined) return complete(job.request, {})
    const paid = readPayment(header, job.request)
    if (typeof paid === 'string') return failed(402, 'payment', paid)
    const stored = jobs.get(job.request.job_id)
    if (stored !== undefined) return stored
    const now = clock.nowMs() / 1_000
    const refused = refuseTerms(paid, requirement(), now)
    if (refused !== undefined) return failed(402, 'payment', refused)
    if (agent.transfers.includes(paid.key)) return failed(402, 'payment', 'used before')
    if (job.request.deadline <= now) return failed(408, 'deadline', 'the deadline has passed')
    const receipt = { success: true, transaction: TRANSACTION, network: network.id, payer: paid.payer }
    const reply = complete(job.request, { 'payment-response': encodeHeader(receipt) })
    agent.transfers.push(paid.key)
    jobs.set(job.request.job_id, reply)
    return reply
  }

  function readPayment(header: string, job: JobRequest): ProvenPayment | string {
    const decoded = decodePaymentHeader(header)
    if (!decoded.ok) return decoded.reason
    const proven = createSignatureVerifier(crypto, [network]).provePayer(decoded.payment)
    if (!proven.ok) return proven.reason
    const binding = { endpoint: agent.endpoint, capability: String(job.task.capability), jobId: job.job_id }
    return refuseNonce(crypto, proven.value.authorization.nonce, proven.value.salt, binding) ?? proven.value
  }

  function requirement(): PaymentRequirement {
    const price = readPrice(agent.declaration.capabilities['count']?.pricing.amount)
    if (!price.ok) throw new Error(price.reason)
    const { wallet, max_deadline_seconds: maxDeadlineSeconds } = agent.declaration
    return createRequirement({ network, payTo: wallet, amountAtomic: price.atomic, maxDeadlineSeconds })
  }

  function askToPay(body: { readonly task?: { readonly capability?: unknown } }): Reply {
    const capability = String(body.task?.capability)
    const resource = { url: agent.endpoint, capability, description: 'Counts words' }
    return {
      status: 402,
      headers: { 'payment-required': paymentRequiredHeader(requirement(), resource) },
      body: paymentRequiredBody(requirement(), { agent: agent.declaration.name, capability }),
    }
  }

  function complete(job: JobRequest, headers: { readonly [name: string]: string }): Reply {
    agent.runs.push(job.job_id)
    const { service_version, job_id } = job
    const completed_at = clock.nowMs() / 1_000
    const body = { service_version, job_id, status: 'completed', output: agent.output, completed_at }
    return { status: 200, headers, body }
  }

  return agent
}

/** The response of an agent that does not know yet whether it was paid (D8). */
export function pending(jobId: string, headers: { readonly [name: string]: string } = {}): Reply {
  return { status: 503, headers, body: jobPending(jobId) }
}

/** A typed failure. */
export function failed(status: number, type: Parameters<typeof failureBody>[0], error: string): Reply {
  return { status, body: failureBody(type, error) }
}

/** Writes a response: JSON, or text and bytes unchanged. */
export function write(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Counter',
  description: 'Counts words',
  wallet: AGENT_WALLET,
  max_deadline_seconds: 20,
  capabilities: {
    count: {
      description: 'Counts words',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { words: { type: 'integer' } },
    },
  },
}

function knownNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`no network ${id}`)
  return network
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve))
  server.closeAllConnections()
  await closed
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
