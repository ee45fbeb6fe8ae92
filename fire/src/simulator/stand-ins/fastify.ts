// Stands in for `fastify`: routes, their error handler and nothing else, without sockets, plugins or a start.

/** One request, as a route sees it. */
export interface VirtualRequest {
  readonly method: string
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: unknown
  readonly routeOptions: { readonly url: string }
}

/** What a route made of it. */
export interface VirtualAnswer {
  readonly status: number
  /** As it would be after its way over the wire. */
  readonly body: unknown
}

interface VirtualReply {
  code(status: number): VirtualReply
  /** Whether there is an answer already. */
  readonly sent: boolean
  header(name: string, value: string): VirtualReply
  send(body: unknown): VirtualReply
}

type Handler = (request: VirtualRequest, reply: VirtualReply) => Promise<unknown>
/** Comes before the body is read; what replies here ends the request. */
type OnRequest = (request: VirtualRequest, reply: VirtualReply) => Promise<unknown>
type ErrorHandler = (error: unknown, request: VirtualRequest, reply: VirtualReply) => Promise<unknown>

/** What comes after a route's path. */
type RouteArguments =
  | readonly [handler: Handler, none?: undefined]
  | readonly [options: { readonly onRequest?: OnRequest }, handler: Handler]

/** The application: what our facilitator calls on a real one, and the way in. */
export interface VirtualApp {
  /** Answers one request, its body as text. */
  handle(
    method: string,
    path: string,
    headers: VirtualRequest['headers'],
    body: string | undefined,
  ): Promise<VirtualAnswer>
}

const ROUTING = ['get', 'post', 'put', 'delete'] as const
const IGNORED = [
  'removeAllContentTypeParsers',
  'addContentTypeParser',
  'addHook',
  'setNotFoundHandler',
] as const

/** Makes an application. */
// oxlint-disable-next-line import/no-default-export -- as the real one does
export default function fastify(): VirtualApp {
  const routes = new Map<string, Handler>()
  const add = (route: string, handler: Handler, onRequest?: OnRequest): void => {
    routes.set(route, async (request, reply) => {
      await onRequest?.(request, reply)
      if (!reply.sent) await handler(request, reply)
    })
  }
  let onError: ErrorHandler | undefined
  const app: VirtualApp = {
    async handle(method, path, headers, body) {
      const handler = routes.get(`${method} ${path}`)
      if (handler === undefined) return { status: 404, body: { error: 'no such route' } }
      const request = { method, headers, body, routeOptions: { url: path } }
      const { reply, answer } = createReply()
      try {
        await handler(request, reply)
      } catch (error) {
        if (onError === undefined) throw error
        await onError(error, request, reply)
      }
      return answer()
    },
  }
  const routing = ROUTING.map(verb => [
    verb,
    (path: string, ...[first, handler]: RouteArguments) => {
      const route = `${verb.toUpperCase()} ${path}`
      if (typeof first === 'function') add(route, first)
      else if (handler !== undefined) add(route, handler, first.onRequest)
    },
  ])
  const ignored = IGNORED.map(name => [name, () => undefined])
  return Object.assign(app, Object.fromEntries([...routing, ...ignored]), {
    setErrorHandler: (handler: ErrorHandler) => {
      onError = handler
    },
    close: () => Promise.resolve(),
  })
}

function createReply(): { readonly reply: VirtualReply; readonly answer: () => VirtualAnswer } {
  let status = 200
  let body: unknown
  let sent = false
  const reply: VirtualReply = {
    get sent() {
      return sent
    },
    code(next) {
      status = next
      return reply
    },
    header: () => reply,
    send(next) {
      body = next
      sent = true
      return reply
    },
  }
  // A promise that resolves to a reply would wait for a `then` of it, and it has none: as with the real one.
  return {
    reply,
    answer: () => ({ status, body: body === undefined ? undefined : JSON.parse(JSON.stringify(body)) }),
  }
}
