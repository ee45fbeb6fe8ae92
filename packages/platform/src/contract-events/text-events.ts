import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type * as AbiEvent from 'ox/AbiEvent'

interface Input {
  readonly type: string
  readonly components?: readonly Input[]
}

/**
 * An event of an ABI, with its texts decoded as bytes: `ox` drops the zero bytes at the beginning of a text, and the text of
 * a permission is hashed. Both types have the same form in a log; the hash of the event stays. {@link textOf} makes the text.
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

/** The text; bytes that are not UTF-8 become U+FFFD. */
export function textOf(decoded: string): string {
  return decoder.decode(fromHex(decoded))
}
