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
  /** The folder in which the economy keeps its state between runs: absolute. */
  readonly economyFolder: string
  /** The agent's config, absolute. */
  readonly config: string
  /** The wallet that is paid, AGENT_WALLET_ADDRESS if it is set; `undefined`: the test wallet for agents. */
  readonly wallet: string | undefined
  /** The URL of the developer's page; `undefined` when there is none. */
  readonly page: string | undefined
  readonly screen: Screen
  readonly clock: Clock
  /** Aborting it during the start cancels the start. Later it has no effect; call `stop` instead. */
  readonly signal: AbortSignal
}

/** A chain, a facilitator and a funded wallet on this machine, with which one agent is paid. */
export interface PaidPath {
  /** The environment variables with which the agent is paid here. They contain a secret and must not be shown. */
  readonly variables: { readonly [name: string]: string }
  /** Aligned lines to show below the agent's own heading. */
  readonly heading: readonly string[]
  /** Receives each event of the agent's jobs; returns the lines to print: none until a job has ended. */
  onJobEvent(event: JobEvent): Promise<readonly string[]> | readonly string[]
  /** The test wallet with which `farebox call` pays, for the developer's page. */
  readonly signer: PaymentSigner
  /** Reads a settled job from the chain. Rejects when the chain cannot be read. */
  readonly readSettled: (transaction: string, payer: string) => Promise<SettledOnChain>
  /** Writes to the economy's `local.json` which agent is served, for commands that read it. */
  noteAgent(agent: LocalAgent): Promise<void>
  /** Resolves with a message when the chain or the facilitator ends by itself. */
  readonly broken: Promise<string>
  /** Stops everything that was started; state is kept, and a joined economy continues. May be called twice. */
  stop(): Promise<void>
}

/**
 * Starts what `farebox dev --paid` needs: a local chain, a facilitator with its database, and a wallet with test money, on
 * any free ports. An economy that already runs in the folder, such as that of `npm start`, is joined instead. The caller
 * starts the agent itself, with `variables` in its environment.
 *
 * @throws {CommandError} when `@farebox/local` is not installed, the wallet is invalid, the economy in the folder does not
 * respond, or a part does not start; nothing remains running
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
    // The economy's own agents have their own wallets, so that earnings of different agents are not confused.
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
/** The interval of repeated messages on a screen whose lines remain. */
const AGAIN_AFTER_MS = 30_000
const FRAME_MS = 1_000
const CLEAR_LINE = '\r\u001b[2K'

/** The display of a starting economy, until `end` is called. */
interface ShownStart {
  /** For the economy: reports the current activity of each part. */
  readonly step: EconomyStep
  end(): void
}

/**
 * Shows that an economy is starting: on a terminal at once, and elsewhere only when it takes long. The activity is shown as
 * "facilitator: migrating the database, 12 s".
 */
export function showStart(screen: Pick<Screen, 'live' | 'write' | 'columns'>, clock: Clock): ShownStart {
  let doing = 'starting'
  let partSinceMs = clock.nowMs()
  const describe = (): string => {
    const seconds = Math.floor((clock.nowMs() - partSinceMs) / 1_000)
    // A line that wraps could not be cleared again.
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
