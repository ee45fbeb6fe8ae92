import { makeSigningKey, type KeySet, type MadeKey } from '@farebox/platform-api/receipt-keys'
import { signReceipt, type Receipt } from '@farebox/platform-api/receipt'
import { expect, test } from 'vitest'
import { createReceiptCheck } from './check-receipt.ts'

const ISSUER = 'https://platform.example'
const RECEIPT: Receipt = {
  v: 1,
  iss: ISSUER,
  job: 'a'.repeat(64),
  agent_id: 1,
  endpoint: 'https://agent.example',
  capability: 'count',
  input: 'b'.repeat(64),
  output: 'c'.repeat(64),
  amount: '0.01',
  amount_atomic: '10000',
  asset: `0x${'1'.repeat(40)}`,
  network: 'eip155:84532',
  payer: `0x${'2'.repeat(40)}`,
  pay_to: `0x${'3'.repeat(40)}`,
  transaction: `0x${'4'.repeat(64)}`,
  completed_at: 1_800_000_000,
  iat: 1_800_000_001,
}

/** A platform that returns these key sets one after another; undefined: it does not answer. */
function platformOf(...sets: readonly (readonly MadeKey[] | undefined)[]) {
  let asked = 0
  const askKeys = async (): Promise<KeySet> => {
    const made = sets[Math.min(asked, sets.length - 1)]
    asked += 1
    if (made === undefined) throw new Error('no answer')
    return { keys: made.map(({ publicJwk }) => publicJwk), issuer: ISSUER }
  }
  return { check: createReceiptCheck(askKeys, ISSUER), asked: () => asked }
}

test('requests the keys once while a receipt is typed character by character', async () => {
  const key = await makeSigningKey()
  const { check, asked } = platformOf([key])
  const jws = await signReceipt(RECEIPT, key)
  for (let length = 1; length < jws.length; length += 1)
    expect((await check(jws.slice(0, length))).ok).toBe(false)
  expect(await check(jws)).toMatchObject({ ok: true, receipt: RECEIPT })
  expect(asked()).toBe(1)
})

test('requests the keys once more for a key that was made after they were loaded', async () => {
  const [old, made] = [await makeSigningKey(), await makeSigningKey()]
  const { check, asked } = platformOf([old], [old, made])
  expect((await check(await signReceipt(RECEIPT, old))).ok).toBe(true)
  expect((await check(await signReceipt(RECEIPT, made))).ok).toBe(true)
  expect(asked()).toBe(2)
})

test('requests a key that the platform does not have once, however often its receipt is checked', async () => {
  const { check, asked } = platformOf([await makeSigningKey()])
  const jws = await signReceipt(RECEIPT, await makeSigningKey())
  const reason = 'it is signed with a key that is not in the key set'
  expect(await check('not a receipt')).toMatchObject({ ok: false })
  expect(await check(jws)).toEqual({ ok: false, reason })
  expect(await check(jws)).toEqual({ ok: false, reason })
  expect(asked()).toBe(2)
})

test('requests the keys again for the next receipt after loading them has failed', async () => {
  const key = await makeSigningKey()
  const { check } = platformOf(undefined, [key])
  const jws = await signReceipt(RECEIPT, key)
  await expect(check(jws)).rejects.toThrow('no answer')
  expect((await check(jws)).ok).toBe(true)
})
