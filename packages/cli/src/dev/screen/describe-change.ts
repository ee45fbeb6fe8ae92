import type { Restart } from './announcer.ts'

/** More are counted. */
const MAX_LISTED = 3

/** What changed and what became of it: `agent.json changed`, `restarted in 140 ms`. */
export function describeChange({ files, tookMs, isRecovered }: Restart): {
  readonly what: string
  readonly done: string
} {
  return {
    what: files.length === 0 ? 'new process' : `${listed(files)} changed`,
    done: `${isRecovered ? 'serving again in' : 'restarted in'} ${tookMs} ms`,
  }
}

/** What a change that cannot be served leaves behind. */
export function describeRest(stillServing: boolean): string {
  return stillServing
    ? 'still serving the last good version'
    : 'nothing is served: it is tried again at the next save'
}

function listed(files: readonly string[]): string {
  if (files.length <= MAX_LISTED) return files.join(', ')
  return `${files.slice(0, MAX_LISTED - 1).join(', ')} and ${files.length - MAX_LISTED + 1} more`
}
