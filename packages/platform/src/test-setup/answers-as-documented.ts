import { failure } from '@farebox/platform-api/errors'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { closed } from '../http/check-request.ts'
import type { Route } from '../http/route.ts'

/**
 * Returns a function that sends a request like {@link FastifyInstance.inject}, and compares every response with the
 * documentation of its route: a documented status with exactly the documented keys and values, or the envelope of
 * failures. Responses to OPTIONS and HEAD are not compared.
 *
 * The function rejects with the difference.
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
  if (documented?.events !== undefined && isEventStream(answer)) {
    for (const { event, data } of readEvents(answer.body)) {
      const read = closed(documented.events[event] ?? z.never()).safeParse(data)
      if (!read.success)
        throw new Error(`${what}, ${event}: not as documented: ${z.prettifyError(read.error)}`)
    }
    return
  }
  if (documented?.schema === undefined && answer.statusCode < 400) return
  const schema = documented?.schema ?? failure
  if (!String(answer.headers['content-type']).startsWith('application/json'))
    throw new Error(`${what} is no JSON, but documented so`)
  const result = closed(schema).safeParse(JSON.parse(answer.body))
  if (!result.success) throw new Error(`${what} is not as documented: ${z.prettifyError(result.error)}`)
}

function isEventStream({ headers }: Pick<LightMyRequestResponse, 'headers'>): boolean {
  return String(headers['content-type']).startsWith('text/event-stream')
}

/** Parses the events of a stream that has ended; comments are omitted. */
export function readEvents(
  body: string,
): readonly { readonly event: string; readonly id: string | undefined; readonly data: unknown }[] {
  return body
    .split('\n\n')
    .filter(block => block.startsWith('event: '))
    .map(block => {
      const lines = new Map(
        block.split('\n').map(line => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      )
      const data: unknown = JSON.parse(lines.get('data') ?? 'null')
      return { event: lines.get('event') ?? '', id: lines.get('id'), data }
    })
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(':') || part === given[index])
  )
}
