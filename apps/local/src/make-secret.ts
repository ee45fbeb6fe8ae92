import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from '@farebox/local/economy'
import { createSecret } from '@farebox/local/facilitator-secret'

/**
 * `npm run secret`: a FACILITATOR_SECRET for a wallet, from the running local facilitator, printed as the environment
 * an agent of one's own needs to be paid here. Resolves to the exit code.
 */
export async function makeSecret(words: readonly string[], root: string): Promise<number> {
  const [wallet] = words
  if (wallet === undefined || !/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
    process.stderr.write('npm run secret -- <the address that should be paid>\n')
    return 2
  }
  try {
    const folder = join(root, '.farebox')
    // Written by this program's own start, on this machine.
    const local = JSON.parse(await readFile(join(folder, 'local.json'), 'utf8')) as LocalFile
    const adminToken = (await readFile(join(folder, 'facilitator', 'admin-token'), 'utf8')).trim()
    const { secret } = await createSecret(
      { url: local.facilitator.url, adminToken },
      { owner: `${wallet} ${Date.now()}`, wallets: [wallet] },
    )
    const lines = {
      AGENT_WALLET_ADDRESS: wallet,
      FACILITATOR_SECRET: secret,
      FACILITATOR_URL: local.facilitator.url,
      SERVICE_NETWORK: local.chain.network,
      SERVICE_DEV_MODE: 'false',
    }
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`export ${name}=${value}\n`)
    return 0
  } catch (error) {
    process.stderr.write(
      `✗ is npm start running? ${error instanceof Error ? error.message : String(error)}\n`,
    )
    return 1
  }
}
