import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { SampleResult } from '@farebox/protocol/samples/sample'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'

/**
 * What one daily job may cost: 0.05 USDC. A stake of 0.001 ETH (D36) has been worth more than twenty times that for
 * years, so that nobody stakes for the sake of what these jobs pay.
 */
const MAX_CANARY_PRICE_ATOMIC = 50_000n

/** What an agent is tried with, or why it is not tried. */
export type Chosen =
  | {
      readonly ok: true
      readonly capability: string
      readonly input: JsonObject
      readonly priceAtomic: bigint
    }
  | { readonly ok: false; readonly reason: string }

/**
 * The cheapest capability for which a valid input can be made, from declared examples first, and that spends nothing of
 * its own of the caller's.
 *
 * @param sample makes an input that a schema takes
 */
export async function chooseCapability(
  { capabilities }: Declaration,
  sample: (fields: FieldMap) => Promise<SampleResult>,
): Promise<Chosen> {
  const priced = Object.entries(capabilities).flatMap(([name, capability]) => {
    const price = readPrice(capability.pricing.amount)
    return price.ok && capability.permissions === undefined
      ? [{ name, capability, atomic: price.atomic }]
      : []
  })
  priced.sort((one, other) => (one.atomic < other.atomic ? -1 : one.atomic > other.atomic ? 1 : 0))
  let reason = 'every capability asks for permission to spend'
  for (const { name, capability, atomic } of priced) {
    if (atomic > MAX_CANARY_PRICE_ATOMIC)
      return refuse(`it costs more than ${formatUsdc(MAX_CANARY_PRICE_ATOMIC)} USDC a job`)
    const made = await sample(capability.input_schema)
    if (made.ok) return { ok: true, capability: name, input: made.value, priceAtomic: atomic }
    reason = `no sample input: ${name}.${made.violation.field}: ${made.violation.reason}`
  }
  return refuse(reason)
}

function refuse(reason: string): Chosen {
  return { ok: false, reason }
}
