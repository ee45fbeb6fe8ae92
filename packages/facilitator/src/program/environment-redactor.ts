import { createRedactor, secretsInUrl, type Redactor } from '@farebox/payments/internal/redact'
import type { FacilitatorEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function facilitatorRedactor(environment: FacilitatorEnvironment): Redactor {
  const { adminToken, databaseUrl, directDatabaseUrl, relayerKeys, rpcUrl, secondRpcUrl } = environment
  const urls = [databaseUrl, directDatabaseUrl, rpcUrl, secondRpcUrl]
  return createRedactor([...relayerKeys, adminToken, ...urls.flatMap(url => secretsInUrl(url))])
}
