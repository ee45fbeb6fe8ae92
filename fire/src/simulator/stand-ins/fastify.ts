// Stands in for `fastify`: routes, their error handler and nothing else, without sockets, plugins or a start.

/** What a route made of a request. */
export interface VirtualAnswer {
  readonly status: number
  /** As it would be after its way over the wire. */
  readonly body: unknown
}

type Headers = { readonly [name: string]: string | undefined }
type Reply = ReturnType<typeof createReply>
type Handler = (request: object, reply: Reply) => Promise<unknown>

/** The application: what our facilitator calls on a real one, and the way in, which answers one request, its body as text. */
export interface VirtualApp {
  handle(method: string, path: string, headers: Headers, body: string | undefined): Promise<VirtualAnswer>
}

const ROUTING = ['get', 'post', 'put', 'delete']
const IGNORED = ['removeAllContentTypeParsers', 'addContentTypeParser', 'addHook', 'setNotFoundHandler']

// oxlint-disable-next-line import/no-default-export -- as the real one does
export default function fastify(): VirtualApp {
  const routes = new Map<string, Handler>()
  let onError = (error: unknown, _request: object, _reply: Reply): Promise<unknown> => Promise.reject(error)
  const app: VirtualApp = {
    async handle(method, path, headers, body) {
      const handler = routes.get(`${method} ${path}`)
      if (handler === undefined) return { status: 404, body: { error: 'no such route' } }
      const raw = { method, headers, socket: { destroyed: false, once: () => undefined } }
      const request = { method, headers, body, raw, routeOptions: { url: path } }
      const reply = createReply()
      try {
        await handler(request, reply)
      } catch (error) {
        await onError(error, request, reply)
      }
      const { status, answer } = reply
      return { status, body: answer === undefined ? undefined : JSON.parse(JSON.stringify(answer)) }
    },
  }
  const routing = ROUTING.map(verb => [
    verb,
    (path: string, options: { readonly onRequest?: Handler } | Handler, handler?: Handler) => {
      const handlers = typeof options === 'function' ? [options] : [options.onRequest, handler]
      // `onRequest` comes before the body is read; what replies there ends the request.
      routes.set(`${verb.toUpperCase()} ${path}`, async (request, reply) => {
        for (const handle of handlers) if (!reply.sent) await handle?.(request, reply)
      })
    },
  ])
  const ignored = IGNORED.map(name => [name, () => undefined])
  return Object.assign(app, Object.fromEntries([...routing, ...ignored]), {
    setErrorHandler: (handler: typeof onError) => {
      onError = handler
    },
    close: () => Promise.resolve(),
  })
}

/** It has no `then`, so a promise resolves to it at once: as with the real one. */
function createReply() {
  const reply = {
    /** No caller leaves: what waits for an answer here is a request that was sent. */
    raw: { once: () => undefined },
    status: 200,
    answer: undefined as unknown,
    /** Whether there is an answer already. */
    sent: false,
    code(status: number): object {
      return Object.assign(reply, { status })
    },
    header: (): object => reply,
    send(answer: unknown): object {
      return Object.assign(reply, { answer, sent: true })
    },
  }
  return reply
}
