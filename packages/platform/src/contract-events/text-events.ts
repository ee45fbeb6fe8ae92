import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type * as AbiEvent from 'ox/AbiEvent'

/**
 * An event whose texts are decoded as bytes, which have the same form in a log: the library takes the zero bytes at the
 * beginning of a text away, and what a contract said is hashed and compared.
 *
 * @param event with each `string` as `bytes`
 * @param hash the first topic of the event as the contract declares it
 */
export function textAsBytes<Event extends AbiEvent.AbiEvent>(event: Event, hash: `0x${string}`): Event {
  return { ...event, hash }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of such bytes; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: `0x${string}`): string {
  return decoder.decode(fromHex(bytes))
}
