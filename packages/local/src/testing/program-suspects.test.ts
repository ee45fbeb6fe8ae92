import { channel } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { TEST_KEYS } from '../chain/test-keys.ts'
import { CHILD_LINES } from '../processes/child-process.ts'
import { PLANTED_MARK, suspectsIn } from './program-suspects.ts'

const agent = { command: '/usr/bin/node /opt/bin/farebox.js', pid: 7 }

test.each([
  ['a planted secret', `x ${PLANTED_MARK}-x`],
  ['a planted secret', Buffer.from(`{"a":"${PLANTED_MARK}-x"}`).toString('base64')],
  ['a FACILITATOR_SECRET', `token fbx_${'0a'.repeat(8)}_${'Ab-_9'.repeat(10)}f is wrong`],
  ['a signature or a signed transaction', `0x${'Ab'.repeat(65)}`],
  ['a payment header', Buffer.from(JSON.stringify({ payload: 'x'.repeat(400) })).toString('base64')],
  ['a bearer token', 'authorization: Bearer abcdef0123456789'],
  ['a password in a URL', 'redis://:password@127.0.0.1:6379/0'],
  ['the private key of a test account', TEST_KEYS.payer.privateKey],
])('OPS-08 %s is recognised by its form', (what, line) => {
  const [suspect] = suspectsIn({ ...agent, line })
  expect(suspect).toMatchObject({ what, source: 'bin/farebox.js' })
  expect(suspect?.line).toContain('█')
})

test('OPS-08 the lines of an ordinary job contain nothing that has the form of a secret', () => {
  const lines = [
    `execute job=${crypto.randomUUID()} capability=count`,
    `payment verified job=${crypto.randomUUID()} payer=${TEST_KEYS.payer.address} amount=0.002`,
    `completed job=${crypto.randomUUID()} transaction=0x${'ab'.repeat(32)}`,
    '{"event":"listening","url":"http://127.0.0.1:4010"}',
    'warning: the facilitator refused FACILITATOR_SECRET',
  ]
  expect(lines.flatMap(line => suspectsIn({ ...agent, line }))).toEqual([])
})

test('OPS-08 every test file scans the output of the programs that it starts', () => {
  expect(channel(CHILD_LINES).hasSubscribers).toBe(true)
})
