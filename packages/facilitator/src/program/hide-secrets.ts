import { createSecretFilter, secretsInUrl, type SecretFilter } from '@farebox/payments/secret-filter'
import type { FacilitatorEnvironment } from './read-environment.ts'

/** Hides what the environment tells this process in confidence, before a text leaves it (OPS-08). */
export function hideSecretsOf(environment: FacilitatorEnvironment): SecretFilter {
  const { adminToken, databaseUrl, relayerKey, rpcUrl } = environment
  return createSecretFilter([relayerKey, adminToken, ...secretsInUrl(databaseUrl), ...secretsInUrl(rpcUrl)])
}
