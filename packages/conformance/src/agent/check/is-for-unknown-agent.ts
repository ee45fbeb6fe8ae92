import type { Check } from './check.ts'

/** Whether the check can be put to an agent of which nothing is known beyond what it tells everybody. */
export function isForUnknownAgent({ needs }: Check): boolean {
  return needs.knows.length === 0
}
