import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { replaceDurably, writeDurably } from '../processes/write-durably.ts'
import { callAnvilForText } from './anvil-rpc.ts'

/** The files that keep a chain while its anvil process does not run. */
export interface ChainFiles {
  /** The chain as of the last save; always a complete file. */
  readonly saved: string
  /** The file that anvil writes when it is asked to end; incomplete when anvil was killed while writing it. */
  readonly dumpedAtExit: string
  /** The pid file of the anvil process that uses these files. */
  readonly anvilPid: string
}

/** Returns the files of a chain. Each chain id has its own files, because another id is another chain. */
export function chainFiles(folder: string, chainId: number): ChainFiles {
  const name = `chain-${chainId}`
  return {
    saved: join(folder, `${name}.json`),
    dumpedAtExit: join(folder, `${name}.exit.json`),
    anvilPid: join(folder, 'anvil.pid'),
  }
}

/**
 * Replaces the saved chain with the dump that anvil wrote when it ended, if that dump is complete. The dump is always newer
 * than the last save, even when its block number is lower (after `evm_revert`). Call this only while no anvil process uses
 * the files.
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
 * Saves a running chain: accounts, blocks, transactions, receipts and logs. Not saved are transactions that are not in a
 * block yet, and the state of past blocks (`eth_call` at an old block fails after a restart).
 */
async function saveChain(rpcUrl: string, files: ChainFiles): Promise<void> {
  // The result of anvil_dumpState is the hex form of the gzipped JSON that --load-state reads.
  const dump = await callAnvilForText(rpcUrl, 'anvil_dumpState', [])
  await writeDurably(files.saved, await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex')))
}

export interface KeepChainSavedOptions {
  readonly rpcUrl: string
  readonly files: ChainFiles
  readonly intervalMs: number
  /** Receives the error of a failed save; the next save is tried after the interval. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Saves a chain now, and again whenever its block number has changed, until it is stopped.
 *
 * A save blocks anvil for a time in proportion to the length of the chain, so the pause after a save lasts at least twenty
 * times as long as the save did.
 *
 * @returns a function that stops the saving; its promise resolves when no save is in progress
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
