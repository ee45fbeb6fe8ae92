import type { Check } from './check.ts'

/** Returns whether the check can be run against an agent of which only its published data is known. */
export function isForUnknownAgent({ needs }: Check): boolean {
  return needs.knows.length === 0
}
