import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { FacilitatorEnvironment } from './read-environment.ts'

/** Redacts the secrets of the environment from a text before it leaves the process (OPS-08). */
export function facilitatorRedactor(environment: FacilitatorEnvironment): Redactor {
  const { adminToken, databaseUrl, directDatabaseUrl, relayerKeys, rpcUrl, secondRpcUrl } = environment
  const urls = [databaseUrl, directDatabaseUrl, rpcUrl, secondRpcUrl]
  return createRedactor([...relayerKeys, adminToken, ...urls.flatMap(url => secretsInUrl(url))])
}
