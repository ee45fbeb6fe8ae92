import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { createFacilitatorClient, type FacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import type { Environment } from '../environment/read-environment.ts'
import type { Log } from '../log.ts'
import { refuseAbilities } from '../payment-gate/facilitator-abilities.ts'

const ASK_MS = 5_000

/**
 * Asks the facilitator once which networks and extensions it supports and whether it accepts the secret, and logs a
 * warning when payments could not be taken: a warning at the start is better than a failure of the first job (D11,
 * D12). Never rejects; the start does not wait for it. Does nothing in dev mode, and without a secret, which has its
 * own warning.
 */
export async function warnOfFacilitator(environment: Environment, log: Log): Promise<void> {
  const { devMode, facilitatorUrl: url, facilitatorSecret: secret, network, rpcUrl } = environment
  if (devMode || secret === undefined) return
  const facilitator = createFacilitatorClient({ url, secret })
  // The URL may contain credentials, so only its origin is logged.
  const at = new URL(url).origin
  try {
    const supported = await facilitator.supported({ timeoutMs: ASK_MS })
    const refusal = refuseAbilities(supported, {
      network,
      asksChain: rpcUrl !== undefined,
    })
    if (refusal !== undefined)
      log.warn('no payments can be accepted; paid requests will be answered 500', { reason: refusal, at })
    else if (!supported.extensions.includes(HOLD_EXTENSION))
      log.warn(
        'the facilitator does not bind payments to jobs: agents that share a wallet but not a store may both answer ' +
          'for one payment; give each agent a wallet of its own',
        { at, FACILITATOR_SECRET: 'not checked' },
      )
    else if (!(await takesSecret(facilitator)))
      log.warn(
        'the facilitator refuses FACILITATOR_SECRET; paid requests will be answered 401; ' +
          'npx farebox secret create --env makes one for this wallet, or ask who runs FACILITATOR_URL',
        { at },
      )
  } catch (error) {
    log.warn('the facilitator does not answer; paid requests will be answered 500 until it does', {
      at,
      cause: error instanceof Error && error.message !== '' ? error.message : 'no answer',
    })
  } finally {
    await facilitator.close().catch(() => undefined)
  }
}

/**
 * True when the facilitator accepts the secret, and when the request fails: a busy facilitator has not refused the
 * secret.
 */
async function takesSecret(facilitator: FacilitatorClient): Promise<boolean> {
  return await facilitator.takesSecret({ timeoutMs: ASK_MS }).catch(() => true)
}
