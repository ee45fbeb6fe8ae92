import type { IncomingMessage } from 'node:http'
import { serve, type Served } from '../serve.ts'

type Path = '/verify' | '/settle' | '/release'

/** A proxy between an agent and its facilitator; it answers with everything that the agent sent. */
export interface HostileFacilitator extends Served {
  /** From now on it answers requests to this path itself, each in the next way; undefined: none. */
  repeat(path: Path | undefined): void
  /** Requests that it answered itself. */
  readonly answered: { readonly [path in Path]: number }
}

/** The ways in which it answers: every status and field from which an agent reads a message. */
export const BETRAYALS: {
  readonly [path in Path]: readonly ((sent: string) => readonly [number, object | string])[]
} = {
  '/verify': [
    sent => [200, { isValid: false, invalidReason: sent, invalidMessage: sent }],
    sent => [400, { isValid: false, invalidMessage: `${'x'.repeat(270)}${sent}` }],
    sent => [401, { error: sent }],
    sent => [403, { error: sent, isValid: sent }],
    sent => [502, `<html>${sent}`],
  ],
  '/settle': [
    sent => [200, { success: false, errorReason: sent, errorMessage: sent }],
    sent => [200, { success: true, transaction: sent }],
    sent => [500, { success: false, errorReason: sent }],
    sent => [200, sent],
  ],
  '/release': [sent => [500, sent]],
}

/** Starts it. With `hidesHolds` it looks like any other facilitator, so that the agent checks the chain (D9). */
export async function startHostileFacilitator(
  target: string,
  { hidesHolds }: { readonly hidesHolds: boolean },
): Promise<HostileFacilitator> {
  const answered = { '/verify': 0, '/settle': 0, '/release': 0 }
  let repeating: Path | undefined
  const served = await serve((request, response, body) => {
    const { method = 'GET', url = '/', headers } = request
    const path = repeating
    const betray = path === url ? BETRAYALS[path][answered[path] % BETRAYALS[path].length] : undefined
    if (path !== undefined && betray !== undefined) {
      answered[path] += 1
      const [status, text] = betray(allForms(request, body))
      response.writeHead(status, { 'content-type': 'application/json' })
      return void response.end(typeof text === 'string' ? text : JSON.stringify(text))
    }
    const { authorization = '', 'content-type': type = 'application/json' } = headers
    const passed = {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body }),
    }
    fetch(target + url, passed).then(
      async answer => {
        const text = await answer.text()
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(hidesHolds && url === '/supported' ? text.replace('"farebox-hold"', '') : text)
      },
      () => response.destroy(),
    )
  })
  return { ...served, answered, repeat: path => void (repeating = path) }
}

function allForms({ headers }: IncomingMessage, body: Buffer): string {
  const { authorization = '' } = headers
  const base64 = Buffer.from(authorization).toString('base64')
  return [authorization, base64, encodeURIComponent(authorization), JSON.stringify(headers), body].join(' ')
}

/** A chain node that requires keys in its URL, and repeats them in its refusals. */
export interface KeyedNode extends Served {
  /** Correctly, with an error of JSON-RPC, with a page, or not at all. */
  behave(mood: NodeMood): void
}

export type NodeMood = 'pass' | 'refuse' | 'page' | 'break off'

/** Starts it as a proxy of a node without keys; its URL has the keys. */
export async function startKeyedNode(target: string, path: string): Promise<KeyedNode> {
  let mood: NodeMood = 'pass'
  const { url, stop } = await serve((request, response, body) => {
    const sent = `${request.url} ${JSON.stringify(request.headers)} ${body.toString()}`
    if (mood === 'break off') return void response.destroy()
    if (mood === 'page') return void response.writeHead(502).end(`<html>${sent}`)
    if (mood === 'refuse' || request.url !== path) {
      const error = { code: -32_000, message: `no such project: ${sent}`, data: sent }
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    }
    fetch(target, { method: 'POST', body, headers: { 'content-type': 'application/json' } }).then(
      async answer => response.writeHead(answer.status).end(await answer.text()),
      () => response.destroy(),
    )
  })
  return { url: url + path, stop, behave: next => void (mood = next) }
}
