import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createFacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Environment } from '../environment/read-environment.ts'
import type { Payments } from '../execute/service/service.ts'
import type { Log } from '../log.ts'
import { createFacilitatorClock } from '../payment-gate/facilitator-clock.ts'
import { createFacilitatorGate } from '../payment-gate/facilitator-gate.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'

/**
 * Opens the signature verifier and the payment gate according to the environment; functions that close them are added
 * to `closers`. When a gate is given, the facilitator is not called.
 */
export async function openPayments(
  environment: Environment,
  parts: {
    readonly clock: Clock
    readonly log: Log
    readonly closers: (() => Promise<void>)[]
    readonly gate: PaymentGate | undefined
  },
): Promise<Payments> {
  const { clock, log, closers } = parts
  const { network, facilitatorSecret: secret, facilitatorUrl: url, rpcUrl, publicUrl } = environment
  const crypto = await loadEvmCrypto({
    onFallback: reason =>
      log.warn('the native signature library did not load; payments are verified several times more slowly', {
        reason,
      }),
  })
  const openGate = (known: string): PaymentGate => {
    const facilitatorClock = createFacilitatorClock(clock, log)
    const facilitator = createFacilitatorClient({ url, secret: known, dates: facilitatorClock })
    const rpc = rpcUrl === undefined ? undefined : createJsonRpc(rpcUrl)
    closers.push(
      () => facilitator.close(),
      async () => rpc?.close(),
    )
    return createFacilitatorGate({ facilitator, network, rpc, clock, log, facilitatorClock })
  }
  return {
    crypto,
    verifier: createSignatureVerifier(crypto, [network]),
    gate: parts.gate ?? (secret === undefined ? undefined : openGate(secret)),
    networkId: network.id,
    executeUrl: publicUrl === undefined ? undefined : `${publicUrl}/execute`,
  }
}
