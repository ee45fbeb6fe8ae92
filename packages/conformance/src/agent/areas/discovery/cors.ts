import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectThat } from '../../exchange/expectations.ts'
import type { Reply } from '../../exchange/send-request.ts'
import { Mismatch } from '../../exchange/verdicts.ts'

const ORIGIN = 'https://browser.example'
const LOCAL_ORIGIN = 'http://localhost:8080'

/** Returns an origin that the agent accepts. An agent under development accepts only pages on its own machine. */
function originFor({ baseUrl }: CheckContext): string {
  const { hostname } = new URL(baseUrl)
  return isThisMachine(hostname) ? LOCAL_ORIGIN : ORIGIN
}

const FIX = 'Send Access-Control-Allow-Origin: * with every answer of the three routes, failures included.'

/** Browsers may read an agent, call it and pay it (D15). */
export const CORS_CHECKS: readonly Check[] = [
  ...['/health', '/about'].map((path): Check => ({
    id: `cors/get ${path}`,
    rules: ['D15'],
    title: `A browser may read GET ${path}`,
    fix: FIX,
    needs: NEEDS.nothing,
    run: async context =>
      expectOpen(await context.send({ method: 'GET', path, headers: { origin: originFor(context) } })),
  })),
  ...(
    [
      ['/health', 'GET'],
      ['/about', 'GET'],
      ['/execute', 'POST'],
    ] as const
  ).map(([path, method]): Check => ({
    id: `cors/preflight ${path}`,
    rules: ['D15'],
    title: `OPTIONS ${path} lets a browser send ${method}`,
    fix: 'Answer OPTIONS with 204 and Access-Control-Allow-Methods and -Headers.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await preflight(context, path, method)
      expectThat(reply.status === 204 || reply.status === 200, 'status 204', reply.status)
      expectOpen(reply)
      expectLists(reply, 'access-control-allow-methods', [method])
    },
  })),
  {
    id: 'cors/payment-header',
    rules: ['D15', 'D4'],
    title: 'OPTIONS /execute lets a browser send Content-Type and PAYMENT-SIGNATURE',
    fix: 'List Content-Type, PAYMENT-SIGNATURE and X-PAYMENT in Access-Control-Allow-Headers.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await preflight(context, '/execute', 'POST')
      expectLists(reply, 'access-control-allow-headers', ['content-type', 'payment-signature', 'x-payment'])
    },
  },
  {
    id: 'cors/exposed',
    rules: ['D15', 'D3', 'D7'],
    title: 'A browser may read PAYMENT-REQUIRED and PAYMENT-RESPONSE',
    fix: 'List both in Access-Control-Expose-Headers.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await context.send({
        method: 'POST',
        path: '/execute',
        headers: { origin: originFor(context) },
        body: '',
      })
      expectOpen(reply)
      expectLists(reply, 'access-control-expose-headers', ['payment-required', 'payment-response'])
    },
  },
  {
    id: 'cors/failures',
    rules: ['D15'],
    title: 'A browser may read why it was refused',
    fix: FIX,
    needs: NEEDS.nothing,
    async run(context) {
      expectOpen(
        await context.send({ method: 'DELETE', path: '/execute', headers: { origin: originFor(context) } }),
      )
    },
  },
]

async function preflight(context: CheckContext, path: string, method: string): Promise<Reply> {
  const headers = {
    origin: originFor(context),
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type,payment-signature',
  }
  return await context.send({ method: 'OPTIONS', path, headers })
}

function expectOpen(reply: Reply): void {
  const origin = reply.headers.get('access-control-allow-origin')
  if (origin === '*' || origin === ORIGIN || origin === LOCAL_ORIGIN) return
  throw new Mismatch('Access-Control-Allow-Origin: *', origin ?? 'nothing', FIX)
}

function expectLists(reply: Reply, header: string, wanted: readonly string[]): void {
  const listed = (reply.headers.get(header) ?? '').split(',').map(one => one.trim().toLowerCase())
  const missing = wanted.filter(one => !listed.includes(one.toLowerCase()) && !listed.includes('*'))
  expectThat(missing.length === 0, `${header} with ${wanted.join(', ')}`, listed.join(', ') || undefined)
}
