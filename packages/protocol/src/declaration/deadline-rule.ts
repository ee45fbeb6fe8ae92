import { MAX_MAX_DEADLINE_SECONDS } from '../limits.ts'
import type { Rule } from '../field-rules/rule.ts'

/** `max_deadline_seconds` (D28). */
export function maxDeadline(): Rule {
  return {
    check(value, path) {
      if (typeof value === 'number' && value > 0 && value <= MAX_MAX_DEADLINE_SECONDS) return []
      const reason = `must be a number of seconds, more than 0 and at most ${MAX_MAX_DEADLINE_SECONDS}`
      return [{ path, reason, fix: fixDeadline(value) }]
    },
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_MAX_DEADLINE_SECONDS, examples: [10] },
    example: 10,
  }
}

function fixDeadline(value: unknown): string {
  const seconds = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof seconds !== 'number' || !(seconds > 0)) return 'write a number of seconds, such as 10'
  if (seconds <= MAX_MAX_DEADLINE_SECONDS) return `write ${seconds}, without quotes`
  const inSeconds = seconds / 1_000
  return Number.isInteger(inSeconds) && inSeconds <= MAX_MAX_DEADLINE_SECONDS
    ? `write ${inSeconds}: it is in seconds, not milliseconds`
    : `write ${MAX_MAX_DEADLINE_SECONDS} or less`
}
