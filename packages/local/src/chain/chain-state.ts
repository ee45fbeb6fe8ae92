import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { replaceDurably, writeDurably } from '../processes/write-durably.ts'
import { callAnvilForText } from './anvil-rpc.ts'

/** The files in which a chain outlives its anvil. */
export interface ChainFiles {
  /** The chain as of the last save, always whole. */
  readonly saved: string
  /** The file that anvil writes when it is asked to end; cut off when it was killed while writing. */
  readonly dumpedAtExit: string
  /** Which anvil runs on them. */
  readonly anvilPid: string
}

/** The files of a chain. Each chain id has its own file: another id is another chain. */
export function chainFiles(folder: string, chainId: number): ChainFiles {
  const name = `chain-${chainId}`
  return {
    saved: join(folder, `${name}.json`),
    dumpedAtExit: join(folder, `${name}.exit.json`),
    anvilPid: join(folder, 'anvil.pid'),
  }
}

/**
 * Makes what anvil dumped at its end the saved chain, when it is whole. It is always newer than the last
 * save, also where its block number is lower (after `evm_revert`). Call it only while no anvil uses the
 * files.
 */
export async function keepExitDump(files: ChainFiles): Promise<void> {
  const text = await readFile(files.dumpedAtExit, 'utf8').catch(() => undefined)
  if (text === undefined) return
  if (!isWholeDump(text)) {
    await rm(files.dumpedAtExit)
    return
  }
  const file = await open(files.dumpedAtExit, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await replaceDurably(files.dumpedAtExit, files.saved)
}

/**
 * Saves a running chain: accounts, blocks, transactions, receipts and logs. Not saved: transactions that no
 * block holds yet, and the state of past blocks (`eth_call` at an old block does not outlive a restart).
 */
async function saveChain(rpcUrl: string, files: ChainFiles): Promise<void> {
  // anvil_dumpState answers hex of gzip of the JSON that --load-state reads.
  const dump = await callAnvilForText(rpcUrl, 'anvil_dumpState', [])
  await writeDurably(files.saved, await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex')))
}

export interface KeepChainSavedOptions {
  readonly rpcUrl: string
  readonly files: ChainFiles
  readonly intervalMs: number
  /** Receives why a save failed; the next one comes after the interval. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Saves a chain now and whenever its block number has moved, until told to stop.
 *
 * Saving takes anvil's time in proportion to the chain's length, so a pause lasts at least twenty times as
 * long as the save before it.
 *
 * @returns a function that ends it, resolving when no save is under way any more
 */
export function keepChainSaved(options: KeepChainSavedOptions): () => Promise<void> {
  const stopped = new AbortController()
  const done = saveRepeatedly(options, stopped.signal)
  return async () => {
    stopped.abort()
    await done
  }
}

async function saveRepeatedly(options: KeepChainSavedOptions, stopped: AbortSignal): Promise<void> {
  const { rpcUrl, files, intervalMs, onFailure } = options
  let savedBlock: string | undefined
  let pauseMs = intervalMs
  while (!stopped.aborted) {
    try {
      const startedMs = performance.now()
      const block = await callAnvilForText(rpcUrl, 'eth_blockNumber', [])
      if (block !== savedBlock) await saveChain(rpcUrl, files)
      savedBlock = block
      pauseMs = Math.max(intervalMs, 20 * (performance.now() - startedMs))
    } catch (error) {
      if (!stopped.aborted) onFailure(error)
    }
    await delay(pauseMs, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}

function isWholeDump(text: string): boolean {
  try {
    const dump: unknown = JSON.parse(text)
    return typeof dump === 'object' && dump !== null && 'best_block_number' in dump
  } catch {
    return false
  }
}
