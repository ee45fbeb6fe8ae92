import { printable } from '@farebox/conformance/internal/printable'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { isLocalNetwork, isOnLoopback, type LocalEconomy } from '../keys/local-economy.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import { nameNetwork } from './name-network.ts'

export interface OpenChain {
  readonly rpc: JsonRpc
  readonly network: Network
  /** Of the node; its path may hold a key. */
  readonly url: string
  /** A test chain of this machine, whatever public chain its id is of. */
  readonly isLocal: boolean
  close(): Promise<void>
}

export interface ChainOptions {
  readonly network: Network
  /** `--rpc-url`. May hold a key in its path: only its host is ever shown. */
  readonly rpcUrl?: string | undefined
  readonly local?: LocalEconomy | undefined
}

const VARIABLE = 'FAREBOX_RPC_URL'
const SILENT = 'does not answer as a node does'
/** A balance is a courtesy: nobody waits longer for it. */
const TIMEOUT_MS = 5_000

/**
 * Opens a node of the network: `--rpc-url`, else `FAREBOX_RPC_URL`, else the local chain. Where there is a local chain a
 * variable that names a node elsewhere does not count: it is of the public chain whose id the local one has. Undefined
 * where none is known, or the one of the variable is of another chain or silent, which is said.
 */
export async function findChain(world: World, options: ChainOptions): Promise<OpenChain | undefined> {
  const { network, rpcUrl, local } = options
  if (rpcUrl !== undefined) {
    const opened = await openNode(rpcUrl, network)
    if (typeof opened !== 'string') return opened
    // A node that is down is a failure; only what was typed wrong is a misunderstanding.
    const exitCode = opened.endsWith(SILENT) ? EXIT.refused : EXIT.usage
    throw new CommandError(`--rpc-url: ${opened}`, `give a node of ${network.id} that runs`, { exitCode })
  }
  const variable = world.variables[VARIABLE] ?? ''
  if (local !== undefined && !isOnLoopback(variable)) {
    // Where it is silent nobody else is asked in its name: a public chain of its id knows nothing of it.
    const opened = await openNode(local.rpcUrl, network)
    return typeof opened === 'string' ? undefined : opened
  }
  if (variable === '') return undefined
  const opened = await openNode(variable, network)
  if (typeof opened !== 'string') return opened
  world.err.write(`  ${VARIABLE}: ${opened}; the chain is not asked\n`)
  return undefined
}

/** {@link findChain} for a command that can do nothing without a node. */
export async function requireChain(world: World, options: ChainOptions): Promise<OpenChain> {
  const chain = await findChain(world, options)
  if (chain !== undefined) return chain
  throw new CommandError(
    `no node of ${nameNetwork(options.network, options.local)} is known`,
    'give --rpc-url <url>, or set FAREBOX_RPC_URL; its provider or your own node has one',
  )
}

async function openNode(url: string, network: Network): Promise<OpenChain | string> {
  if (!canParseUrl(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return 'must be an http or https URL'
  }
  const host = printable(new URL(url).host)
  const rpc = createJsonRpc(url)
  try {
    const chainId = await rpc.call('eth_chainId', [], { timeoutMs: TIMEOUT_MS })
    if (typeof chainId === 'string' && Number(chainId) === network.chainId) {
      const isLocal = isLocalNetwork(network.id) && isOnLoopback(url) && (await isTestNode(rpc))
      return { rpc, network, url, isLocal, close: () => rpc.close() }
    }
    await rpc.close()
    return typeof chainId === 'string' && /^0x[0-9a-f]{1,13}$/i.test(chainId)
      ? `${host} is a node of eip155:${Number(chainId)}, not of ${network.id}`
      : `${host} ${SILENT}`
  } catch {
    await rpc.close()
    return `${host} ${SILENT}`
  }
}

/** The nodes that make money for the asking; one's own node of a public chain on this machine is none of them. */
const TEST_NODES = /^(?:anvil|hardhat|ganache)/i

async function isTestNode(rpc: JsonRpc): Promise<boolean> {
  const version = await rpc.call('web3_clientVersion', [], { timeoutMs: TIMEOUT_MS }).catch(() => '')
  return TEST_NODES.test(String(version))
}
