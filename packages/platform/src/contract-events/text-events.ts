import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type * as AbiEvent from 'ox/AbiEvent'

interface Input {
  readonly type: string
  readonly components?: readonly Input[]
}

/**
 * An ABI event whose texts are decoded as bytes, because `ox` drops leading zero bytes of a text and a permission's text is
 * hashed. Both types have the same encoding in a log, and the hash of the event does not change. Use {@link textOf} to get
 * the text.
 */
export function textsAsBytes<Event extends AbiEvent.AbiEvent>(event: Event): Event {
  return { ...event, inputs: event.inputs.map(asBytes) }
}

function asBytes<Of extends Input>(input: Of): Of {
  const components = input.components?.map(asBytes)
  const type = input.type.replace(/^string\b/, 'bytes')
  return { ...input, type, ...(components !== undefined && { components }) }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes a text; bytes that are not UTF-8 become U+FFFD. */
export function textOf(decoded: string): string {
  return decoder.decode(fromHex(decoded))
}
