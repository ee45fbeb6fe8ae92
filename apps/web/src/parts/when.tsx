import type { ReactNode } from 'react'
import { formatClock, formatDate, formatDay, formatExactly, formatWhen, type Zone } from '../format/time.ts'
import { useSite, useTakenOver } from '../site/site.ts'

const DAY = 86_400

/** The format of a moment. */
export type WhenForm = 'ago' | 'clock' | 'date' | 'exact' | 'since'

/**
 * A moment, given in Unix seconds. The server renders UTC; the browser uses its own zone once it has taken over the page.
 */
export function When({ at, form = 'ago' }: { readonly at: number; readonly form?: WhenForm }): ReactNode {
  const { now: read } = useSite()
  const zone = useZone()
  // An event newer than the page is dated by the browser's clock.
  const now = zone === 'local' && at > read ? Math.max(at, Date.now() / 1_000) : read
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={formatExactly(at, zone)}>
      {write(at, now, zone, form)}
    </time>
  )
}

/** UTC while the page is as the server rendered it, then the reader's own zone. */
export function useZone(): Zone {
  return useTakenOver() ? 'local' : 'utc'
}

function write(at: number, now: number, zone: Zone, form: WhenForm): string {
  switch (form) {
    case 'ago':
      return formatWhen(at, now, zone)
    case 'clock':
      return formatClock(at, zone)
    case 'date':
      return formatDate(at, zone)
    case 'since':
      return now - at < DAY ? formatClock(at, zone, false) : formatDay(at, zone)
    case 'exact':
      return `${formatDate(at, zone)}, ${formatClock(at, zone)}`
  }
}
