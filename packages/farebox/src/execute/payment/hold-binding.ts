import { toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

/**
 * The binding of a payment, as the facilitator stores it: keccak256 of agent, capability and job_id (D10). The parts
 * are joined as a JSON array, so that two different triples never have the same bytes.
 */
export function holdBinding(
  crypto: EvmCrypto,
  job: { readonly agent: string; readonly capability: string; readonly jobId: string },
): string {
  const named = JSON.stringify([job.agent, job.capability, job.jobId.toLowerCase()])
  return toHex(crypto.keccak256(new TextEncoder().encode(named)))
}
