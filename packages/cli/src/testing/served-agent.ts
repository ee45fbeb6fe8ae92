import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent, createLog, type Declaration } from 'farebox'
import { createFakeGate, type FakeGate } from 'farebox/testing'

/** The options of a served agent. */
export interface ServedAgentOptions {
  readonly declaration?: Declaration
  readonly handlers?: { readonly [capability: string]: (input: never) => unknown }
  /** Addresses whose payments are valid; absent: dev mode without payments. */
  readonly funded?: readonly string[]
}

/** A real agent on a local socket, whose answers a test can change. */
export interface ServedAgent {
  readonly url: string
  /** Counts the charges; not used in dev mode. */
  readonly gate: FakeGate
  /** Every received request, of any route. */
  readonly seen: readonly {
    readonly path: string
    readonly body: string
    readonly header: string | undefined
  }[]
  /** Used one by one by requests with a payment, instead of the correct answer. */
  readonly faults: ((answer: Response, response: ServerResponse) => void)[]
  /** Changes an outgoing answer. */
  lie: (path: string, answer: Response) => Response | Promise<Response>
  close(): Promise<void>
}

export const AGENT_WALLET = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

/** Serves a word counter (`count`, 0.002 USDC), or another declaration, through the runtime itself. */
export async function serveAgent(options: ServedAgentOptions = {}): Promise<ServedAgent> {
  const { declaration = COUNTER, funded } = options
  const gate = createFakeGate({ funded: funded ?? [] })
  const agent = await createAgent({
    declaration,
    handlers: options.handlers ?? {
      count: ({ text }: { text: string }) => ({ words: text.split(/\s+/).length }),
    },
    variables: {
      SERVICE_DEV_MODE: funded === undefined ? 'true' : 'false',
      AGENT_WALLET_ADDRESS: AGENT_WALLET,
      FACILITATOR_SECRET: 'a-secret-of-tests',
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: 'memory:',
    },
    ports: {
      ...(funded === undefined ? {} : { paymentGate: gate }),
      log: createLog({ format: 'text', write: () => undefined, nowMs: () => Date.now() }),
    },
  })
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const seen: { path: string; body: string; header: string | undefined }[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url: path = '/', headers } = request
    const body = Buffer.concat(chunks).toString()
    const header = headers['payment-signature']
    seen.push({ path, body, header: typeof header === 'string' ? header : undefined })
    const asked = new Request(url + path, {
      method,
      headers: {
        'content-type': headers['content-type'] ?? '',
        ...(typeof header === 'string' && { 'payment-signature': header }),
      },
      ...(method === 'POST' && { body }),
    })
    const honest = await agent.fetch(asked)
    const fault = header === undefined ? undefined : served.faults.shift()
    if (fault !== undefined) return fault(honest, response)
    await write(response, await served.lie(path, honest))
  }

  const served: ServedAgent = {
    url,
    gate,
    seen,
    faults: [],
    lie: (_, honest) => honest,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
      await agent.close()
    },
  }
  return served
}

/** Drops an answer: the job is done and charged, and the connection ends. */
export function loseAnswer(_: Response, response: ServerResponse): void {
  response.destroy()
}

/** An answer with another JSON body. */
export function withBody(answer: Response, body: unknown): Response {
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(JSON.stringify(body), { status: answer.status, headers })
}

async function write(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
}

export const COUNTER = {
  service_version: '1.0',
  name: 'Counter',
  description: 'Counts words.',
  wallet: AGENT_WALLET,
  max_deadline_seconds: 10,
  capabilities: {
    count: {
      description: 'Counts the words of a text.',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: {
        text: { type: 'string', required: true, minLength: 1, maxLength: 20_000, description: 'The text' },
        top: { type: 'integer', minimum: 1, maximum: 50 },
      },
      output_schema: { words: { type: 'integer' } },
    },
  },
} as const satisfies Declaration
