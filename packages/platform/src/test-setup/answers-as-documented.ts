import { failure } from '@farebox/platform-api/errors'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { closed } from '../http/check-request.ts'
import type { Route } from '../http/route.ts'

/**
 * Asks as {@link FastifyInstance.inject} does, and holds every answer to what its route documents: a documented status
 * with exactly the documented keys and values, or the envelope of
 * failures. Preflights and HEAD are not looked at.
 *
 * Rejects with what differs.
 */
export function answersAsDocumented(
  app: FastifyInstance,
  routes: readonly Route[],
): (request: InjectOptions) => Promise<LightMyRequestResponse> {
  return async request => {
    const answer = await app.inject(request)
    if (request.method !== 'HEAD' && request.method !== 'OPTIONS') checkAnswer(routes, request, answer)
    return answer
  }
}

function checkAnswer(
  routes: readonly Route[],
  { method = 'GET', url = '' }: InjectOptions,
  answer: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>,
): void {
  const path = typeof url === 'string' ? url.split('?')[0] : (url.pathname ?? '')
  const what = `${method} ${path} ${answer.statusCode}`
  const route = routes.find(one => one.method === method.toUpperCase() && matches(one.path, path ?? ''))
  const documented = route?.answers[answer.statusCode]
  if (documented === undefined && answer.statusCode < 400) throw new Error(`${what} is not documented`)
  if (documented?.schema === undefined && answer.statusCode < 400) return
  const schema = documented?.schema ?? failure
  if (!String(answer.headers['content-type']).startsWith('application/json'))
    throw new Error(`${what} is no JSON, but documented so`)
  const result = closed(schema).safeParse(JSON.parse(answer.body))
  if (!result.success) throw new Error(`${what} is not as documented: ${z.prettifyError(result.error)}`)
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(':') || part === given[index])
  )
}
