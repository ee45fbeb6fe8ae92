import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createJsonOrigin } from '@farebox/payments/internal/http/http-json'
import { readProcess, type ProcessDescription } from 'farebox/internal/command-line'
import { readLocalFile, type LocalFile } from './local-file.ts'
import { askUntilStarted, StartLimitError } from './starting/wait-for-start.ts'

/** An economy that another process on this machine runs. */
export interface JoinedEconomy extends Pick<LocalFile, 'chain' | 'payer'> {
  readonly facilitator: { readonly url: string; readonly adminToken: string }
  /** The program that runs it. */
  readonly process: ProcessDescription
  /** Resolves when that process has ended. */
  readonly ended: Promise<void>
  /** Stops watching; the economy continues to run. */
  leave(): void
}

const LOOK_EVERY_MS = 500

/**
 * Joins the economy of a folder that a running process holds (see {@link FolderInUseError}). If the economy is still
 * starting, the function waits for it while that process lives (see `waitForStart`).
 *
 * @param folder the folder of the economy
 * @param pid the process that holds the folder
 * @returns `undefined` when that process ends or its facilitator never answers
 */
export async function joinEconomy(
  folder: string,
  pid: number,
  signal: AbortSignal,
): Promise<JoinedEconomy | undefined> {
  const owner = await readProcess(pid)
  if (owner === undefined) return undefined
  const ask = async (): Promise<{ readonly joined: JoinedEconomy | undefined } | undefined> => {
    const found = await readAnswering(folder)
    if (found !== undefined) return { joined: { ...found, process: owner, ...watch(owner) } }
    return (await isStill(owner)) ? undefined : { joined: undefined }
  }
  try {
    return (await askUntilStarted(ask, { everyMs: LOOK_EVERY_MS, signal })).joined
  } catch (error) {
    if (error instanceof StartLimitError) return undefined
    throw error
  }
}

/**
 * Reads the file of the economy, which remains after the economy stops. The file counts only when the facilitator that it
 * names accepts this folder's token.
 */
async function readAnswering(
  folder: string,
): Promise<Pick<JoinedEconomy, 'chain' | 'payer' | 'facilitator'> | undefined> {
  const file = await readLocalFile(folder)
  const token = await readFile(join(folder, 'facilitator', 'admin-token'), 'utf8').catch(() => undefined)
  if (file === undefined || token === undefined) return undefined
  const facilitator = { url: file.facilitator.url, adminToken: token.trim() }
  return (await answers(facilitator)) ? { chain: file.chain, payer: file.payer, facilitator } : undefined
}

async function answers({ url, adminToken }: JoinedEconomy['facilitator']): Promise<boolean> {
  const origin = createJsonOrigin(url)
  try {
    const headers = { authorization: `Bearer ${adminToken}` }
    const request = { method: 'GET', path: '/secrets?owner=local', headers, timeoutMs: 2_000 } as const
    return (await origin.send(request)).status === 200
  } catch {
    return false
  } finally {
    await origin.close()
  }
}

function watch(owner: ProcessDescription): Pick<JoinedEconomy, 'ended' | 'leave'> {
  const leaving = new AbortController()
  const ended = new Promise<void>(resolve => {
    const look = async (): Promise<void> => {
      while (await isStill(owner))
        await delay(LOOK_EVERY_MS, undefined, { signal: leaving.signal, ref: false })
      resolve()
    }
    // The watch was ended, so its rejection is ignored.
    look().catch(() => undefined)
  })
  return { ended, leave: () => leaving.abort() }
}

async function isStill(owner: ProcessDescription): Promise<boolean> {
  return (await readProcess(owner.pid))?.startedAt === owner.startedAt
}
