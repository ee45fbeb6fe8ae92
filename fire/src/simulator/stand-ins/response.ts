// Stands in for the web's `Response`, whose real one costs more than the job it answers. The name is called
// with `new`, and what a constructor returns takes the place of what it was to make.

import { webBody, type WebBody } from './web-body.ts'

/** What our packages use of a response. */
interface LightResponse {
  readonly status: number
  readonly type: 'default'
  readonly headers: { get(name: string): string | null; has(name: string): boolean }
  readonly body: WebBody | null
  text(): Promise<string>
}

/** Makes one of a text, or of bytes. */
export function Response(
  content: string | Uint8Array | null,
  init: { readonly status: number; readonly headers: { readonly [name: string]: string } },
): LightResponse {
  const headers = new Map(Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    status: init.status,
    type: 'default',
    headers: {
      get: name => headers.get(name.toLowerCase()) ?? null,
      has: name => headers.has(name.toLowerCase()),
    },
    body: content === null ? null : webBody(content),
    text: () => Promise.resolve(textOf(content)),
  }
}

function textOf(content: string | Uint8Array | null): string {
  if (content === null) return ''
  return typeof content === 'string' ? content : Buffer.from(content).toString('utf8')
}
