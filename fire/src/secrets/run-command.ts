import { spawn } from 'node:child_process'
import type { SecretScan } from './secret-scan.ts'

/** A program that is run to its end, or ended after a while. */
export interface ScannedCommand {
  /** For the report: `farebox start, FACILITATOR_SECRET in PORT`. */
  readonly name: string
  /** The program's file, and its words. */
  readonly args: readonly string[]
  readonly folder: string
  readonly environment?: { readonly [name: string]: string }
  /** Default 15 s. */
  readonly timeoutMs?: number
}

/** Runs it without a terminal, and has all it says scanned. Resolves to its exit code, null where it had to be ended. */
export async function runCommand(
  scan: SecretScan,
  { name, args, folder, ...options }: ScannedCommand,
): Promise<number | null> {
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs ?? 15_000,
    killSignal: 'SIGKILL',
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => scan.read(`stdout of ${name}`, text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => scan.read(`stderr of ${name}`, text))
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code))
  })
}
