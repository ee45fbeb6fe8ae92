import '../../site/without-eval.ts'
import { findKeyId, verifyReceipt, type ReceiptVerdict } from '@farebox/platform-api/receipt'
import type { KeySet } from '@farebox/platform-api/receipt-keys'

/** Checks a receipt given as any text. Rejects when the platform's keys cannot be loaded. */
export type CheckReceipt = (jws: string) => Promise<ReceiptVerdict>

/**
 * Creates a function that checks receipts against a platform's keys. The keys are requested once, and once more for each key
 * that a receipt names and the set lacks, because the platform may have made it since. After a failure, the next receipt
 * requests the keys again.
 *
 * @param issuer the origin of the platform
 */
export function createReceiptCheck(askKeys: () => Promise<KeySet>, issuer: string): CheckReceipt {
  let keys: Promise<KeySet> | undefined
  const askedFor = new Set<string>()
  const ask = async (): Promise<KeySet> => {
    keys = askKeys()
    try {
      return await keys
    } catch (error) {
      keys = undefined
      throw error
    }
  }
  const keysFor = async (keyId: string | undefined): Promise<KeySet> => {
    const isNew = keys === undefined
    const known = await (keys ?? ask())
    if (keyId === undefined || askedFor.has(keyId)) return known
    askedFor.add(keyId)
    return isNew || known.keys.some(({ kid }) => kid === keyId) ? known : await ask()
  }
  return async jws => await verifyReceipt(jws, await keysFor(readKeyId(jws)), issuer)
}

/** The key that a text names; undefined when the text is not a receipt, or names no key. */
function readKeyId(jws: string): string | undefined {
  try {
    return findKeyId(jws)
  } catch {
    return undefined
  }
}
