import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import { createAgent, type Agent } from 'farebox'
import { createFakeGate } from 'farebox/testing'
import { sampleDeclaration } from '../database/insert-agent.ts'

/** An address on this machine at which a test can replace the agent, as at a hosting provider. */
export interface AgentSite {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Handles the requests; a test may replace it. When undefined, connections are closed without a response. */
  answer: ((request: Request) => Promise<Response>) | undefined
  /** The method and path of each request, such as `GET /about`, in order. */
  readonly seen: string[]
  close(): Promise<void>
}

/** The differences to a paid agent with one capability, `count`, on Base Sepolia. */
export interface TestAgentOptions {
  /** Lower-case address. */
  readonly wallet: string
  readonly declaration?: Partial<Declaration>
  readonly devMode?: boolean
  readonly network?: string
}

/** Starts a site, at first without an agent. */
export async function startSite(): Promise<AgentSite> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (site.answer === undefined) request.socket.destroy()
    else void pass(request, response, site.answer)
  })
  // A port of its own: a site at the URL of an earlier one would find that one's stake.
  const port = await findLastingPort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const site: AgentSite = {
    url: `http://127.0.0.1:${port}`,
    answer: undefined,
    seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return site
}

/** Creates a real agent of the `farebox` package without a socket of its own. It accepts no payments. */
async function makeAgent(options: TestAgentOptions): Promise<Agent> {
  const declaration = sampleDeclaration(options.wallet, options.declaration)
  const names = Object.keys(declaration.capabilities)
  return await createAgent<Declaration>({
    declaration,
    handlers: Object.fromEntries(names.map(name => [name, () => ({ words: 1 })])),
    variables: {
      AGENT_WALLET_ADDRESS: options.wallet,
      SERVICE_DEV_MODE: String(options.devMode === true),
      FACILITATOR_SECRET: 'none',
      SERVICE_NETWORK: options.network ?? 'eip155:84532',
      SERVICE_STORE: 'memory:',
    },
    ports: { paymentGate: createFakeGate({ funded: [] }), log: SILENT },
  })
}

/** Replaces the agent at a site with a real one. */
export async function moveIn(site: AgentSite, options: TestAgentOptions): Promise<Agent> {
  const agent = await makeAgent(options)
  site.answer = request => agent.fetch(request)
  return agent
}

/** Overrides the responses for some paths of a site. */
export function lieAt(
  site: AgentSite,
  lies: { readonly [path: string]: () => Response | Promise<Response> },
): void {
  const honest = site.answer
  site.answer = async request => {
    const lie = lies[new URL(request.url).pathname]
    if (lie !== undefined) return await lie()
    return honest === undefined ? new Response(null, { status: 502 }) : await honest(request)
  }
}

const SILENT = { job: () => undefined, note: () => undefined, warn: () => undefined, flush: () => undefined }

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = `http://${request.headers.host}${request.url}`
  const method = request.method ?? 'GET'
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {}
  try {
    const answered = await answer(new Request(url, { method, headers, ...body }))
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.end(Buffer.from(await answered.arrayBuffer()))
  } catch {
    request.socket.destroy()
  }
}
