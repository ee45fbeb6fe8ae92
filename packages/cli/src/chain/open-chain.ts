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
  /** The URL of the node; its path may contain a key. */
  readonly url: string
  /** Whether it is a test chain on this machine, even when it has the id of a public chain. */
  readonly isLocal: boolean
  close(): Promise<void>
}

export interface ChainOptions {
  readonly network: Network
  /** The value of `--rpc-url`. Its path may contain a key, so only its host is ever shown. */
  readonly rpcUrl?: string | undefined
  readonly local?: LocalEconomy | undefined
}

const VARIABLE = 'FAREBOX_RPC_URL'
const SILENT = 'does not answer as a node does'
/** A balance is optional information, so the command waits no longer for it. */
const TIMEOUT_MS = 5_000

/**
 * Opens a node of the network: `--rpc-url`, else `FAREBOX_RPC_URL`, else the local chain. When there is a local chain, a
 * variable that names a remote node is ignored, because that node belongs to the public chain with the same id. Returns
 * `undefined` when no node is known, or when the node of the variable is on another chain or does not respond; the latter
 * is reported.
 */
export async function findChain(world: World, options: ChainOptions): Promise<OpenChain | undefined> {
  const { network, rpcUrl, local } = options
  if (rpcUrl !== undefined) {
    const opened = await openNode(rpcUrl, network)
    if (typeof opened !== 'string') return opened
    // An unavailable node is a failure; only a mistyped URL is a usage error.
    const exitCode = opened.endsWith(SILENT) ? EXIT.refused : EXIT.usage
    throw new CommandError(`--rpc-url: ${opened}`, `give a node of ${network.id} that runs`, { exitCode })
  }
  const variable = world.variables[VARIABLE] ?? ''
  if (local !== undefined && !isOnLoopback(variable)) {
    // When the local node does not respond, no other node is used instead: a public chain with the same id has different
    // data.
    const opened = await openNode(local.rpcUrl, network)
    return typeof opened === 'string' ? undefined : opened
  }
  if (variable === '') return undefined
  const opened = await openNode(variable, network)
  if (typeof opened !== 'string') return opened
  world.err.write(`  ${VARIABLE}: ${opened}; the chain is not asked\n`)
  return undefined
}

/** Like {@link findChain}, for a command that requires a node. */
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

/** The test nodes that create money on request; a person's own node of a public chain on this machine is not one of them. */
const TEST_NODES = /^(?:anvil|hardhat|ganache)/i

async function isTestNode(rpc: JsonRpc): Promise<boolean> {
  const version = await rpc.call('web3_clientVersion', [], { timeoutMs: TIMEOUT_MS }).catch(() => '')
  return TEST_NODES.test(String(version))
}
