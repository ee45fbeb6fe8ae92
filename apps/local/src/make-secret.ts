import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fund } from '@farebox/local/chain/faucet'
import { createFacilitatorSecret } from '@farebox/local/internal/facilitator-secret'
import { readLocalFile, type LocalFile } from '@farebox/local/local-file'
import { DEFAULT_FOLDER, folderOf } from '../../../scripts/start-flags.mjs'

const NEXT = '  npm start, in another terminal, starts one'

/** Enough for the stake and the gas of a thousand agents. */
const TEST_ETHER_WEI = 10n ** 18n
/** Enough for about a thousand jobs. */
const TEST_USDC_ATOMIC = 10_000_000n

/**
 * `npm run secret`: requests a FACILITATOR_SECRET for a wallet from the running local facilitator, and prints it with
 * the other environment variables that a new agent needs to be paid, registered and called here. Also sends test money to
 * the wallet. Resolves to the exit code.
 */
export async function makeSecret(words: readonly string[], root: string): Promise<number> {
  const asked = readWords(words)
  if (asked === undefined) {
    const [wallet] = words.filter(word => word.startsWith('0x') && !isAddress(word))
    if (wallet !== undefined) process.stderr.write(`✗ ${wallet} is not an address: 0x and 40 hex digits\n\n`)
    process.stderr.write(
      'npm run secret -- <the wallet to pay: 0x and 40 hex digits> [--folder <of npm start>]\n',
    )
    return 2
  }
  const { wallet } = asked
  try {
    const folder = folderOf(root, asked.folder)
    const local = await readLocalFile(folder)
    if (local === undefined) throw new Error(`no local economy is in ${folder}\n${NEXT}`)
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
    // The output is pasted into a shell, and some shells accept no comments, so stdout holds nothing else.
    process.stderr.write(`  ✓ ${wallet} has 1 test ETH, and got 10 test USDC\n`)
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`export ${name}=${value}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function isAddress(word: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(word)
}

function readWords(
  words: readonly string[],
): { readonly wallet: string; readonly folder: string } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { folder: { type: 'string', default: process.env['FAREBOX_LOCAL'] || DEFAULT_FOLDER } },
      allowPositionals: true,
    })
    const [wallet, ...more] = positionals
    if (wallet === undefined || more.length > 0 || !isAddress(wallet)) return undefined
    return { wallet, folder: values.folder }
  } catch {
    return undefined
  }
}

async function askForSecret({ facilitator }: LocalFile, folder: string, wallet: string): Promise<string> {
  const adminToken = (await readFile(join(folder, 'facilitator', 'admin-token'), 'utf8')).trim()
  try {
    const request = { owner: `${wallet} ${Date.now()}`, wallets: [wallet] }
    return (await createFacilitatorSecret({ url: facilitator.url, adminToken }, request)).secret
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
      throw new Error(`no facilitator answers at ${facilitator.url}\n${NEXT}`, { cause: error })
    throw error
  }
}
