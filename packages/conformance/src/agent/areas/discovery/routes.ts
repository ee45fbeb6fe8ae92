import { NEEDS, type Check } from '../../check/check.ts'
import { expectFailure, expectStatus, expectThat } from '../../exchange/expectations.ts'

/** Paths that resemble a route but are not one: only exact paths are routes (HTTP-01). */
const NO_ROUTES = [
  '/',
  '/nope',
  '/health/',
  '/Health',
  '//health',
  '/%68ealth',
  '/about.json',
  '/about/',
  '/execute/',
  '/metrics',
]

/** Spellings that have bypassed payment gates which match paths (GHSA-3j63-5h8p-gf7c, HTTP-02). */
const GATE_DODGES = [
  '/execute/',
  '//execute',
  '/Execute',
  '/%65xecute',
  '/execute%2F',
  '/execute%252F',
  '/execute%5C',
  '/execute%',
  '/x/..%2Fexecute',
]

const WRONG_METHODS: readonly (readonly [method: string, path: string, allowed: string])[] = [
  ['POST', '/health', 'GET'],
  ['PUT', '/health', 'GET'],
  ['DELETE', '/about', 'GET'],
  ['PATCH', '/about', 'GET'],
  ['GET', '/execute', 'POST'],
  ['PUT', '/execute', 'POST'],
  ['DELETE', '/execute', 'POST'],
]

/** Exactly three routes, each with its own methods (interface, 1.1; D15, D31). */
export const ROUTE_CHECKS: readonly Check[] = [
  ...NO_ROUTES.map((path): Check => ({
    id: `routes/unknown ${path}`,
    rules: ['interface 1.1', 'D15', 'D31', 'HTTP-01'],
    title: `GET ${path} answers 404`,
    fix: 'Serve exactly /health, /about and /execute, and answer the failure body everywhere else.',
    needs: NEEDS.nothing,
    async run(context) {
      expectFailure(await context.send({ method: 'GET', path }), 404, 'validation')
    },
  })),
  ...WRONG_METHODS.map(([method, path, allowed]): Check => ({
    id: `routes/method ${method} ${path}`,
    rules: ['D15'],
    title: `${method} ${path} answers 405 with Allow: ${allowed}`,
    fix: 'Answer 405 with an Allow header that lists the methods of the route.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await context.send({ method, path })
      expectFailure(reply, 405, 'validation')
      const allow = (reply.headers.get('allow') ?? '').split(',').map(one => one.trim())
      expectThat(
        allow.includes(allowed) && !allow.includes(method),
        `Allow with ${allowed}`,
        allow.join(', '),
      )
    },
  })),
  {
    id: 'routes/method HEAD /execute',
    rules: ['D15'],
    title: 'HEAD /execute answers 405 without a body',
    fix: 'Answer HEAD on the GET routes alone.',
    needs: NEEDS.nothing,
    run: async context => expectStatus(await context.send({ method: 'HEAD', path: '/execute' }), 405),
  },
  {
    id: 'routes/gate-dodges',
    rules: ['HTTP-02', 'interface Authentication 2'],
    title: 'No spelling of the path runs a job without payment',
    fix: 'Put the payment gate inside the handler of POST /execute, not in front of paths that match.',
    needs: NEEDS.asksForPayment,
    async run(context) {
      const body = JSON.stringify(await context.jobBody())
      for (const path of GATE_DODGES) {
        const headers = { 'content-type': 'application/json' }
        const reply = await context.send({ method: 'POST', path, headers, body })
        expectThat(reply.status === 404 || reply.status === 402, `404 or 402 for POST ${path}`, reply.status)
      }
    },
  },
  {
    id: 'routes/query',
    rules: ['D15'],
    title: 'POST /execute ignores a query string',
    fix: 'Route by the path alone.',
    needs: NEEDS.asksForPayment,
    run: async context =>
      expectStatus(await context.send({ method: 'POST', path: '/execute?x=1', body: '{}' }), 402),
  },
]
