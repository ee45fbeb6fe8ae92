import { printable } from '@farebox/conformance/internal/printable'
import type { Quote } from '@farebox/client/attempt/read-quote'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { namePaidNetwork } from '../chain/name-network.ts'
import type { OpenChain } from '../chain/open-chain.ts'
import { readUsdcBalance } from '../chain/read-balances.ts'
import type { LocalEconomy } from '../keys/local-economy.ts'
import type { PayingKey } from '../keys/paying-key.ts'
import { CommandError, usageError } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { spellAddress } from '../keys/spell-address.ts'

/** The terms that a person agrees to, or that `--max-price` has agreed to. */
export interface PriceTerms {
  readonly quote: Quote
  readonly agentUrl: string
  readonly agentName: string
  readonly key: PayingKey
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
  /** The value of `--max-price`, in atomic units. */
  readonly maxPriceAtomic: bigint | undefined
}

/**
 * Refuses a price before the person is asked: a price above `--max-price`, or one that needs a person where none can be
 * asked.
 *
 * @throws {CommandError} before anything was signed
 */
export function limitPrice(world: World, quote: Quote, maxPriceAtomic: bigint | undefined): void {
  const price = formatUsdc(quote.amountAtomic)
  if (maxPriceAtomic !== undefined && quote.amountAtomic > maxPriceAtomic) {
    throw new CommandError(
      `the job costs ${price} USDC, more than the ${formatUsdc(maxPriceAtomic)} of --max-price`,
      'nothing was signed',
    )
  }
  if (maxPriceAtomic === undefined && !world.canAsk) {
    throw usageError(
      `the job costs ${price} USDC, and there is no terminal to confirm it on`,
      `--max-price ${price} agrees to that much; nothing was signed`,
    )
  }
}

/**
 * Shows the amount, the recipient and the paying wallet, and asks the person to agree unless `--max-price` already did.
 *
 * @throws {CommandError} when the person does not agree, or the wallet holds too little; nothing was signed
 */
export async function agreePrice(world: World, terms: PriceTerms): Promise<void> {
  const { agentUrl, quote, key, chain, local, maxPriceAtomic } = terms
  const balance = await balanceOf(terms)
  await showTerms(world, terms, balance)
  warnOfOwnWallet(world, terms)
  if (balance !== undefined && balance < quote.amountAtomic) {
    throw new CommandError(
      `the wallet holds ${formatUsdc(balance)} USDC, the job costs ${formatUsdc(quote.amountAtomic)}`,
      `send USDC on ${namePaidNetwork(chain?.network ?? quote.network, agentUrl, local, chain)} to ${await spellAddress(key.address)}; nothing was signed`,
    )
  }
  if (maxPriceAtomic !== undefined) return
  const agreed = await world.ask.confirm(`Pay ${formatUsdc(quote.amountAtomic)} USDC?`)
  if (!agreed) throw new CommandError('not paid', 'nothing was signed')
}

/** Warns when the payer and the recipient are the same wallet: the payment moves no money but looks successful. */
function warnOfOwnWallet({ err }: World, { key, quote }: PriceTerms): void {
  if (key.address.toLowerCase() !== quote.payTo.toLowerCase()) return
  err.write(`  ${paintFor(err).yellow('!')} you are paying yourself: payer and agent are the same wallet\n`)
}

async function showTerms(world: World, terms: PriceTerms, balance: bigint | undefined): Promise<void> {
  const { quote, agentName, key, chain, local } = terms
  const { bold, dim } = paintFor(world.err)
  const row = (name: string, text: string): string => `  ${dim(name.padEnd(9))}${text}`
  const rows = [
    bold(`${printable(agentName)} · ${printable(quote.capability)}`),
    row(
      'price',
      `${formatUsdc(quote.amountAtomic, { decimals: 6 })} USDC on ${namePaidNetwork(quote.network, terms.agentUrl, local, chain)}`,
    ),
    row('to', await spellAddress(quote.payTo)),
    row('from', `${await spellAddress(key.address)}  ${key.source}`),
  ]
  if (balance !== undefined) rows.push(row('balance', `${formatUsdc(balance, { decimals: 6 })} USDC`))
  world.err.write(`${rows.join('\n')}\n`)
}

/** Returns `undefined` when no node is known, or the node does not return the balance. */
async function balanceOf({ chain, key }: PriceTerms): Promise<bigint | undefined> {
  if (chain === undefined) return undefined
  return await readUsdcBalance(chain, key.address).catch(() => undefined)
}
