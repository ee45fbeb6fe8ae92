import { printable } from '@farebox/conformance/internal/printable'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { isIP } from 'node:net'
import { isLoopback } from '@farebox/client/internal/agent/agent-url'
import { CommandError, usageError } from '../../command-error.ts'
import { readUrl, schemeHint } from '../../terminal/read-option.ts'

/** AgentRegistry stores no longer URL. */
const MAX_ENDPOINT_BYTES = 2_048

/** Reads the URL of `--endpoint` in the form that is registered, without a trailing slash. */
export function readEndpoint(text: string | undefined): string {
  if (text === undefined)
    throw usageError('which agent?', 'farebox register --endpoint https://agent.example')
  const shown = printable(text.slice(0, 100))
  if (!/^https?:\/\//i.test(text)) {
    const next = schemeHint(text.slice(0, 100), 'https', 'like https://agent.example')
    throw usageError(`--endpoint: "${shown}" is not the URL of an agent`, next)
  }
  const url = readUrl('--endpoint', text, { allowHttp: true, next: 'like https://agent.example' })
  if (Buffer.byteLength(url) > MAX_ENDPOINT_BYTES) {
    throw usageError(`--endpoint: has more than ${MAX_ENDPOINT_BYTES} bytes`, 'like https://agent.example')
  }
  return url
}

export function isSameEndpoint(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(url: string): string {
  if (!canParseUrl(url)) return url
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host.replace(/\.(?=$|:)/, '')}${pathname.replace(/\/+$/, '')}`
}

/**
 * Refuses URLs that no platform calls (D37, CLI-04): http, IP addresses, and names of this machine. A platform in local
 * mode also accepts agents on this machine. Which other names and addresses it calls, the platform itself says.
 */
export function refuseUncallable(endpoint: string, options: { readonly localMode: boolean }): void {
  const { protocol, host, hostname, port } = new URL(endpoint)
  const isOwn = isLoopback(hostname)
  if (options.localMode && isOwn) return
  const own = isOwn ? `\n${LOCAL_HINT}` : ''
  if (protocol === 'http:') {
    throw new CommandError(
      `an agent is registered by its https URL, got http://${printable(host)}`,
      `put a certificate in front of it: what goes over http can be read and used on the way${own}`,
    )
  }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new CommandError(
      `${printable(hostname)} is an address, not a name`,
      `give the agent a name: https://agent.example${port === '' ? '' : `:${port}`}${own}`,
    )
  }
  if (isOwn)
    throw new CommandError(
      `${printable(hostname)} is this machine, which nobody but you can reach`,
      `an agent has to be reachable by the platform${own}`,
    )
}

const LOCAL_HINT = 'agents of this machine are registered at a local platform: npm start of Farebox runs one'
