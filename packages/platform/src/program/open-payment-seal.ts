import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EnvironmentError } from '@farebox/server/internal/environment'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { createPaymentSeal, type PaymentSeal } from '../sealing/payment-seal.ts'
import { claimPaymentKey } from '../sealing/claim-payment-key.ts'
import type { PlatformEnvironment } from './read-environment.ts'

const FILE = 'payment-key'

/**
 * Opens the seal for payments that this process writes to the database. When no key is set, which is allowed for a
 * platform on one machine, the key is kept in a file in the data folder, created at the first start.
 *
 * @throws EnvironmentError when the database contains payments encrypted with another key, or when the file does not
 * contain a key
 */
export async function openPaymentSeal(
  { paymentKey, paymentKeyBefore, dataFolder }: PlatformEnvironment,
  database: Database,
): Promise<PaymentSeal> {
  const seal = createPaymentSeal(paymentKey ?? (await readOrCreateKey(dataFolder)), paymentKeyBefore)
  if (await claimPaymentKey(database, seal)) return seal
  throw new EnvironmentError(
    'PAYMENT_ENCRYPTION_KEY is not the key that the payments in this database are encrypted with: ' +
      'give that key, or a new one together with it as PAYMENT_ENCRYPTION_KEY_BEFORE',
  )
}

async function readOrCreateKey(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, FILE)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`0x${randomBytes(32).toString('hex')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const key = (await readFile(path, 'utf8')).trim()
  if (/^0x[0-9a-f]{64}$/i.test(key)) return key
  throw new EnvironmentError(
    `PAYMENT_ENCRYPTION_KEY is not set, and ${FILE} in PLATFORM_DATA does not hold 0x and 64 hex digits`,
  )
}
