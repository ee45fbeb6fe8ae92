import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { serve } from '../../../e2e/stage/serve.ts'

/** Stands between an agent and its facilitator, and says back what it was told in confidence. */
export interface HostileFacilitator {
  readonly url: string
  /** What it does with the next requests to this path; undefined: it hands them on. */
  behave(path: '/verify' | '/settle' | '/release', betrayal: Betrayal | undefined): void
  stop(): Promise<void>
}

/** A way to answer with everything that came. */
export type Betrayal = (said: string) => { readonly status: number; readonly text: string }

/** Betrayals of every status and place that an agent reads words from. */
export const BETRAYALS: readonly { readonly path: '/verify' | '/settle'; readonly betray: Betrayal }[] = [
  {
    path: '/verify',
    betray: said => json(200, { isValid: false, invalidReason: said, invalidMessage: said }),
  },
  {
    path: '/verify',
    betray: said => json(400, { isValid: false, invalidMessage: `${'x'.repeat(270)}${said}` }),
  },
  { path: '/verify', betray: said => json(401, { error: said }) },
  { path: '/verify', betray: said => json(403, { error: said, isValid: said }) },
  { path: '/verify', betray: said => json(500, { isValid: false, invalidMessage: said }) },
  { path: '/verify', betray: said => ({ status: 502, text: `<html>${said}` }) },
  { path: '/settle', betray: said => json(200, { success: false, errorReason: said, errorMessage: said }) },
  { path: '/settle', betray: said => json(200, { success: true, transaction: said }) },
  { path: '/settle', betray: said => json(500, { success: false, errorReason: said }) },
  { path: '/settle', betray: said => ({ status: 200, text: said }) },
]

/** Starts it on 127.0.0.1. With `hidesHolds` it looks like any other facilitator, so that the chain is asked (D9). */
export async function startHostileFacilitator(
  target: string,
  options: { readonly hidesHolds: boolean },
): Promise<HostileFacilitator> {
  const betrayals = new Map<string, Betrayal>()
  const { url, stop } = await serve((request, response, body) => {
    const path = request.url ?? ''
    const betrayal = betrayals.get(path)
    if (betrayal === undefined) return handOn(target, request, response, body, options.hidesHolds)
    const { status, text } = betrayal(everything(request, body))
    response.writeHead(status, { 'content-type': 'application/json', 'x-repeated': 'yes' }).end(text)
  })
  return {
    url,
    behave: (path, betrayal) =>
      void (betrayal === undefined ? betrayals.delete(path) : betrayals.set(path, betrayal)),
    stop,
  }
}

/** Header and body, in all forms. */
function everything({ headers }: IncomingMessage, body: Buffer): string {
  const { authorization = '' } = headers
  const base64 = Buffer.from(authorization).toString('base64')
  return [
    authorization,
    base64,
    encodeURIComponent(authorization),
    JSON.stringify(headers),
    body.toString(),
  ].join(' ')
}

function json(status: number, value: object): { readonly status: number; readonly text: string } {
  return { status, text: JSON.stringify(value) }
}

function handOn(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  hidesHolds: boolean,
): void {
  const { method, url, headers } = request
  const asked = ask(new URL(url ?? '/', target), { method, headers }, answer => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const told = hidesHolds && url === '/supported' ? text.replace('"farebox-hold"', '') : text
      response.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end(told)
    })
  })
  asked.on('error', () => response.destroy())
  asked.end(body)
}
