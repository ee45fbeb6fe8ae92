import { holdsInfinity } from '@farebox/client/parse-json'
import { nestsDeeperThan } from '@farebox/protocol/job/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './refusal.ts'

/**
 * Reads bodies, which are JSON or nothing: UTF-8, nested no deeper than a job's (D15), with numbers that can be written
 * again. Every other content type is answered 415.
 */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    try {
      done(null, parseBody(body))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

function parseBody(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  if (nestsDeeperThan(body, MAX_BODY_DEPTH))
    throw new Refusal('validation', `body: is nested deeper than ${MAX_BODY_DEPTH} levels`)
  const parsed: unknown = parseJson(decode(body))
  if (holdsInfinity(parsed))
    throw new Refusal('validation', 'body: has a number that is too large, like 1e400')
  return parsed
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Refusal('validation', 'body: is no valid UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('validation', 'body: is no valid JSON')
  }
}
