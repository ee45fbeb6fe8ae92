import { join, relative } from 'node:path'
import type { Clock } from 'farebox'
import type { LocalAgent } from '@farebox/local/local-file'
import { checksumAddress, refuseAddress } from '@farebox/payments/crypto/address'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { type PaymentSigner, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { CommandError } from '../../command-error.ts'
import type { Screen } from '../../world.ts'
import { loadLocal, type LocalPackage } from './load-local.ts'
import type { JobEvent } from '../messages/messages.ts'
import { createMoneyTrace, type SettledOnChain } from './money-trace.ts'
import { openEconomy, type OpenEconomy } from './open-economy.ts'
import type { EconomyStep } from '@farebox/local/economy'

export interface PaidPathOptions {
  readonly folder: string
  /** Where the economy keeps everything between runs: absolute. */
  readonly economyFolder: string
  /** The agent's config, absolute. */
  readonly config: string
  /** Who is paid, AGENT_WALLET_ADDRESS where it is set; undefined: the test wallet for agents. */
  readonly wallet: string | undefined
  /** Where the developer's page is; undefined: there is none. */
  readonly page: string | undefined
  readonly screen: Screen
  readonly clock: Clock
  /** Aborting it while the start goes on gives it up. Afterwards it does nothing; call `stop`. */
  readonly signal: AbortSignal
}

/** A chain, a facilitator and a funded wallet on this machine, for one agent to be paid by. */
export interface PaidPath {
  /** What the agent's environment needs to be paid here. Holds a secret: not for the screen. */
  readonly variables: { readonly [name: string]: string }
  /** What to show under the agent's own heading: aligned lines. */
  readonly heading: readonly string[]
  /** Takes each event of the agent's jobs; gives the lines to print: none, until a job has ended. */
  onJobEvent(event: JobEvent): Promise<readonly string[]> | readonly string[]
  /** The test wallet that `farebox call` pays with, for the developer's page. */
  readonly signer: PaymentSigner
  /** What the chain says of a settled job. Rejects where it cannot be asked. */
  readonly readSettled: (transaction: string, payer: string) => Promise<SettledOnChain>
  /** Writes into the economy's `local.json` which agent is served, for commands that read it there. */
  noteAgent(agent: LocalAgent): Promise<void>
  /** Resolves with a sentence when the chain or the facilitator ends by itself. */
  readonly broken: Promise<string>
  /** Stops everything that was started; state is kept, and an economy that was joined goes on. May be called twice. */
  stop(): Promise<void>
}

/**
 * Starts what `farebox dev --paid` needs: a local chain, a facilitator with its database, and a wallet with test money,
 * on any free ports. Where an economy runs in the folder already, that of `npm start` say, it is joined instead. The
 * agent itself is started by the caller, with `variables` in its environment.
 *
 * @throws {CommandError} where `@farebox/local` is not installed, the wallet is none, what runs in the folder does not
 * answer, or a part does not start; nothing is left running
 */
export async function startPaidPath(options: PaidPathOptions): Promise<PaidPath> {
  const { screen, signal } = options
  const local = await loadLocal(options.folder)
  const crypto = await loadEvmCrypto()
  if (options.wallet !== undefined) requireWallet(crypto, options.wallet)
  const { economyFolder: folder, config } = options
  const shown = showStart(screen, options.clock)
  const economy = await openEconomy(local, { folder, config, step: shown.step }, signal).finally(shown.end)
  try {
    const { agent, joiningAgent } = local.TEST_KEYS
    // The economy's own agents have their wallets: what one earns is not to be mistaken for another's.
    const wallet = options.wallet ?? (economy.runBy === undefined ? agent : joiningAgent).address
    const secret = await local.readOrCreateSecret(folder, economy.facilitator, [wallet], economy.name)
    const readSettled = async (transaction: string, payer: string): Promise<SettledOnChain> => ({
      blockNumber: await local.settledIn(economy.chain, transaction),
      payerAtomic: await local.usdcBalance(economy.chain, payer),
      agentAtomic: await local.usdcBalance(economy.chain, wallet),
    })
    return {
      variables: agentVariables(economy, { wallet, secret, folder }),
      heading: await describe(local, economy, {
        wallet,
        folder: relative(options.folder, folder) || folder,
        page: options.page,
      }),
      onJobEvent: createMoneyTrace({
        lines: local.lines,
        spell: address => checksumAddress(crypto, address),
        readSettled,
      }),
      signer: privateKeySigner(crypto, economy.payer.privateKey),
      readSettled,
      noteAgent: economy.noteAgent,
      broken: economy.broken,
      stop: economy.stop,
    }
  } catch (error) {
    await economy.stop()
    throw error
  }
}

function requireWallet(crypto: EvmCrypto, wallet: string): void {
  const reason = refuseAddress(crypto, wallet)
  if (reason === undefined) return
  const next = 'set it to the address that should be paid, or leave it unset: a test wallet is paid then'
  throw new CommandError(`AGENT_WALLET_ADDRESS ${reason}`, next)
}

function agentVariables(
  { chain, facilitator, runBy, name }: OpenEconomy,
  { wallet, secret, folder }: { readonly wallet: string; readonly secret: string; readonly folder: string },
): PaidPath['variables'] {
  return {
    SERVICE_DEV_MODE: 'false',
    AGENT_WALLET_ADDRESS: wallet,
    FACILITATOR_URL: facilitator.url,
    FACILITATOR_SECRET: secret,
    SERVICE_NETWORK: `eip155:${chain.chainId}`,
    SERVICE_RPC_URL: chain.rpcUrl,
    SERVICE_STORE: `lmdb:${join(folder, runBy === undefined ? 'jobs' : `jobs-${name}`)}`,
  }
}

async function describe(
  { usdcBalance, lines }: LocalPackage,
  { chain, facilitator, payer, runBy }: OpenEconomy,
  shown: { readonly wallet: string; readonly folder: string; readonly page: string | undefined },
): Promise<readonly string[]> {
  const { wallet, folder, page } = shown
  const holds = async (address: string): Promise<string> =>
    `${formatUsdc(await usdcBalance(chain, address), { decimals: 6 }).padStart(11)} USDC`
  const rows = [
    ...(page === undefined ? [] : [['page', page, 'runs and pays jobs in your browser'] as const]),
    ...(runBy === undefined ? [] : [['joined', folder, `the economy that process ${runBy} runs`] as const]),
    ['chain', chain.rpcUrl, `eip155:${chain.chainId}, on this machine`],
    ['facilitator', facilitator.url, 'its ledger in a PostgreSQL beside it'],
    [
      'test wallet',
      lines.shortHex(payer.address),
      `${await holds(payer.address)}   farebox call pays with it`,
    ],
    ['paid to', lines.shortHex(wallet), await holds(wallet)],
  ] as const
  const widest = Math.max(...rows.map(([, where]) => where.length))
  return rows.map(([name, where, note]) => `  ${name.padEnd(11)}   ${where.padEnd(widest)}   ${note}`)
}

const SLOW_AFTER_MS = 10_000
/** Where lines stay. */
const AGAIN_AFTER_MS = 30_000
const FRAME_MS = 1_000
const CLEAR_LINE = '\r\u001b[2K'

/** The start of an economy as it is shown, until `end` is called. */
interface ShownStart {
  /** For the economy: reports which part is doing what. */
  readonly step: EconomyStep
  end(): void
}

/**
 * Shows that an economy is being started: on a terminal at once, and everywhere what it is doing where that takes long,
 * as "facilitator: migrating the database, 12 s".
 */
export function showStart(screen: Pick<Screen, 'live' | 'write' | 'columns'>, clock: Clock): ShownStart {
  let doing = 'starting'
  let partSinceMs = clock.nowMs()
  const describe = (): string => {
    const seconds = Math.floor((clock.nowMs() - partSinceMs) / 1_000)
    // A line that breaks could not be taken away again.
    return `  ${doing}, ${seconds} s`.slice(0, screen.columns - 1)
  }
  const report = (): void => {
    screen.write(screen.live ? `${CLEAR_LINE}${describe()}` : `${describe()}\n`)
    cancel = clock.after(screen.live ? FRAME_MS : AGAIN_AFTER_MS, report)
  }
  if (screen.live) screen.write('  starting a chain, a database and a facilitator on this machine …')
  let cancel = clock.after(SLOW_AFTER_MS, report)
  return {
    async step(name, work) {
      partSinceMs = clock.nowMs()
      doing = `${name}: starting`
      return await work(activity => {
        doing = `${name}: ${activity}`
      })
    },
    end() {
      cancel()
      if (screen.live) screen.write(CLEAR_LINE)
    },
  }
}
