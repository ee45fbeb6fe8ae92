import { createManualClock, type ManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import {
  createOutbound,
  type Outbound,
  type OutboundOutcome,
  type OutboundRequest,
} from '../../outbound/outbound.ts'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import { makeCertificate } from './certificate.ts'
import { createPretendInternet, type PretendInternet } from './pretend-internet.ts'
import { answer, startUntrustedHost, type Behaviour, type UntrustedHost } from './untrusted-host.ts'

/** The public address of the untrusted host. */
export const UNTRUSTED_ADDRESS = '93.184.216.34'

/** An untrusted host on the simulated internet, and a guard to call it with. */
export interface CalledUntrustedHost {
  readonly stranger: UntrustedHost
  /** Listens on loopback, and must never receive a call. */
  readonly canary: UntrustedHost
  readonly internet: PretendInternet
  readonly outbound: Outbound
  /** The clock of the guard; its deadlines expire only when a test advances it. */
  readonly clock: ManualClock
  /** Calls the host with this behaviour; the call is a probe unless the request changes it. */
  call(behaviour: Behaviour, request?: Partial<OutboundRequest>): Promise<OutboundOutcome>
  close(): Promise<void>
}

/** Starts the host and the canary. */
export async function startCalledUntrustedHost(): Promise<CalledUntrustedHost> {
  const certificate = makeCertificate(['*.agents.example'])
  let behave: Behaviour = answer('')
  const stranger = await startUntrustedHost((socket, head) => behave(socket, head), { certificate })
  const canary = await startUntrustedHost(answer('inside'))
  const names = { 'one.agents.example': [UNTRUSTED_ADDRESS] }
  const internet = createPretendInternet(names, { [UNTRUSTED_ADDRESS]: stranger.port })
  const { resolve, connectTo } = internet
  const manualClock = createManualClock()
  // Uses real time for short waits, because the guard checks the number of received bytes every few milliseconds.
  const clock: Clock = {
    nowMs: manualClock.nowMs,
    after: (ms, callback) => (ms <= 100 ? systemClock : manualClock).after(ms, callback),
  }
  const ca = certificate.certificate
  const outbound = createOutbound({ localMode: false, clock, resolve, connectTo, ca })
  return {
    stranger,
    canary,
    internet,
    outbound,
    clock: manualClock,
    call(behaviour, request = {}) {
      behave = behaviour
      const url = 'https://one.agents.example/health'
      return outbound.send({ url, method: 'GET', ...PROBE_LIMITS, timeoutMs: 5_000, ...request })
    },
    async close() {
      await outbound.close()
      await Promise.all([stranger.close(), canary.close()])
    },
  }
}
