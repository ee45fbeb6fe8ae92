import { createHmac } from 'node:crypto'

/** Carries the time and the signature of a notice. */
export const SIGNATURE_HEADER = 'farebox-signature'

/**
 * The value of {@link SIGNATURE_HEADER}: `t=<Unix seconds>,v1=<hex>`, where the second is HMAC-SHA256 under the webhook's
 * secret over `<t>.<body>`. Who receives it computes the same over the bytes that came, compares in constant time, and
 * refuses what is older than a few minutes.
 */
export function signDelivery(secret: string, body: string, atSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
  return `t=${atSeconds},v1=${signature}`
}
