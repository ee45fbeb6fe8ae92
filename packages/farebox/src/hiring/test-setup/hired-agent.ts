import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@farebox/protocol/time/clock'
import { createAgent, type Agent } from '../../agent/create-agent.ts'
import { defineAgent } from '../../define-agent.ts'
import type { JobContext } from '../../handlers.ts'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import { createLog } from '../../log.ts'
import { createFakeGate, type FakeGate } from '../../testing/fake-gate.ts'

/** A request as the hired agent received it. */
export interface SeenRequest {
  readonly path: string
  readonly body: string
  readonly payment: string | undefined
  readonly hirePath: string | undefined
  readonly traceparent: string | undefined
}

/** An agent to be hired that listens on a socket, and whose responses a test can replace. */
export interface HiredAgent {
  readonly url: string
  readonly agent: Agent
  readonly gate: FakeGate
  readonly seen: readonly SeenRequest[]
  /** The paid requests among them. */
  readonly paid: readonly SeenRequest[]
  /** Replaces a response; undefined: the agent's own response is sent. */
  lie: (request: SeenRequest, honest: () => Promise<Response>) => Promise<Response | 'never'> | undefined
  close(): Promise<void>
}

const HIRED_WALLET = '0x00000000000000000000000000000000000c41d0'
export const NETWORK_ID = 'eip155:84532'

/** Starts a {@link HiredAgent} that answers `{ text }` with the result of `work` for the given text. */
export async function startHired(options: {
  readonly price?: string
  readonly wallet?: string
  readonly funded: readonly string[]
  readonly devMode?: boolean
  readonly work?: (text: string, context: JobContext) => string | Promise<string>
}): Promise<HiredAgent> {
  const {
    price = '0.005',
    wallet = HIRED_WALLET,
    devMode = false,
    work = (text: string) => `${text}!`,
  } = options
  const gate = createFakeGate({ funded: options.funded })
  const store = createMemoryStore(systemClock)
  const agent = await createAgent({
    declaration: hiredDeclaration(price),
    handlers: async ({ text }: { readonly text: string }, context: JobContext) => ({
      text: await work(text, context),
    }),
    variables: {
      SERVICE_DEV_MODE: String(devMode),
      AGENT_WALLET_ADDRESS: wallet,
      SERVICE_NETWORK: NETWORK_ID,
    },
    ports: {
      log: createLog({ format: 'text', write: () => undefined, nowMs: systemClock.nowMs }),
      paymentGate: gate,
      jobStore: { store, accounts: store, name: 'memory:', shared: false, close: () => Promise.resolve() },
    },
  })
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const body = Buffer.concat(await request.toArray()).toString()
      const one = seenOf(request, body)
      seen.push(one)
      const honest = (): Promise<Response> => agent.fetch(requestOf(url, request, body))
      const answer = await (hired.lie(one, honest) ?? honest())
      if (answer === 'never') return
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body === null) return void response.end()
      for await (const piece of answer.body) if (!response.write(piece)) await drained(response)
      response.end()
    }
    serve().catch(() => request.socket.destroy())
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const hired: HiredAgent = {
    url,
    agent,
    gate,
    seen,
    get paid() {
      return seen.filter(({ payment }) => payment !== undefined)
    },
    lie: () => undefined,
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => void server.close(() => resolve()))
      await agent.close()
    },
  }
  return hired
}

/** The declaration of the hired agent. */
function hiredDeclaration(price: string) {
  return defineAgent({
    service_version: '1.0',
    name: 'Hired',
    description: 'Does a part of a job.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 200,
    capabilities: {
      part: {
        description: 'A part.',
        pricing: { model: 'per_job', amount: price, currency: 'USDC' },
        input_schema: { text: { type: 'string', required: true } },
        output_schema: { text: { type: 'string' } },
      },
    },
  })
}

function seenOf({ url = '', headers }: IncomingMessage, body: string): SeenRequest {
  const header = (name: string): string | undefined => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    path: url,
    body,
    payment: header('payment-signature'),
    hirePath: header('hire-path'),
    traceparent: header('traceparent'),
  }
}

function requestOf(
  base: string,
  { url = '', method = 'GET', headers }: IncomingMessage,
  body: string,
): Request {
  const kept = Object.entries(headers).filter(([name]) => name !== 'connection' && name !== 'host')
  return new Request(`${base}${url}`, {
    method,
    headers: kept.map(([name, value]) => [name, String(value)] as [string, string]),
    ...(method === 'POST' && { body }),
  })
}

function drained(response: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => reject(new Error('closed'))
    response.once('close', over)
    response.once('drain', () => {
      response.removeListener('close', over)
      resolve()
    })
  })
}
