import type { Listening } from '../commands/listening.ts'

/** What a worker tells the process that watches over it. */
export type WorkerReport =
  | { readonly kind: 'listening'; readonly listening: Listening }
  /** It cannot start, and has said why. */
  | { readonly kind: 'refused' }

/** What a worker is told: stop taking jobs, finish those in flight, end. */
export const STOP = 'stop'

/** A message as it came over the channel; undefined for what is not ours: handlers may send messages of their own. */
export function readReport(message: unknown): WorkerReport | undefined {
  if (!isObject(message)) return undefined
  const { kind, listening } = message
  if (kind === 'refused') return { kind }
  if (kind !== 'listening' || !isObject(listening)) return undefined
  const { name, url, mode, logFormat } = listening
  if (typeof name !== 'string' || typeof url !== 'string' || typeof mode !== 'string') return undefined
  return { kind, listening: { name, url, mode, logFormat: logFormat === 'json' ? 'json' : 'text' } }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
