import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BatteryProgress, BatteryResult, BatteryRun } from '../battery.ts'

/** The request to the process of a battery. */
export interface BatteryOrder extends Omit<BatteryRun, 'signal' | 'progress'> {
  readonly name: string
}

/** Its messages: any number of progress reports, and finally its result. */
export interface BatteryMessage {
  readonly progress?: BatteryProgress
  readonly result?: BatteryResult
}

/** A battery that has reported its result ends its processes; this limit only ends a hang. */
const LEAVING_MS = 300_000

/**
 * Runs a battery in its own process, so that a crash does not affect the others. Its output goes to `logFile`, and to
 * `onOutput`. Rejects if the battery itself failed.
 */
export async function runApart(
  order: BatteryOrder,
  logFile: string,
  onProgress: (progress: BatteryProgress) => void,
  onOutput: (text: string) => void,
): Promise<BatteryResult> {
  const child = fork(fileURLToPath(new URL('./battery-process.ts', import.meta.url)), { silent: true })
  const log = createWriteStream(logFile)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.pipe(log, { end: false })
    stream?.setEncoding('utf8').on('data', onOutput)
  }
  let result: BatteryResult | undefined
  let leaving: NodeJS.Timeout | undefined
  child.on('message', (message: BatteryMessage) => {
    if (message.progress !== undefined) onProgress(message.progress)
    if (message.result === undefined) return
    result = message.result
    leaving = setTimeout(() => child.kill('SIGKILL'), LEAVING_MS)
  })
  child.send(order)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(leaving)
  log.end()
  const left = signal ?? `exit code ${code}`
  if (result === undefined) throw new Error(`ended by ${left} before it had a result: see ${logFile}`)
  if (code === 0) return result
  const finding = `still busy ${LEAVING_MS / 1_000} s after its result (${left})`
  return { ...result, findings: [...result.findings, finding] }
}
