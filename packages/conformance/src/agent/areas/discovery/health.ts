import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectEqual, expectJson, expectKeys, expectStatus, expectThat } from '../../exchange/expectations.ts'
import type { Reply } from '../../exchange/send-request.ts'

/** `GET /health`, which the platform requests every ten minutes. */
export const HEALTH_CHECKS: readonly Check[] = [
  {
    id: 'health/body',
    rules: ['interface Health response', 'D33'],
    title: 'GET /health answers name, version 1.0 and status ok, and nothing else',
    fix: 'Answer {"name": <agent name>, "version": "1.0", "status": "ok"} with status 200.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await getHealth(context)
      expectStatus(reply, 200)
      const health = expectKeys(expectJson(reply), ['name', 'version', 'status'], 'the body')
      expectEqual(health['version'], '1.0', 'version')
      expectEqual(health['status'], 'ok', 'status')
      expectThat(
        typeof health['name'] === 'string' && health['name'] !== '',
        'name to be a text',
        health['name'],
      )
    },
  },
  {
    id: 'health/name',
    rules: ['interface Health response', 'interface 1.2'],
    title: 'GET /health and GET /about give the same name',
    fix: 'Take both names from the one declaration.',
    needs: NEEDS.nothing,
    async run(context) {
      const { declaration } = await context.agent()
      const { json } = await getHealth(context)
      expectEqual((json as { name?: unknown } | undefined)?.name, declaration.name, 'name')
    },
  },
  {
    id: 'health/json',
    rules: ['interface GET /health'],
    title: 'GET /health is sent as application/json',
    fix: 'Set Content-Type: application/json.',
    needs: NEEDS.nothing,
    run: async context => expectJsonType(await getHealth(context)),
  },
  {
    id: 'health/head',
    rules: ['D15'],
    title: 'HEAD /health answers 200 without a body',
    fix: 'Answer HEAD wherever GET is answered.',
    needs: NEEDS.nothing,
    run: context => expectHead(context, '/health'),
  },
  {
    id: 'health/query',
    rules: ['D15'],
    title: 'GET /health ignores a query string',
    fix: 'Route by the path alone.',
    needs: NEEDS.nothing,
    async run(context) {
      const plain = await getHealth(context)
      expectEqual(
        (await context.send({ method: 'GET', path: '/health?x=1&y' })).text,
        plain.text,
        'the same body',
      )
    },
  },
  {
    id: 'health/open',
    rules: ['interface Authentication 1'],
    title: 'GET /health needs no authentication and ignores payment headers',
    fix: 'Keep every gate inside POST /execute.',
    needs: NEEDS.nothing,
    async run(context) {
      const headers = { 'payment-signature': '!', authorization: 'Bearer none' }
      expectStatus(await context.send({ method: 'GET', path: '/health', headers }), 200)
    },
  },
]

/** Throws a `Mismatch` unless the response has the JSON content type. */
export function expectJsonType(reply: Reply): void {
  const type = reply.headers.get('content-type') ?? ''
  expectThat(/^application\/json(?:$|;)/.test(type), 'Content-Type application/json', type)
}

/** Throws a `Mismatch` unless `HEAD` has the same response as `GET`, without the body. */
export async function expectHead(context: CheckContext, path: string): Promise<void> {
  const reply = await context.send({ method: 'HEAD', path })
  expectStatus(reply, 200)
  expectEqual(reply.text, '', 'a body of')
  expectJsonType(reply)
}

async function getHealth(context: CheckContext): Promise<Reply> {
  return await context.send({ method: 'GET', path: '/health' })
}
