import { randomBytes } from 'node:crypto'
import { createHttpApp } from '@farebox/facilitator/src/http/create-app'
import { DEFAULT_LIMITS } from '@farebox/facilitator/facilitator-limits'
import { addOwnersRoutes } from '@farebox/facilitator/src/http/owners-routes'
import { addSecretsRoutes } from '@farebox/facilitator/src/http/secrets-routes'
import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'

/** The real facilitator's administration of secrets, as the platform calls it, without a chain. */
export interface SecretsFacilitator {
  readonly url: string
  readonly adminToken: string
  /** Holds this many payments of an owner, each of a different payer, for a minute. */
  hold(owner: string, count: number): Promise<void>
  close(): Promise<void>
}

/** Serves it on its own port. */
export async function serveSecrets({
  crypto,
  clock,
}: {
  readonly crypto: EvmCrypto
  readonly clock: Clock
}): Promise<SecretsFacilitator> {
  const adminToken = 'a-service-token-of-the-tests'
  const app = createHttpApp(silentLog)
  const { secrets, owners, payments } = createMemoryLedger(clock)
  const limits = DEFAULT_LIMITS.owners
  addSecretsRoutes(app, { secrets, crypto, clock, adminToken })
  addOwnersRoutes(app, { owners, limits, clock, adminToken })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    adminToken,
    async hold(owner, count) {
      for (let held = 0; held < count; held += 1) {
        const now = nowSeconds(clock)
        const [nonce, from] = [hex(32), hex(20)]
        const terms = { from, to: owner, value: '1', validAfter: '0', validBefore: String(now + 60), nonce }
        await payments.hold({
          payment: { key: nonce, network: '', asset: '', authorization: terms, signature: '' },
          binding: nonce,
          trace: '1'.repeat(32),
          owner,
          secretId: '',
          holdId: nonce,
          holdUntil: Math.ceil(now + 60),
          nowSeconds: now,
          observed: { balanceAtomic: 1n, blockNumber: 1n },
          alone: false,
          limits,
        })
      }
    },
    close: () => app.close(),
  }
}

function hex(bytes: number): string {
  return `0x${randomBytes(bytes).toString('hex')}`
}
