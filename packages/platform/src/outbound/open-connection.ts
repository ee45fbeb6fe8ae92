import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import type { Clock } from '@farebox/protocol/time/clock'
import { startDeadline } from './deadline.ts'
import { isLocalHost } from './address/host-rules.ts'
import type { Target } from './address/judge-url.ts'
import { OutboundFailure } from './address/outbound-failure.ts'
import {
  areOnPrivateNetwork,
  findOwnService,
  findThisMachine,
  type PrivateNetworks,
} from './address/private-networks.ts'
import { isAllowedAddress, isSameAddress, isWithin, type AddressBlock } from './address/public-address.ts'
import type { Resolve } from './address/resolve-name.ts'

/**
 * Begins a TCP connection to an address that has passed every rule. This is the only place where a socket is created,
 * so tests without an internet replace it; their sockets must still report the requested address as `remoteAddress`.
 */
export type ConnectTo = (address: string, port: number) => Socket

/** Connects over the machine's own network. */
export const connectOverTcp: ConnectTo = (address, port) =>
  connectTcp({ host: address, port, noDelay: true, keepAlive: true })

/** The requirements of every connection. */
export interface ConnectionWays {
  readonly localMode: boolean
  /**
   * Public addresses that must not be called, such as the platform's own, through which a router would lead inside
   * (SSRF-01).
   */
  readonly shunnedAddresses: readonly AddressBlock[]
  readonly clock: Clock
  readonly resolve: Resolve
  readonly connectTo: ConnectTo
  readonly secureContext: SecureContext | undefined
  /** Networks that the operator opened (D54), and the certificate authorities trusted on them. */
  readonly privateNetworks: PrivateNetworks | undefined
  readonly privateSecureContext: SecureContext | undefined
}

/** The addresses to connect to, and whether they are on a private network. */
export interface AllowedAddresses {
  readonly addresses: readonly string[]
  readonly isPrivate: boolean
}

/** A connection to an untrusted host, including TLS. */
export interface OpenConnection {
  readonly address: string
  readonly socket: Socket
  /** Releases the slot at this address. */
  leave(): void
}

/** The signal and the slot that a connection waits for. */
export interface Turn {
  readonly signal: AbortSignal
  /** Waits for a slot at this address (SSRF-07); resolves to the function that releases it. */
  occupy(address: string): Promise<() => void>
}

/** How many addresses of one host are tried; each except the last is given {@link ADDRESS_ATTEMPT_MS}. */
const MAX_ADDRESSES_TRIED = 3
const ADDRESS_ATTEMPT_MS = 3_000

const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1']

/**
 * Resolves a host to its addresses, provided that every one is allowed: public and not shunned (SSRF-02), or, where the
 * call may go to a private network, every one on it. A name that also leads elsewhere is not called at all. Otherwise
 * rejects with an `OutboundFailure`.
 */
export async function resolveAllowed(
  target: Target,
  ways: ConnectionWays,
  signal: AbortSignal,
): Promise<AllowedAddresses> {
  const found = await unlessAborted(findAddresses(target.host, ways, signal), signal)
  if (found.length === 0) throw new OutboundFailure('unreachable', 'dns: no address')
  const shunned = found.filter(address => isWithin(address, ways.shunnedAddresses))
  if (shunned.length > 0) throw new OutboundFailure('refused-address', `shunned: ${shunned.join(', ')}`)
  const addresses = found.slice(0, MAX_ADDRESSES_TRIED)
  const { privateNetworks } = ways
  if (
    privateNetworks !== undefined &&
    target.isPrivate !== 'no' &&
    areOnPrivateNetwork(found, privateNetworks)
  ) {
    const here = findThisMachine(found)
    if (here !== undefined) throw new OutboundFailure('refused-address', `this machine: ${here}`)
    const reached = { addresses: found, port: target.port }
    const own = await unlessAborted(findOwnService(reached, privateNetworks), signal)
    if (own !== undefined) throw new OutboundFailure('refused-address', `a service of our own: ${own}`)
    return { addresses, isPrivate: true }
  }
  const refused =
    target.isPrivate === 'only' ? found : found.filter(one => !isAllowedAddress(one, ways.localMode))
  if (refused.length > 0) throw new OutboundFailure('refused-address', `not allowed: ${refused.join(', ')}`)
  return { addresses, isPrivate: false }
}

/** Connects to the first address that accepts the connection; the host name is still used for TLS. */
export async function connectToFirst(
  target: Target,
  { addresses, isPrivate }: AllowedAddresses,
  ways: ConnectionWays,
  turn: Turn,
): Promise<OpenConnection> {
  const secureContext = isPrivate ? ways.privateSecureContext : ways.secureContext
  let lastError: unknown
  for (const [index, address] of addresses.entries()) {
    const leave = await turn.occupy(address)
    const attemptMs = index === addresses.length - 1 ? Number.POSITIVE_INFINITY : ADDRESS_ATTEMPT_MS
    const attempt = startDeadline(ways.clock, attemptMs, [turn.signal])
    try {
      const socket = await connectAddress(target, address, { ...ways, secureContext }, attempt.signal)
      return { address, leave, socket }
    } catch (error) {
      leave()
      turn.signal.throwIfAborted()
      if (error instanceof OutboundFailure && error.reason === 'refused-address') throw error
      lastError = error
    } finally {
      attempt.stop()
    }
  }
  throw new OutboundFailure('unreachable', `connect: ${String(lastError)}`, { cause: lastError })
}

function findAddresses(host: string, ways: ConnectionWays, signal: AbortSignal): Promise<readonly string[]> {
  // An address in the URL, or a local host name, is not sent to a name server. The rules accept such hosts in local
  // mode only.
  if (isIP(host) !== 0) return Promise.resolve([host])
  if (ways.localMode && isLocalHost(host)) return Promise.resolve(LOCALHOST_ADDRESSES)
  return ways.resolve(host, signal)
}

async function connectAddress(
  target: Target,
  address: string,
  ways: ConnectionWays,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = ways.connectTo(address, target.port)
  // An error may occur while no promise waits for it; the user of the socket sees that it is closed.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    const reached = socket.remoteAddress
    if (reached === undefined || !isSameAddress(reached, address)) {
      throw new OutboundFailure('refused-address', `asked for ${address}, reached ${String(reached)}`)
    }
    return target.secure ? await secure(socket, target.host, ways, signal) : socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function secure(
  socket: Socket,
  host: string,
  ways: ConnectionWays,
  signal: AbortSignal,
): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    // RFC 6066 §3: an IP address is not a valid server name.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, so that no environment variable disables it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(ways.secureContext !== undefined && { secureContext: ways.secureContext }),
  })
  tls.on('error', () => undefined)
  try {
    await once(tls, 'secureConnect', { signal })
    return tls
  } catch (error) {
    tls.destroy()
    throw error
  }
}
