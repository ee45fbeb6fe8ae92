import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { expect, test } from 'vitest'
import { MARK } from './planted.ts'
import { findSuspects } from './scan-output.ts'

test.each([
  ['a planted secret', `x ${MARK}-x`],
  ['a planted secret', Buffer.from(`{"a":"${MARK}-x"}`).toString('base64')],
  ['a FACILITATOR_SECRET', `token fbx_${'0a'.repeat(8)}_${'Ab-_9'.repeat(10)}f is wrong`],
  ['a signature or a signed transaction', `0x${'Ab'.repeat(65)}`],
  ['a payment header', Buffer.from(JSON.stringify({ payload: 'x'.repeat(400) })).toString('base64')],
  ['a bearer token', 'authorization: Bearer abcdef0123456789'],
  ['a password in a URL', 'redis://:password@127.0.0.1:6379/0'],
  ['the private key of a test account', TEST_KEYS.payer.privateKey],
])('%s is known by its form', (what, line) => {
  const [suspect] = findSuspects('log', `fine\n${line}\n`)
  expect(suspect).toMatchObject({ what, source: 'log' })
  expect(suspect?.line).toContain('█')
})

test('the lines of an ordinary job are above suspicion', () => {
  const lines = [
    `execute job=${crypto.randomUUID()} capability=count`,
    `payment verified job=${crypto.randomUUID()} payer=${TEST_KEYS.payer.address} amount=0.002`,
    `completed job=${crypto.randomUUID()} transaction=0x${'ab'.repeat(32)}`,
    '{"event":"listening","url":"http://127.0.0.1:4010"}',
    'warning: the facilitator refused FACILITATOR_SECRET',
  ]
  expect(findSuspects('log', lines.join('\n'))).toEqual([])
})
