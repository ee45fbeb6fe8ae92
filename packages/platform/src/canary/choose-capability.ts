import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { SampleResult } from '@farebox/protocol/samples/sample'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'

/**
 * The most that one canary job may cost: 0.05 USDC. A stake of 0.001 ETH (D36) has been worth more than twenty times that
 * for years, so registering an agent to collect these payments does not pay.
 */
const MAX_CANARY_PRICE_ATOMIC = 50_000n

/** The capability and input for a canary job, or the reason why there is none. */
export type Chosen =
  | {
      readonly ok: true
      readonly capability: string
      readonly input: JsonObject
      readonly priceAtomic: bigint
    }
  | { readonly ok: false; readonly reason: string }

/**
 * Chooses the cheapest capability that asks for no spend permission and for which a valid input can be generated,
 * preferably from declared examples.
 *
 * @param sample generates an input that matches a schema
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
