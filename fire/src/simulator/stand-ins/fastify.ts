// Stands in for `fastify`: routes, their error handler and nothing else, without sockets, plugins or a start.

/** What a route made of a request. */
export interface VirtualAnswer {
  readonly status: number
  /** As it would be after its way over the wire. */
  readonly body: unknown
}

type Headers = { readonly [name: string]: string | undefined }
type Reply = ReturnType<typeof createReply>['reply']
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
      const request = { method, headers, body, routeOptions: { url: path } }
      const { reply, answer } = createReply()
      try {
        await handler(request, reply)
      } catch (error) {
        await onError(error, request, reply)
      }
      return answer()
    },
  }
  /** `onRequest` comes before the body is read; what replies there ends the request. */
  const add = (route: string, handler: Handler, onRequest?: Handler): void => {
    routes.set(route, async (request, reply) => {
      await onRequest?.(request, reply)
      if (!reply.sent) await handler(request, reply)
    })
  }
  const routing = ROUTING.map(verb => [
    verb,
    (path: string, first: Handler | { readonly onRequest?: Handler }, handler?: Handler) => {
      const route = `${verb.toUpperCase()} ${path}`
      if (typeof first === 'function') add(route, first)
      else if (handler !== undefined) add(route, handler, first.onRequest)
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

function createReply() {
  let status = 200
  let body: unknown
  const reply = {
    /** Whether there is an answer already. */
    sent: false,
    code(next: number): object {
      status = next
      return reply
    },
    header: (): object => reply,
    send(next: unknown): object {
      body = next
      reply.sent = true
      return reply
    },
  }
  // A promise that resolves to a reply would wait for a `then` of it, and it has none: as with the real one.
  return {
    reply,
    answer: (): VirtualAnswer => ({
      status,
      body: body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
    }),
  }
}
