import type { Transport } from '../site/ask.ts'

/** The API over HTTP, in the reader's own session. */
export const browserTransport: Transport = async (path, { method = 'GET', body, headers, signal }) => {
  const answer = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ?? null,
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}
