const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HOUR = 3_600
const DAY = 86_400

/** The time zone of displayed times: the server uses UTC, a browser its own zone. */
export type Zone = 'utc' | 'local'

/** The elapsed time within the last hour; otherwise the time of day, or the day. Times are in Unix seconds. */
export function formatWhen(at: number, now: number, zone: Zone): string {
  const ago = now - at
  if (ago >= 0 && ago < 60) return `${Math.floor(ago)} s ago`
  if (ago >= 0 && ago < HOUR) return `${Math.floor(ago / 60)} min ago`
  if (ago >= 0 && ago < DAY) return formatClock(at, zone, false)
  return Math.abs(ago) < 300 * DAY
    ? `${formatDay(at, zone)}, ${formatClock(at, zone, false)}`
    : formatDate(at, zone)
}

/** `14:47:23`, or `14:47`. */
export function formatClock(at: number, zone: Zone, withSeconds = true): string {
  const [, , , hour, minute, second] = parts(at, zone)
  return [hour, minute, ...(withSeconds ? [second] : [])].map(twoDigits).join(':')
}

/** `22 Nov` */
export function formatDay(at: number, zone: Zone): string {
  const [, month, day] = parts(at, zone)
  return `${day} ${MONTHS[month] ?? ''}`
}

/** `22 Nov 2026` */
export function formatDate(at: number, zone: Zone): string {
  return `${formatDay(at, zone)} ${parts(at, zone)[0]}`
}

/** Formats `2026-11-22` as `22 Nov 2026`; undefined when the text is not a valid day. */
export function formatIsoDay(text: string): string | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  const month = MONTHS[Number(match?.[2]) - 1]
  return match === null || month === undefined ? undefined : `${Number(match[3])} ${month} ${match[1]}`
}

/** `22 Nov 2026, 14:47:23 UTC`: the full form, for titles. */
export function formatExactly(at: number, zone: Zone): string {
  const name = zone === 'utc' ? 'UTC' : zoneName(at)
  return `${formatDate(at, zone)}, ${formatClock(at, zone)} ${name}`
}

function parts(at: number, zone: Zone): readonly [number, number, number, number, number, number] {
  const date = new Date(at * 1_000)
  if (zone === 'utc') {
    return [
      date.getUTCFullYear(),
      date.getUTCMonth(),
      date.getUTCDate(),
      date.getUTCHours(),
      date.getUTCMinutes(),
      date.getUTCSeconds(),
    ]
  }
  return [
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
    date.getSeconds(),
  ]
}

function zoneName(at: number): string {
  const minutes = -new Date(at * 1_000).getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const size = Math.abs(minutes)
  return `UTC${minutes < 0 ? '−' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`
}

function twoDigits(number: number | undefined): string {
  return String(number).padStart(2, '0')
}
