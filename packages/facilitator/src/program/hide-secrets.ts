import { createSecretFilter, secretsInUrl, type SecretFilter } from '@farebox/payments/http/secret-filter'
import type { FacilitatorEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function hideSecretsOf(environment: FacilitatorEnvironment): SecretFilter {
  const { adminToken, databaseUrl, directDatabaseUrl, relayerKey, rpcUrl, secondRpcUrl } = environment
  const urls = [databaseUrl, directDatabaseUrl, rpcUrl, secondRpcUrl]
  return createSecretFilter([relayerKey, adminToken, ...urls.flatMap(url => secretsInUrl(url))])
}
