import { fork } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BatteryProgress, BatteryResult, BatteryRun } from '../battery.ts'

/** What the process of a battery is asked for. */
export interface BatteryOrder extends Omit<BatteryRun, 'signal' | 'progress'> {
  readonly name: string
}

/** What it answers: progress as often as it likes, and at the end one of the others. */
export type BatteryMessage =
  | { readonly kind: 'progress'; readonly progress: BatteryProgress }
  | { readonly kind: 'result'; readonly result: BatteryResult }
  | { readonly kind: 'failed'; readonly message: string }

/** How long a battery may take to end what it started, once it has said its result. */
const LEAVING_MS = 20_000

/**
 * Runs a battery in a process of its own: one that dies takes no other along. What it prints goes to `logFile`, and to
 * `onOutput`. Rejects where the battery itself failed, with its reason.
 */
export async function runApart(
  order: BatteryOrder,
  logFile: string,
  onProgress: (progress: BatteryProgress) => void,
  onOutput: (text: string) => void,
): Promise<BatteryResult> {
  const child = fork(fileURLToPath(new URL('./battery-process.ts', import.meta.url)), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const log = createWriteStream(logFile)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.pipe(log, { end: false })
    stream?.setEncoding('utf8').on('data', onOutput)
  }
  let outcome: Exclude<BatteryMessage, { kind: 'progress' }> | undefined
  let leaving: NodeJS.Timeout | undefined
  child.on('message', (message: BatteryMessage) => {
    if (message.kind === 'progress') onProgress(message.progress)
    else {
      outcome = message
      leaving = setTimeout(() => child.kill('SIGKILL'), LEAVING_MS)
    }
  })
  child.send(order)
  const left = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  clearTimeout(leaving)
  log.end()
  if (outcome === undefined) throw new Error(`ended by ${left} before it had a result: see ${logFile}`)
  if (outcome.kind === 'failed') throw new Error(outcome.message)
  if (left !== 'exit code 0') {
    const finding = `still busy ${LEAVING_MS / 1_000} s after its result (${left})`
    return { ...outcome.result, findings: [...outcome.result.findings, finding] }
  }
  return outcome.result
}
