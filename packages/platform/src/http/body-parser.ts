import { holdsInfinity } from '@farebox/client/internal/exchange/parse-json'
import { isCompressed } from '@farebox/protocol/internal/body/is-compressed'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'
import { LARGE_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_PIECES } from '@farebox/protocol/limits'
import type { UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'
import type { RequestBodies } from '@farebox/server/internal/request-bodies'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpRefusal } from './answer-failure.ts'
import { mayHoldUnstorable } from '../unstorable.ts'
import { refuseUnstorable } from './check-request.ts'
import { loopTurns } from './loop-turns.ts'
import { Refusal } from './refusal.ts'

/**
 * Reads request bodies: JSON or empty, valid UTF-8, nested no deeper than a job (D15), with finite numbers and texts that
 * can be stored. Any other content type is answered with 415.
 */
export function addBodyParser(app: FastifyInstance, bodies: RequestBodies): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!bodies.begin(request.raw, reply.raw, request.routeOptions.bodyLimit ?? 0)) reply.hijack()
    else done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (bodies.isLast(request.raw)) reply.header('connection', 'close')
    done(null, payload)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async ({ raw }: FastifyRequest): Promise<unknown> => {
    const body = await bodies.read(raw)
    if (typeof body === 'string') throw refuseUnread(body)
    return body.length > LARGE_BODY_BYTES ? await loopTurns.take(() => parseBody(body)) : parseBody(body)
  })
}

function refuseUnread(why: UnreadBody): Error {
  switch (why) {
    case 'too large':
      return new HttpRefusal(413, 'body: is larger than this route takes')
    case 'too many pieces':
      return new HttpRefusal(413, `body: comes in more than ${MAX_BODY_PIECES} pieces`)
    case 'no room':
      return new Refusal('unavailable', 'too many large requests at once: come back')
    case 'gone':
      return new Refusal('validation', 'body: broke off')
  }
}

function parseBody(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  if (nestsDeeperThan(body, MAX_BODY_DEPTH))
    throw new Refusal('validation', `body: is nested deeper than ${MAX_BODY_DEPTH} levels`)
  const text = decode(body)
  const parsed: unknown = parseJson(text)
  if (holdsInfinity(parsed))
    throw new Refusal('validation', 'body: has a number that is too large, like 1e400')
  if (mayHoldUnstorable(text)) refuseUnstorable('body', parsed)
  return parsed
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Refusal(
      'validation',
      `body: ${isCompressed(body) ? 'must not be compressed' : 'is no valid UTF-8'}`,
    )
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('validation', 'body: is no valid JSON')
  }
}
