import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { createSecret } from '@farebox/local/facilitator-secret'
import { readLocalFile, type LocalFile } from '@farebox/local/local-file'

const NEXT = '  npm start, in another terminal, starts one'

/** For the stake of a thousand agents, and their gas. */
const TEST_ETHER_WEI = 10n ** 18n
/** For a thousand jobs or so. */
const TEST_USDC_ATOMIC = 10_000_000n

/**
 * `npm run secret`: a FACILITATOR_SECRET for a wallet, from the running local facilitator, printed as the environment
 * an agent of one's own needs to be paid here, registered and called; the wallet is given test money. Resolves to the
 * exit code.
 */
export async function makeSecret(words: readonly string[], root: string): Promise<number> {
  const [wallet] = words
  if (wallet === undefined || !/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
    process.stderr.write('npm run secret -- <the address that should be paid: 0x and 40 hex digits>\n')
    return 2
  }
  try {
    const folder = join(root, '.farebox')
    const local = await readLocalFile(folder)
    if (local === undefined) throw new Error(`no local facilitator is here\n${NEXT}`)
    const secret = await askForSecret(local, folder, wallet)
    await fund(local.chain, wallet, { wei: TEST_ETHER_WEI, usdcAtomic: TEST_USDC_ATOMIC })
    const lines = {
      AGENT_WALLET_ADDRESS: wallet,
      FACILITATOR_SECRET: secret,
      FACILITATOR_URL: local.facilitator.url,
      SERVICE_NETWORK: local.chain.network,
      SERVICE_DEV_MODE: 'false',
      ...(local.platform && { FAREBOX_PLATFORM: local.platform.url }),
      FAREBOX_RPC_URL: local.chain.rpcUrl,
    }
    process.stdout.write(`# ${wallet} has 1 test ETH, and 10 test USDC more\n`)
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`export ${name}=${value}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function askForSecret({ facilitator }: LocalFile, folder: string, wallet: string): Promise<string> {
  const adminToken = (await readFile(join(folder, 'facilitator', 'admin-token'), 'utf8')).trim()
  try {
    const request = { owner: `${wallet} ${Date.now()}`, wallets: [wallet] }
    return (await createSecret({ url: facilitator.url, adminToken }, request)).secret
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
      throw new Error(`no facilitator answers at ${facilitator.url}\n${NEXT}`, { cause: error })
    throw error
  }
}
