import { formatClock, formatDay } from '../format/time.ts'

const HOUR = 3_600

/** An hour by its day and its ends, in UTC as the platform counts them: `22 Nov, 14:00 to 15:00`. */
export function formatSpanOfHour(at: number): string {
  return `${formatDay(at, 'utc')}, ${formatClock(at, 'utc', false)} to ${formatClock(at + HOUR, 'utc', false)}`
}
