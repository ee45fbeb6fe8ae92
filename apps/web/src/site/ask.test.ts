import { expect, test } from 'vitest'
import { answers } from './answers.ts'
import { createAsk, type ApiAnswer } from './ask.ts'

function askOf(answer: Partial<ApiAnswer> | Error) {
  const headers = { get: (name: string) => (name === 'retry-after' ? '7' : null) }
  return createAsk(async () => {
    if (answer instanceof Error) throw answer
    return { status: 200, headers, body: undefined, ...answer }
  })
}

test('an answer is returned as its schema parses it, without the fields that a newer platform adds', async () => {
  const body = { share_id: 'abc', since: 5 }
  expect(await askOf({ body })('/', answers.flowShared)).toEqual({ share_id: 'abc' })
  expect(await askOf({ status: 204 })('/', answers.none)).toBeNull()
})

const SESSION = {
  session_id: 'b9d1f0a2-7c54-4f0e-9a3d-3f1c2e4b5a60',
  address: `0x${'a'.repeat(40)}`,
  created_at: 1_700_000_000,
  used_at: 1_700_000_060,
  expires_at: 1_700_600_000,
  origin: 'terminal',
}

test.each([
  [{ state: 'waiting', since: 5 }, { state: 'waiting' }],
  [{ ...SESSION, since: 5 }, SESSION],
])('an answer of two schemas is read without fields of a newer platform: %j', async (body, read) => {
  expect(await askOf({ body })('/', answers.browserSignInClaimed)).toEqual(read)
})

test.each([
  [{ share_id: 7 }, 'share_id'],
  [{}, 'share_id'],
  ['text', 'answer'],
  [undefined, 'answer'],
])('an answer of %j leaves the outcome unknown, and the sentence names the field', async (body, field) => {
  await expect(askOf({ body })('/', answers.flowShared)).rejects.toMatchObject({
    status: 0,
    type: 'internal',
    message: expect.stringMatching(
      new RegExp(`^The platform sent an invalid response, .* The field “${field}” is not .* received .*\\.$`),
    ),
  })
})

test('a refusal has the platform’s own sentence, and the time to ask again', async () => {
  const body = { status: 'failed', error_type: 'conflict', error: 'flow: was changed', current: {} }
  await expect(askOf({ status: 409, body })('/', answers.savedFlow)).rejects.toMatchObject({
    message: 'flow: was changed',
    status: 409,
    type: 'conflict',
    retryAfter: 7,
  })
  await expect(askOf({ status: 502, body: '<html>' })('/', answers.me)).rejects.toMatchObject({
    message: 'The platform returned status 502.',
    status: 502,
    type: 'internal',
  })
})

test('a missing answer is a failure without a status, unless the request was aborted', async () => {
  const ask = askOf(new TypeError('network'))
  await expect(ask('/', answers.me)).rejects.toMatchObject({ status: 0, type: 'no_answer' })
  await expect(ask('/', answers.me, { signal: AbortSignal.abort() })).rejects.toThrow('network')
})

test('a change is not sent before its answer can be parsed, because a secret is shown once', async () => {
  const sent: string[] = []
  const ask = createAsk(async path => {
    sent.push(path)
    return { status: 201, headers: { get: () => null }, body: {} }
  })
  const unloadable = () => Promise.reject(new TypeError('the chunk is gone'))
  await expect(ask('/v1/me/secrets', unloadable, { method: 'POST' })).rejects.toMatchObject({ status: 0 })
  expect(sent).toEqual([])
})

interface AnyDef {
  readonly type: string
  readonly [part: string]: unknown
}

/** The kinds of the schemas from which a schema is made; plain unions are `union`. */
function* kindsOf(schema: unknown, seen = new Set<unknown>()): Generator<string> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  const def = (schema as { readonly _zod?: { readonly def: AnyDef } })._zod?.def
  if (def === undefined) {
    for (const part of Object.values(schema)) yield* kindsOf(part, seen)
    return
  }
  const { type, getter, ...parts } = def
  yield type === 'union' && def['discriminator'] === undefined ? 'union' : type === 'union' ? 'choice' : type
  for (const part of Object.values(parts)) yield* kindsOf(part, seen)
  if (typeof getter === 'function') yield* kindsOf(getter(), seen)
}

test.each(Object.entries(answers))(
  '%s has no plain union, in which fields of a newer platform could not be left out',
  async (_, answer) => {
    expect([...kindsOf(await answer())]).not.toContain('union')
  },
)
