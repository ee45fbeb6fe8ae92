import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PaymentSeal } from '../sealing/payment-seal.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { openPaymentSeal } from './open-payment-seal.ts'
import type { PlatformEnvironment } from './read-environment.ts'

const FIRST = `0x${'11'.repeat(32)}`
const SECOND = `0x${'22'.repeat(32)}`
const JOB = '5f0c1a52-6f0e-4b8a-9d51-0a2f4be391aa'

let stage: Stage
let folder: string
beforeAll(async () => (stage = await stagePlatform()))
afterAll(async () => await stage.close())
beforeEach(async () => {
  await stage.database.query('empty', 'truncate payment_keys')
  folder = await mkdtemp(join(tmpdir(), 'farebox-key-'))
})
afterEach(async () => await rm(folder, { recursive: true, force: true }))

async function openWith(paymentKey?: string, paymentKeyBefore?: string): Promise<PaymentSeal> {
  const environment = { paymentKey, paymentKeyBefore, dataFolder: join(folder, 'data') }
  // The part of the environment that it reads.
  return await openPaymentSeal(environment as PlatformEnvironment, stage.database)
}

test('without a key one is created once, in a file that only its owner can read', async () => {
  const [seal, again] = [await openWith(), await openWith()]
  expect(again.open(JOB, seal.seal(JOB, 'payment'))).toBe('payment')
  const path = join(folder, 'data', 'payment-key')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const { rows } = await stage.database.pool.query('select * from payment_keys')
  expect(JSON.stringify(rows)).not.toContain((await readFile(path, 'utf8')).trim().slice(2))
  await writeFile(path, 'not a key')
  await expect(openWith()).rejects.toThrow('payment-key in PLATFORM_DATA does not hold')
})

test('a process with another key than the database was written with does not start', async () => {
  await openWith(FIRST)
  await expect(openWith(SECOND)).rejects.toThrow('PAYMENT_ENCRYPTION_KEY is not the key')
  await openWith(FIRST)
})

test('a key is replaced by a new one beside it, after which the old one alone is refused', async () => {
  const sealed = (await openWith(FIRST)).seal(JOB, 'payment')
  expect((await openWith(SECOND, FIRST)).open(JOB, sealed)).toBe('payment')
  await expect(openWith(FIRST)).rejects.toThrow('PAYMENT_ENCRYPTION_KEY is not the key')
  await openWith(SECOND)
})
