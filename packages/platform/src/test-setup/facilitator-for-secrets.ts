import { createApp } from '@farebox/facilitator/src/http/create-app'
import { DEFAULT_LIMITS } from '@farebox/facilitator/facilitator-limits'
import { addOwnersRoutes } from '@farebox/facilitator/src/http/owners-routes'
import { addSecretsRoutes } from '@farebox/facilitator/src/http/secrets-routes'
import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Clock } from '@farebox/server/clock'
import { silentLog } from '@farebox/server/log'

/** Our own facilitator's administration of secrets, as it answers the platform, without a chain. */
export interface SecretsFacilitator {
  readonly url: string
  readonly adminToken: string
  close(): Promise<void>
}

/** Serves it on a port of its own. */
export async function serveSecrets(parts: {
  readonly crypto: EvmCrypto
  readonly clock: Clock
}): Promise<SecretsFacilitator> {
  const adminToken = 'a-service-token-of-the-tests'
  const app = createApp(silentLog)
  const { secrets, owners } = createMemoryLedger(parts.clock)
  addSecretsRoutes(app, { secrets, ...parts, adminToken })
  addOwnersRoutes(app, { owners, limits: DEFAULT_LIMITS.owners, clock: parts.clock, adminToken })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, adminToken, close: () => app.close() }
}
