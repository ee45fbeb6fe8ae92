import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Agent } from 'farebox'
import type { AgentMode } from '@farebox/conformance/agent'
import { serveFixture, type FixtureAgent } from '@farebox/conformance/serve-fixture'

/** A request that was read completely. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
  /** The body as a JSON object; an empty one if it is not an object. */
  readonly json: Json
}

/** An answer that was read completely. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as a JSON object; an empty one if it is not an object. */
  readonly json: Json
}

/** A JSON object. */
export type Json = { [key: string]: unknown }

/** Forwards a request to the right agent behind the wrong one. */
export type Forward = (asked: Asked) => Promise<Answered>

/** A right agent with one fault. */
export type Tamper = (asked: Asked, forward: Forward) => Promise<Answered> | Answered

/** Wrong agents, each with its own socket, in front of right ones that they share. */
export interface WrongAgents {
  /** Resolves to the base URL. */
  serve(mode: AgentMode, tamper: Tamper): Promise<string>
  /** The base URL of the right agent itself. */
  serveRight(mode: AgentMode): Promise<string>
  close(): Promise<void>
}

/** Creates them. */
export function createWrongAgents(): WrongAgents {
  const fixtures = new Map<AgentMode, Promise<FixtureAgent>>()
  const rightUrls = new Map<AgentMode, Promise<string>>()
  const closers: (() => Promise<void>)[] = []
  const fixtureOf = async (mode: AgentMode): Promise<FixtureAgent> => {
    const fixture = fixtures.get(mode) ?? serveFixture(mode)
    fixtures.set(mode, fixture)
    return await fixture
  }
  return {
    async serve(mode, tamper) {
      const { agent } = await fixtureOf(mode)
      const forward: Forward = async asked => await readResponse(await agent.fetch(toRequest(asked)))
      const server = createServer((incoming, outgoing) => {
        answer(incoming, outgoing, asked => tamper(asked, forward)).catch(() => outgoing.destroy())
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      closers.push(async () => {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async serveRight(mode) {
      const { agent } = await fixtureOf(mode)
      const url = rightUrls.get(mode) ?? listenAnywhere(agent)
      rightUrls.set(mode, url)
      return await url
    },
    async close() {
      await Promise.all(closers.map(close => close()))
      for (const fixture of fixtures.values()) await (await fixture).agent.close()
    },
  }
}

async function listenAnywhere(agent: Agent): Promise<string> {
  return `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (asked: Asked) => Promise<Answered> | Answered,
): Promise<void> {
  const { status, headers, text } = await handle(await readIncoming(incoming))
  const sent = Object.fromEntries(headers)
  // A changed body has another length.
  delete sent['content-length']
  outgoing.writeHead(status, sent)
  outgoing.end(text)
}

async function readIncoming(incoming: IncomingMessage): Promise<Asked> {
  const { method = 'GET', url = '/' } = incoming
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const body = new Uint8Array(Buffer.concat(chunks))
  return { method, path: url, headers, body, json: readJson(Buffer.from(body).toString('utf8')) }
}

function toRequest({ method, path, headers, body }: Asked): Request {
  const sent = ['GET', 'HEAD'].includes(method) ? {} : { body }
  return new Request(`http://${headers.get('host') ?? 'agent'}${path}`, { method, headers, ...sent })
}

async function readResponse(response: Response): Promise<Answered> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: readJson(text) }
}

function readJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
  } catch {
    return {}
  }
}
