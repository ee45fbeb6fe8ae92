import { printableJson } from '@farebox/conformance/internal/printable'
import { checksumAddress, refuseAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { listWallets } from '../keys/wallet-files.ts'
import { CommandError, usageError } from '../command-error.ts'
import { asTyped } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { findPayingKey } from '../keys/paying-key.ts'
import type { Network } from '@farebox/payments/networks'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { coinOf, formatCoin, nameNetwork, readNetwork } from '../chain/name-network.ts'
import { type Balances, readBalances } from '../chain/read-balances.ts'
import { findLocalEconomy, type LocalEconomy } from '../keys/local-economy.ts'
import { requireChain } from '../chain/open-chain.ts'
import { spellAddress } from '../keys/spell-address.ts'

/** `farebox wallet list`: lists the stored wallets, including files that are not a keystore. */
export async function showWallets(world: World, { json }: { readonly json?: true }): Promise<void> {
  const keccak256 = await loadKeccak()
  const wallets = (await listWallets(world)).map(({ name, keystore }) => ({
    name,
    problem: keystore instanceof CommandError ? keystore.message : undefined,
    address:
      keystore instanceof CommandError || keystore.address === undefined
        ? null
        : checksumAddress({ keccak256 }, keystore.address),
  }))
  if (json) return world.out.write(`${printableJson({ wallets })}\n`)
  if (wallets.length === 0)
    return world.err.write(`  no wallets yet: ${asTyped(world, 'farebox wallet new')} makes one\n`)
  const width = Math.max(...wallets.map(({ name }) => name.length))
  for (const { name, address, problem } of wallets) {
    world.out.write(
      `${name.padEnd(width)}  ${address ?? problem ?? 'its file does not contain its address'}\n`,
    )
  }
}

/** `farebox wallet address`: prints the address of the named wallet, by default of the one that would pay. */
export async function showAddress(
  world: World,
  name: string | undefined,
  { json }: { readonly json?: true },
): Promise<void> {
  const key = await findPayingKey(world, { wallet: name })
  const address = await spellAddress(key.address)
  if (json) return world.out.write(`${printableJson({ address, source: key.source })}\n`)
  world.out.write(`${address}\n`)
  if (name === undefined) world.err.write(`  ${key.source}\n`)
}

/** The options of `farebox wallet balance`. */
export interface BalanceOptions {
  readonly network?: string
  readonly rpcUrl?: string
  readonly json?: true
}

const DEFAULT_NETWORK = 'eip155:8453'

/** `farebox wallet balance`: shows the USDC and the native coin of a wallet or an address. */
export async function showBalance(
  world: World,
  of: string | undefined,
  options: BalanceOptions,
): Promise<void> {
  const local = await localChoice(world, options)
  const network = readNetwork(options.network ?? local?.network ?? DEFAULT_NETWORK)
  const holder = await findHolder(world, of, local)
  const { balances, isLocal } = await balancesOf(world, holder.address, {
    network,
    local,
    rpcUrl: options.rpcUrl,
  })
  const { symbol, amount } = { symbol: coinOf(network), amount: formatCoin(balances.wei) }
  const usdc = formatUsdc(balances.usdcAtomic)
  if (options.json) {
    const { address, source } = holder
    const document = { address, source, network: network.id, usdc, coin: { symbol, amount } }
    return world.out.write(`${printableJson(document)}\n`)
  }
  // The network's name comes from the node, because the id alone may be that of a public chain.
  const name = nameNetwork(network, undefined, { isLocal })
  world.err.write(`  ${holder.address}  ${holder.source}\n  on ${name}\n`)
  world.out.write(
    aligned([
      [formatUsdc(balances.usdcAtomic, { decimals: 6 }), 'USDC'],
      [amount, symbol],
    ]),
  )
}

/** Formats amounts with aligned decimal points. */
function aligned(rows: readonly (readonly [amount: string, unit: string])[]): string {
  const split = rows.map(([amount, unit]) => ({ whole: /^\d*/.exec(amount)?.[0] ?? '', amount, unit }))
  const width = Math.max(...split.map(({ whole }) => whole.length))
  const padded = split.map(({ whole, amount, unit }) => ({
    text: ' '.repeat(width - whole.length) + amount,
    unit,
  }))
  const longest = Math.max(...padded.map(({ text }) => text.length))
  return padded.map(({ text, unit }) => `${text.padEnd(longest)} ${unit}\n`).join('')
}

async function localChoice(world: World, options: BalanceOptions): Promise<LocalEconomy | undefined> {
  const local = await findLocalEconomy(world)
  if (options.network !== undefined) {
    return options.network === local?.network ? local : undefined
  }
  return options.rpcUrl === undefined && !world.variables['FAREBOX_RPC_URL'] ? local : undefined
}

async function findHolder(
  world: World,
  of: string | undefined,
  local: LocalEconomy | undefined,
): Promise<{ readonly address: string; readonly source: string }> {
  const keccak256 = await loadKeccak()
  if (of?.startsWith('0x')) {
    const reason = refuseAddress({ keccak256 }, of)
    if (reason !== undefined) throw usageError(`the address ${reason}`, '')
    return { address: checksumAddress({ keccak256 }, of), source: 'as given' }
  }
  const { address, source } = await findPayingKey(world, { wallet: of, local })
  return { address: checksumAddress({ keccak256 }, address), source }
}

async function balancesOf(
  world: World,
  address: string,
  where: {
    readonly network: Network
    readonly rpcUrl: string | undefined
    readonly local: LocalEconomy | undefined
  },
): Promise<{ readonly balances: Balances; readonly isLocal: boolean }> {
  const { network } = where
  const chain = await requireChain(world, where)
  try {
    return { balances: await readBalances(chain, address), isLocal: chain.isLocal }
  } catch (cause) {
    throw new CommandError(
      'the node does not tell the balance',
      `is USDC at ${network.asset.address} on its chain?`,
      { cause },
    )
  } finally {
    await chain.close()
  }
}
