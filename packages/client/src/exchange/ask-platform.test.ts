import { nothing } from '@farebox/platform-api/errors'
import { signInTerms } from '@farebox/platform-api/owners'
import { expect, test } from 'vitest'
import { askPlatform } from './ask-platform.ts'
import { connectionOf } from './client-options.ts'
import type { AnswerSchema } from './read-answer.ts'

const url = 'https://platform.example/v1/x'

function ask<T>(answer: Response, schema: AnswerSchema<T>): Promise<T> {
  const connection = connectionOf({ fetch: () => Promise.resolve(answer) })
  return askPlatform(connection, { method: 'DELETE', url, schema })
}

test('a 204 is a response when no content is expected, and none when content is', async () => {
  expect(await ask(new Response(null, { status: 204 }), nothing)).toBeNull()
  await expect(ask(new Response(null, { status: 204 }), signInTerms)).rejects.toMatchObject({
    name: 'PlatformUnreachable',
    flaw: 'is empty',
  })
})

test('a refusal has the complete message, and when to retry', async () => {
  const error = `slow down${'.'.repeat(600)}`
  const body = { status: 'failed', error_type: 'rate_limited', error }
  const answer = Response.json(body, { status: 429, headers: { 'retry-after': '7' } })
  await expect(ask(answer, nothing)).rejects.toMatchObject({
    name: 'PlatformRefused',
    httpStatus: 429,
    reason: error,
    retryAfterSeconds: 7,
  })
})

test.each([
  ['HTML', new Response('<p>', { headers: { 'content-type': 'text/html' } }), 'is not JSON'],
  ['an error that is no platform’s', Response.json({}, { status: 500 }), 'is HTTP 500'],
  ['an answer of another form', Response.json({}), undefined],
])('a server that answers %s is not a platform', async (_, answer, flaw) => {
  await expect(ask(answer, signInTerms)).rejects.toMatchObject({ name: 'PlatformUnreachable', flaw })
})
