import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopback, readAgentUrl } from '@farebox/client/internal/agent/agent-url'
import { EXIT, CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import { isPublicAddress } from './public-address.ts'

/** AgentRegistry keeps no longer one. */
const MAX_ENDPOINT_BYTES = 2_048

/**
 * Reads the URL of `--endpoint`: the form that is registered, without a slash at its end.
 *
 * @throws {CommandError} for what is no agent's URL
 */
export function readEndpoint(text: string | undefined): string {
  if (text === undefined) throw usage('which agent?', 'farebox register --endpoint https://agent.example')
  const shown = printable(text.slice(0, 100))
  if (!/^https?:\/\//i.test(text)) {
    const next = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text)
      ? `with its scheme: https://${shown}`
      : 'like https://agent.example'
    throw usage(`--endpoint: "${shown}" is not the URL of an agent`, next)
  }
  const url = orRefused(() => readAgentUrl(text, { allowHttp: true }))
  if (Buffer.byteLength(url) > MAX_ENDPOINT_BYTES) {
    throw usage(`--endpoint: has more than ${MAX_ENDPOINT_BYTES} bytes`, 'like https://agent.example')
  }
  return url
}

/** Whether two URLs of agents are the same place, however they are written. */
export function isSameEndpoint(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(url: string): string {
  if (!canParseUrl(url)) return url
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host.replace(/\.(?=$|:)/, '')}${pathname.replace(/\/+$/, '')}`
}

/**
 * Refuses what the platform would never call (D37, CLI-04): http, addresses without a name, names of this machine or
 * of a private network. A platform in local mode takes agents of this machine too.
 *
 * @throws {CommandError} with the reason
 */
export async function refuseUnreachable(
  endpoint: string,
  options: { readonly localMode: boolean },
): Promise<void> {
  const { protocol, host, hostname, port } = new URL(endpoint)
  if (options.localMode && isLoopback(hostname)) return
  const own = isLoopback(hostname) ? `\n${LOCAL_HINT}` : ''
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
  const found = await addressesOf(hostname)
  const hidden = found.find(address => !isPublicAddress(address))
  if (hidden === undefined) return
  throw new CommandError(
    `${printable(hostname)} leads to ${hidden}, which nobody but you can reach`,
    `an agent has to be reachable from everywhere${own}`,
  )
}

const LOCAL_HINT = 'agents of this machine are registered at a local platform: npm start of Farebox runs one'

async function addressesOf(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  } catch (cause) {
    throw new CommandError(
      `the name ${printable(hostname)} cannot be looked up`,
      'is it spelt right, and does it have a record yet?',
      { cause },
    )
  }
}

function orRefused(read: () => string): string {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw usage(printable(reason.replace(/^agent URL/, '--endpoint')), 'like https://agent.example')
  }
}

function usage(message: string, next: string): CommandError {
  return new CommandError(message, next, { exitCode: EXIT.usage })
}
