/** The values of `format`; unlike in JSON Schema they are checked, not only annotations. */
export const FORMATS = [
  'date-time',
  'date',
  'time',
  'email',
  'uri',
  'uuid',
  'ipv4',
  'ipv6',
  'hostname',
] as const

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number]

/** Is this a known format? */
export function isFormat(name: string): name is Format {
  return Object.hasOwn(CHECKS, name)
}

/**
 * Whether the text is of the format. Takes time linear in the text.
 *
 * - `date-time`, `date`, `time`: RFC 3339, real calendar days, offset mandatory, leap seconds at 23:59:60 UTC
 * - `email`: ASCII local part without quotes (at most 64), `@`, a host name
 * - `uri`: RFC 3986 with a scheme; `http` and `https` need a host
 * - `uuid`: RFC 9562, any version, either case
 * - `ipv4`, `ipv6`: as in RFC 2673 and RFC 4291, no leading zeros, no zone
 * - `hostname`: RFC 1123, at most 253 characters, no dot at the end
 */
export function matchesFormat(text: string, format: Format): boolean {
  return CHECKS[format](text)
}

/** A text of the format, for messages and samples. */
export const FORMAT_EXAMPLES: { readonly [format in Format]: string } = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'someone@example.org',
  uri: 'https://example.org/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.org',
}

const CHECKS: { readonly [format in Format]: (text: string) => boolean } = {
  'date-time': text => /^.{10}[Tt]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  date: isDate,
  time: isTime,
  email: isEmail,
  uri: isUri,
  uuid: text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  ipv4: isIpv4,
  ipv6: isIpv6,
  hostname: isHostname,
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && isLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)
  return day >= 1 && day <= days
}

function isTime(text: string): boolean {
  const offset = /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/.exec(text)
  if (offset === null) return false
  const [hour, minute, second] = [text.slice(0, 2), text.slice(3, 5), text.slice(6, 8)].map(Number)
  const offsetHour = Number(offset[2] ?? 0)
  const offsetMinute = Number(offset[3] ?? 0)
  if (hour === undefined || minute === undefined || second === undefined) return false
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offsetMinutes = (offset[1] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  const minuteOfDayUtc = (hour * 60 + minute - offsetMinutes + 2_880) % 1_440
  return second === 60 && minuteOfDayUtc === 1_439
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || at > 64 || !isHostname(text.slice(at + 1))) return false
  const local = text.slice(0, at)
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  return /^[\w.!#$%&'*+/=?^`{|}~-]+$/.test(local)
}

function isHostname(text: string): boolean {
  if (text.length > 253) return false
  return text.split('.').every(label => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label))
}

/** Searches for forbidden characters instead of matching the whole, so that long texts need no stack. */
function isUri(text: string): boolean {
  const scheme = /^[a-z][a-z\d+.-]{0,63}:/i.exec(text)?.[0].toLowerCase()
  if (scheme === undefined) return false
  if (/[^\w.~:/?#[\]@!$&'()*+,;=%-]/.test(text) || /%(?![\da-f]{2})/i.test(text)) return false
  const [beforeFragment = '', ...fragments] = text.slice(scheme.length).split('#', 3)
  if (fragments.length > 1 || /[[\]]/.test(fragments.join(''))) return false
  if (!beforeFragment.startsWith('//')) return !isWeb(scheme) && !/[[\]]/.test(beforeFragment)
  const authorityEnd = beforeFragment.slice(2).search(/[/?]/)
  const authority = authorityEnd < 0 ? beforeFragment.slice(2) : beforeFragment.slice(2, 2 + authorityEnd)
  const afterAuthority = beforeFragment.slice(2 + authority.length)
  return isAuthority(authority, isWeb(scheme)) && !/[[\]]/.test(afterAuthority)
}

function isWeb(scheme: string): boolean {
  return scheme === 'http:' || scheme === 'https:'
}

function isAuthority(text: string, needsHost: boolean): boolean {
  const hostAndPort = text.slice(text.lastIndexOf('@') + 1)
  if (text.length > hostAndPort.length && /[[\]@]/.test(text.slice(0, text.lastIndexOf('@')))) return false
  const literal = /^\[([\da-f:.]{2,45})\](?::\d*)?$/i.exec(hostAndPort)
  if (literal !== null) return isIpv6(literal[1] ?? '')
  const [host = '', port = '', ...more] = hostAndPort.split(':', 3)
  return more.length === 0 && !/[[\]]/.test(host) && /^\d{0,5}$/.test(port) && (host !== '' || !needsHost)
}

function isIpv4(text: string): boolean {
  if (text.length > 15) return false
  const parts = text.split('.')
  return parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map(half => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const tail = all.at(-1)
  const endsInIpv4 = tail !== undefined && tail.includes('.') && !text.endsWith('::')
  const hex = endsInIpv4 ? all.slice(0, -1) : all
  if (endsInIpv4 && !isIpv4(tail)) return false
  const size = hex.length + (endsInIpv4 ? 2 : 0)
  if (!hex.every(group => /^[\da-f]{1,4}$/i.test(group))) return false
  return halves.length === 2 ? size <= 7 : size === 8
}
