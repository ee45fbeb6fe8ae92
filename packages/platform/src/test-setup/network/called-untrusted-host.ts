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

/** The public address that the host is reached at. */
export const UNTRUSTED_ADDRESS = '93.184.216.34'

/** An untrusted host on the pretended internet, and a guard to call it with. */
export interface CalledUntrustedHost {
  readonly stranger: UntrustedHost
  /** Listens at loopback, where no call may ever come. */
  readonly canary: UntrustedHost
  readonly internet: PretendInternet
  readonly outbound: Outbound
  /** The guard's time: its deadlines come only where a test lets it pass. */
  readonly clock: ManualClock
  /** Calls it while it behaves so, a probe unless the request says otherwise. */
  call(behaviour: Behaviour, request?: Partial<OutboundRequest>): Promise<OutboundOutcome>
  close(): Promise<void>
}

/** Starts both. */
export async function startCalledUntrustedHost(): Promise<CalledUntrustedHost> {
  const certificate = makeCertificate(['*.agents.example'])
  let behave: Behaviour = answer('')
  const stranger = await startUntrustedHost((socket, head) => behave(socket, head), { certificate })
  const canary = await startUntrustedHost(answer('inside'))
  const names = { 'one.agents.example': [UNTRUSTED_ADDRESS] }
  const internet = createPretendInternet(names, { [UNTRUSTED_ADDRESS]: stranger.port })
  const { resolve, connectTo } = internet
  const manualClock = createManualClock()
  // How many bytes have come is looked at every few milliseconds.
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
