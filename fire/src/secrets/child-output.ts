import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CHILD_LINES, type ChildLine } from '@farebox/local/src/processes/child-process'
import type { SecretScan } from './secret-scan.ts'

/** Has everything scanned that the children of this process say from now on, whoever starts them. Returns how to stop. */
export function scanChildren(scan: SecretScan): () => void {
  const listen = (message: unknown): void => {
    const { command, pid, line } = message as ChildLine
    scan.read(`${command.split('/').slice(-2).join('/')} (process ${pid ?? '?'})`, `${line}\n`)
  }
  subscribe(CHILD_LINES, listen)
  return () => void unsubscribe(CHILD_LINES, listen)
}
