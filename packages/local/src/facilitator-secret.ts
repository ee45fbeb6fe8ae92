import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CreateSecretRequest } from '@farebox/payments/x402/facilitator-api'
import { createJsonOrigin } from '@farebox/payments/internal/http/http-json'
import type { FacilitatorProcess } from './start-facilitator-process.ts'
import { writeDurably } from './processes/write-durably.ts'
import { START_LIMIT_MS } from './starting/wait-for-start.ts'

/** A facilitator with the token for its administration API. */
type Administration = Pick<FacilitatorProcess, 'url' | 'adminToken'>

/** The owner of the local agents' secret. Any name works, because a laptop has one developer. */
const OWNER = 'local'

/**
 * Returns the FACILITATOR_SECRET of the local agents. The first call creates it and stores it in a file, because the
 * facilitator shows a secret only once. Each call sets the wallets for which the secret is valid.
 *
 * @param name the owner, when the secret is not for the economy's own agents: each name has its own secret
 * @throws Error when the facilitator does not create one
 */
export async function readOrCreateSecret(
  folder: string,
  facilitator: Administration,
  wallets: readonly string[],
  name = 'agents',
): Promise<string> {
  const file = join(folder, 'facilitator', `${name}-secret.json`)
  const kept = await readKept(file)
  if (kept !== undefined && (await putWallets(facilitator, kept.id, wallets))) return kept.secret
  const created = await createFacilitatorSecret(facilitator, {
    owner: name === 'agents' ? OWNER : `${OWNER} ${name}`,
    wallets,
  })
  await writeDurably(file, `${JSON.stringify(created)}\n`, 0o600)
  return created.secret
}

/** Asks a facilitator for a new secret through its administration API. */
export async function createFacilitatorSecret(
  facilitator: Administration,
  request: CreateSecretRequest,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await administer(facilitator, { method: 'POST', path: '/secrets', body: request })
  if (status >= 300 || !isSecret(body))
    throw new Error(`the facilitator made no secret (HTTP ${status}): ${JSON.stringify(body)}`)
  return { id: body.id, secret: body.secret }
}

/** Returns false when the facilitator does not know the secret, because its ledger was created again. */
async function putWallets(
  facilitator: Administration,
  id: string,
  wallets: readonly string[],
): Promise<boolean> {
  const { status } = await administer(facilitator, {
    method: 'PUT',
    path: `/secrets/${id}/wallets`,
    body: { wallets },
  })
  return status < 300
}

async function administer(
  { url, adminToken }: Administration,
  request: { readonly method: 'POST' | 'PUT'; readonly path: string; readonly body: object },
): Promise<{ readonly status: number; readonly body: unknown }> {
  const origin = createJsonOrigin(url)
  try {
    return await origin.send({
      ...request,
      headers: { authorization: `Bearer ${adminToken}` },
      timeoutMs: START_LIMIT_MS,
    })
  } finally {
    await origin.close()
  }
}

async function readKept(file: string): Promise<{ readonly id: string; readonly secret: string } | undefined> {
  try {
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isSecret(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

function isSecret(value: unknown): value is { readonly id: string; readonly secret: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'secret' in value &&
    typeof value.secret === 'string'
  )
}
