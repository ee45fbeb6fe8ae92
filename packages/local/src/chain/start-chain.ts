import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  BATCH_SETTLER_ADDRESS,
  LOCAL_AGENT_REGISTRY_ADDRESS,
  LOCAL_USDC_ADDRESS,
  MULTICALL3_ADDRESS,
  SPEND_PERMISSIONS_ADDRESS,
} from '@farebox/contracts/addresses'
import { callOnce } from '../processes/call-once.ts'
import type { ChildExit } from '../starting/child-exit.ts'
import type { RunningChild } from '../processes/child-process.ts'
import { claimFolder } from '../processes/claim-folder.ts'
import { endProcess } from '../processes/end-process.ts'
import { readPidFile, writePidFile } from '../processes/pid-file.ts'
import { callAnvil } from './anvil-rpc.ts'
import { chainFiles, keepChainSaved, keepExitDump } from './chain-state.ts'
import type { ChainFiles } from './chain-state.ts'
import { endWithUs } from '../processes/end-with-us.ts'
import { placeContracts } from './place-contracts.ts'
import { spawnAnvil } from './spawn-anvil.ts'
import type { AnvilReady } from './spawn-anvil.ts'

/** The id of Base Sepolia, whose USDC is known to stock x402 clients. */
const DEFAULT_CHAIN_ID = 84532
const SAVE_INTERVAL_MS = 2_000
const STOP_GRACE_MS = 10_000

export interface StartChainOptions {
  /** The folder that keeps the chain between runs. By default the chain is lost when it stops. */
  readonly folder?: string
  /** The port on 127.0.0.1; by default a free one. */
  readonly port?: number
  /** Default: 84532, Base Sepolia. */
  readonly chainId?: number
  /** The interval between blocks, in seconds. By default each transaction gets a block at once. */
  readonly blockTimeSeconds?: number
  /** Whether to listen on a random loopback address; for a chain behind a proxy (see `openChainDoor`). */
  readonly isHidden?: boolean
  /** The file for the lines that anvil prints while it starts. By default they are not kept. */
  readonly logFile?: string
  /** The advice for the error message when the chain does not start, in the imperative. */
  readonly advice?: string
  /** Receives a description of the current activity, until the chain has started. */
  readonly onActivity?: (activity: string) => void
  /** Receives a line for each event that is worth logging: an old process was ended, a save failed. */
  readonly onLog?: (line: string) => void
  /** Aborting it while the chain starts cancels the start. Later it has no effect; call `stop` instead. */
  readonly signal?: AbortSignal
}

/** A running local chain. */
export interface LocalChain {
  /** JSON-RPC over HTTP and, with ws://, over WebSocket. */
  readonly rpcUrl: string
  readonly chainId: number
  /** The address of LocalUSDC. */
  readonly usdc: `0x${string}`
  /** The address of Multicall3. */
  readonly multicall3: `0x${string}`
  /** The address of BatchSettler. */
  readonly batchSettler: `0x${string}`
  /** The address of AgentRegistry. */
  readonly agentRegistry: `0x${string}`
  /** The address of SpendPermissions. */
  readonly spendPermissions: `0x${string}`
  /** The pid of anvil. */
  readonly pid: number
  /** Resolves when anvil ends, whether or not `stop` was called; never rejects. */
  readonly exited: Promise<ChildExit>
  /** Saves the chain, ends anvil and waits until it has ended. May be called twice. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a local Ethereum chain (anvil) with LocalUSDC, Multicall3, BatchSettler, AgentRegistry and SpendPermissions
 * at their well-known addresses.
 *
 * With a folder, a later start continues with the same accounts, blocks, transactions, receipts and logs. The chain is
 * saved every few seconds and when it stops, also when this process is killed. The last seconds can be lost only when the
 * machine or anvil itself ends abruptly; blocks are then missing as after a reorganisation.
 *
 * @throws Error when anvil does not run on this machine, when the port is taken (the message names the process), or when
 * another launcher uses the folder
 * @example
 * ```ts
 * import { startChain } from '@farebox/local/chain/start-chain'
 *
 * const chain = await startChain()
 * console.log(chain.rpcUrl, chain.usdc)
 * await chain.stop()
 * ```
 */
export async function startChain(options: StartChainOptions = {}): Promise<LocalChain> {
  if (options.folder === undefined) return await startInFolder(options, undefined)
  const folder = resolve(options.folder)
  const claim = await claimFolder(folder, 'chain')
  try {
    const chain = await startInFolder(options, folder)
    return {
      ...chain,
      stop: callOnce(async () => {
        await chain.stop()
        await claim.release()
      }),
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

async function startInFolder(options: StartChainOptions, folder: string | undefined): Promise<LocalChain> {
  const { chainId = DEFAULT_CHAIN_ID, onLog = () => undefined, onActivity } = options
  const files = folder === undefined ? undefined : chainFiles(folder, chainId)
  if (files !== undefined) {
    await endLeftBehind(files, onLog)
    await keepExitDump(files)
  }
  onActivity?.('starting anvil')
  const anvil = await spawnAnvil({ ...options, chainId, files })
  try {
    void anvil.exited.then(endWithUs(anvil.pid))
    if (files !== undefined) await writePidFile(files.anvilPid, anvil.pid)
    // Anvil would print a line for every call, and these lines are not used.
    await callAnvil(anvil.ready.rpcUrl, 'anvil_setLoggingEnabled', [false])
    onActivity?.('placing the contracts')
    await placeContracts(anvil.ready.rpcUrl)
  } catch (error) {
    await anvil.stop(STOP_GRACE_MS)
    throw error
  }
  return keepChain(anvil, chainId, files, onLog)
}

/**
 * Ends the anvil process of a launcher that crashed together with its watchdog. That process still has the newest state.
 */
async function endLeftBehind(files: ChainFiles, onLog: (line: string) => void): Promise<void> {
  const leftBehind = await readPidFile(files.anvilPid)
  if (leftBehind?.commandLine.includes(files.dumpedAtExit) !== true) return
  onLog(`ending anvil, process ${leftBehind.pid}, which an earlier run left behind`)
  await endProcess(leftBehind, 'SIGTERM', STOP_GRACE_MS)
}

function keepChain(
  anvil: RunningChild<AnvilReady>,
  chainId: number,
  files: ChainFiles | undefined,
  onLog: (line: string) => void,
): LocalChain {
  const { rpcUrl } = anvil.ready
  const onFailure = (error: unknown) => onLog(`chain not saved: ${String(error)}`)
  const stopSaving =
    files === undefined
      ? async () => undefined
      : keepChainSaved({ rpcUrl, files, intervalMs: SAVE_INTERVAL_MS, onFailure })
  void anvil.exited.then(stopSaving)
  return {
    rpcUrl,
    chainId,
    usdc: LOCAL_USDC_ADDRESS,
    multicall3: MULTICALL3_ADDRESS,
    batchSettler: BATCH_SETTLER_ADDRESS,
    agentRegistry: LOCAL_AGENT_REGISTRY_ADDRESS,
    spendPermissions: SPEND_PERMISSIONS_ADDRESS,
    pid: anvil.pid,
    exited: anvil.exited,
    stop: async () => {
      await stopSaving()
      await anvil.stop(STOP_GRACE_MS)
      if (files === undefined) return
      await keepExitDump(files)
      await rm(files.anvilPid, { force: true })
    },
  }
}
