import { printable } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { type Payer, refuseTerms, type Terms } from '@farebox/conformance/agent'
import { localEconomyBeside } from '../call/target.ts'
import { nameNetwork } from '../chain/name-network.ts'
import { findPayingKey } from '../keys/paying-key.ts'
import { CommandError, usageError } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import type { PayingOptions } from './check-options.ts'
import { spellAddress } from '../keys/spell-address.ts'

const NOT_SIGNED = 'nothing was signed; without --paid the check is free'

/**
 * Shows the maximum that the check may spend, asks the person to agree unless `--max-price` already did, and unlocks the
 * key.
 *
 * @param offer the terms of the capability that is paid for, and the declaration that they must match
 * @throws {CommandError} when the person does not agree, or there is no key; nothing was signed
 */
export async function agreePayments(
  world: World,
  url: string,
  offer: { readonly terms: Terms; readonly declaration: Declaration },
  options: PayingOptions,
): Promise<Payer> {
  const { terms, declaration } = offer
  const lie = refuseTerms(terms, declaration)
  if (lie !== undefined) throw new CommandError(printable(lie), NOT_SIGNED)
  const priceAtomic = BigInt(terms.requirement.amount)
  refuseLimits(world, terms, priceAtomic, options)
  const local = await localEconomyBeside(world, url, terms.network.id)
  const key = await findPayingKey(world, { ...options, local })
  const { dim } = paintFor(world.err)
  const maxPrice = options.maxPriceAtomic ?? priceAtomic
  const most = formatUsdc(maxPrice * BigInt(options.maxJobs))
  const rows = [
    [
      'pays',
      `${printable(terms.capability)}, ${formatUsdc(priceAtomic)} USDC a job on ${nameNetwork(terms.network, local)}`,
    ],
    ['from', `${await spellAddress(key.address)}  ${key.source}`],
    ['to', `${await spellAddress(declaration.wallet)}  the wallet of /about`],
    [
      'at most',
      `${most} USDC: ${options.maxJobs} payments of up to ${formatUsdc(maxPrice)}; a correct agent charges one`,
    ],
  ]
  world.err.write(rows.map(([name = '', text = '']) => `  ${dim(name.padEnd(9))}${text}\n`).join(''))
  if (options.maxPriceAtomic === undefined && !(await world.ask.confirm(`Pay up to ${most} USDC?`))) {
    throw new CommandError('not paid', NOT_SIGNED)
  }
  const { maxJobs } = options
  return { signer: await key.unlock(), maxPrice, maxJobs, network: terms.network.id, agreed: declaration }
}

function refuseLimits(world: World, terms: Terms, priceAtomic: bigint, options: PayingOptions): void {
  const { maxPriceAtomic, network } = options
  const price = `${printable(terms.capability)} costs ${formatUsdc(priceAtomic)} USDC`
  if (network !== undefined && network !== terms.network.id) {
    throw new CommandError(
      `the agent is paid on ${terms.network.id}, not on ${network}`,
      'nothing was signed',
    )
  }
  if (maxPriceAtomic !== undefined && priceAtomic > maxPriceAtomic) {
    throw new CommandError(
      `${price}, more than the ${formatUsdc(maxPriceAtomic)} of --max-price`,
      'nothing was signed',
    )
  }
  if (maxPriceAtomic === undefined && !world.canAsk) {
    throw usageError(
      `${price}, and there is no terminal to confirm it on`,
      `--max-price ${formatUsdc(priceAtomic)} agrees to that much a job; nothing was signed`,
    )
  }
}
