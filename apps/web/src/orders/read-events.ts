/** An event that a server sent. */
export interface ServerEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

const MOST_CHARACTERS = 8_000_000

/**
 * Reads server-sent events over fetch, which can carry a header where an EventSource cannot. Ends when the server ends;
 * throws where there is no stream.
 */
export async function* readEvents(
  path: string,
  options: {
    readonly headers: { readonly [name: string]: string }
    readonly lastId: string | undefined
    readonly signal: AbortSignal
    readonly method?: 'GET' | 'POST'
    readonly body?: unknown
  },
): AsyncGenerator<ServerEvent> {
  const { headers, lastId, signal, method = 'GET', body } = options
  const answer = await fetch(path, {
    method,
    headers: {
      accept: 'text/event-stream',
      ...headers,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  })
  const isStream = answer.ok && answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || answer.body === null) throw new Error(`no events at ${path}: ${answer.status}`)
  let rest = ''
  for await (const text of iterate(answer.body.pipeThrough(new TextDecoderStream()))) {
    rest += text
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    if (rest.length > MOST_CHARACTERS) throw new Error('an event is too large')
    for (const block of blocks) {
      const event = readBlock(block)
      if (event !== undefined) yield event
    }
  }
}

/** Not every browser's stream can be iterated. */
async function* iterate(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function readBlock(block: string): ServerEvent | undefined {
  let id: string | undefined
  let type = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':')
    const name = at === -1 ? line : line.slice(0, at)
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'id') id = value
    else if (name === 'event') type = value
    else if (name === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { id, type, data: data.join('\n') }
}
