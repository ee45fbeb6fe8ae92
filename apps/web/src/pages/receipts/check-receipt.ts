import '../../site/without-eval.ts'
import { verifyReceipt, type ReceiptVerdict } from '@farebox/platform-api/receipt'

/** Checks a receipt against the platform's keys. Nothing is thrown, whatever the text. */
export async function checkReceipt(jws: string, keys: unknown): Promise<ReceiptVerdict> {
  return await verifyReceipt(jws, keys, location.origin)
}
