import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendTestTransaction } from '@farebox/local/src/chain/send-transaction'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { decodePaymentHeader, encodeHeader, type DecodedPayment } from '@farebox/payments/x402/payment-header'
import {
  createRequirement,
  paymentRequiredBody,
  paymentRequiredHeader,
} from '@farebox/payments/x402/requirement'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readPrice } from '@farebox/protocol/money/usdc'
import { sampleDeclaration } from '../database/insert-agent.ts'

/** The response of an agent; `reset` closes the connection instead. */
export type AgentReply =
  | {
      readonly status: number
      readonly headers?: { readonly [name: string]: string }
      readonly body: unknown
    }
  | 'reset'

/** A received `POST /execute` with a payment, and the agent's possible reactions. */
export interface PaidCall {
  readonly jobId: string
  readonly body: string
  readonly header: string
  /** How many times this job was sent before. */
  readonly repeats: number
  /** Charges by sending the authorization to the chain, once for each job; resolves to the transaction. */
  settle(): Promise<string>
  /** The 200 response of an honest agent; a given transaction is returned in PAYMENT-RESPONSE. */
  complete(transaction?: string, output?: unknown): AgentReply
}

/** An agent on a local chain that implements the interface and handles payments as the test decides. */
export interface ChainAgent {
  readonly url: string
  declaration: Declaration
  /** The terms in the 402; by default those of the declaration. */
  asks: Partial<{
    readonly amountAtomic: bigint | undefined
    readonly payTo: string
    readonly network: Network
    /** The delay of the 402 response, in milliseconds. */
    readonly afterMs: number
  }>
  /** Answers paid calls; honestly by default. */
  behave(call: PaidCall): Promise<AgentReply>
  /** Paid calls so far. */
  readonly seen: readonly SeenCall[]
  close(): Promise<void>
}

/** A paid call as it was sent. */
interface SeenCall {
  readonly jobId: string
  readonly body: string
  readonly header: string
  /** The headers about its trace. */
  readonly traceparent: unknown
  readonly tracestate: unknown
}

const TRANSFER_WITH_AUTHORIZATION = '0xe3ee160e'

/** Charges, then delivers; a repeated call gets the same response. */
export async function honestly(call: PaidCall): Promise<AgentReply> {
  return call.complete(await call.settle())
}

/** Starts an agent that is paid to the first agent's test wallet. */
export async function startChainAgent(chain: {
  readonly rpcUrl: string
  readonly chainId: number
}): Promise<ChainAgent> {
  const network = knownNetwork(`eip155:${chain.chainId}`)
  const settlements = new Map<string, Promise<string>>()
  // Charges are sent one after the other, because they all use one account.
  let last: Promise<unknown> = Promise.resolve()
  const seen: SeenCall[] = []
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const agent: ChainAgent = {
    url,
    declaration: sampleDeclaration(TEST_KEYS.agent.address),
    asks: {},
    behave: honestly,
    seen,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const header = request.headers['payment-signature']
    if (typeof header !== 'string') {
      const { afterMs = 0 } = agent.asks
      if (afterMs > 0) await new Promise(resolve => setTimeout(resolve, afterMs))
      return write(response, askToPay(agent, network, body))
    }
    const jobId = (JSON.parse(body) as { readonly job_id: string }).job_id
    const repeats = seen.filter(one => one.jobId === jobId).length
    const { traceparent, tracestate } = request.headers
    seen.push({ jobId, body, header, traceparent, tracestate })
    const settle = (): Promise<string> => {
      const settled =
        settlements.get(jobId) ?? last.then(() => charge(chain.rpcUrl, network, readPayment(header)))
      settlements.set(jobId, settled)
      last = settled.catch(() => settlements.delete(jobId))
      return settled
    }
    const complete = (transaction?: string, output: unknown = { words: 2 }): AgentReply => ({
      status: 200,
      headers: transaction === undefined ? {} : settledHeader(transaction, network),
      body: {
        service_version: '1.0',
        job_id: jobId,
        status: 'completed',
        output,
        completed_at: 1_800_000_000,
      },
    })
    try {
      write(response, await agent.behave({ jobId, body, header, repeats, settle, complete }))
    } catch (error) {
      if (!(error instanceof ChargeRefused)) throw error
      write(response, refusal(error))
    }
  }
  return agent
}

function askToPay(agent: ChainAgent, network: Network, body: string): AgentReply {
  const { declaration, asks } = agent
  const named = (JSON.parse(body) as { readonly task?: { readonly capability?: string } }).task?.capability
  const [first = ''] = Object.keys(declaration.capabilities)
  const capability = named ?? first
  const price = readPrice(declaration.capabilities[capability]?.pricing.amount)
  if (!price.ok)
    return { status: 400, body: { status: 'failed', error_type: 'capability', error: 'Unknown' } }
  const requirement = createRequirement({
    network: asks.network ?? network,
    payTo: asks.payTo ?? declaration.wallet,
    amountAtomic: asks.amountAtomic ?? price.atomic,
    maxDeadlineSeconds: declaration.max_deadline_seconds,
  })
  const resource = { url: `${agent.url}/execute`, capability, description: '' }
  return {
    status: 402,
    headers: { 'payment-required': paymentRequiredHeader(requirement, resource) },
    body: paymentRequiredBody(requirement, { agent: declaration.name, capability }),
  }
}

/** The token refused the transfer, because the payer has too little or has cancelled the authorization. */
class ChargeRefused extends Error {
  override readonly name = 'ChargeRefused'
}

/** The response of an agent that could not charge for the job. */
function refusal({ message }: ChargeRefused): AgentReply {
  return { status: 402, body: { status: 'failed', error_type: 'payment', error: message } }
}

/** Sends `transferWithAuthorization` from an unrelated account; any holder of the signature can send it. */
async function charge(rpcUrl: string, network: Network, payment: DecodedPayment): Promise<string> {
  const { authorization, signature } = payment
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const words = [
    from,
    to,
    toHex(value),
    toHex(validAfter),
    toHex(validBefore),
    nonce,
    `0x${signature.slice(130)}`,
  ]
  const rest = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
  const data =
    TRANSFER_WITH_AUTHORIZATION + [...words, ...rest].map(word => word.slice(2).padStart(64, '0')).join('')
  const transaction = { from: TEST_KEYS.stranger.address, to: network.asset.address, data, gas: '0x30d40' }
  const receipt = await sendTestTransaction(rpcUrl, transaction)
  if (typeof receipt === 'object' && receipt !== null && 'status' in receipt && receipt.status === '0x1')
    return (receipt as { readonly transactionHash?: unknown }).transactionHash as string
  throw new ChargeRefused(`The charge failed: ${JSON.stringify(receipt)}`)
}

function settledHeader(transaction: string, network: Network): { readonly 'payment-response': string } {
  return { 'payment-response': encodeHeader({ success: true, transaction, network: network.id }) }
}

function readPayment(header: string): DecodedPayment {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error(decoded.reason)
  return decoded.payment
}

function write(response: ServerResponse, reply: AgentReply): void {
  if (reply === 'reset') {
    response.destroy()
    return
  }
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(body)
}

function toHex(decimal: string): string {
  return `0x${BigInt(decimal).toString(16)}`
}

function knownNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`${id} is not in the table of networks`)
  return network
}
