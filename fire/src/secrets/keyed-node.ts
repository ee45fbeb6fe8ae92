import { serve } from '../../../e2e/stage/serve.ts'

/** A chain node that wants a key in its URL, and likes to repeat it. */
export interface KeyedNode {
  /** With both keys. */
  readonly url: string
  /** From now on: it hands on, refuses in JSON-RPC's terms, refuses in HTML, or breaks off. */
  behave(how: 'hand on' | 'refuse' | 'answer html' | 'break off'): void
  stop(): Promise<void>
}

/** Starts it on 127.0.0.1, before a node without keys. */
export async function startKeyedNode(
  target: string,
  keys: { readonly inPath: string; readonly inQuery: string },
): Promise<KeyedNode> {
  let mood: Parameters<KeyedNode['behave']>[0] = 'hand on'
  const path = `/v3/${keys.inPath}?token=${keys.inQuery}`
  const { url, stop } = await serve((request, response, body) => {
    const said = `${request.url} ${JSON.stringify(request.headers)} ${body.toString()}`
    if (mood === 'break off') return void response.destroy()
    if (mood === 'answer html') return void response.writeHead(502).end(`<html>${said}`)
    if (mood === 'refuse' || request.url !== path) {
      const error = { code: -32_000, message: `no such project: ${said}`, data: said }
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    }
    fetch(target, { method: 'POST', body, headers: { 'content-type': 'application/json' } }).then(
      async answer => response.writeHead(answer.status).end(await answer.text()),
      () => response.destroy(),
    )
  })
  return {
    url: url + path,
    behave(how) {
      mood = how
    },
    stop,
  }
}
