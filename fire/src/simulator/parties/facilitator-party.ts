import { createFacilitator } from '@farebox/facilitator/create-facilitator'
import type { FacilitatorLimits } from '@farebox/facilitator/facilitator-limits'
import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { describeError, type Log } from '@farebox/server/log'
import { createVirtualRpc } from '../chain/virtual-rpc.ts'
import type { VirtualAnswer, VirtualApp } from '../stand-ins/fastify.ts'
import { drawGrain, facilitatorClock } from '../time/process-clocks.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Callee } from '../wires/exchange.ts'
import type { World } from '../world.ts'
import { createVirtualSignals, ledgerPort, type VirtualSignals } from './ledger-port.ts'
import { supervise, type Program, type Supervised } from './supervise.ts'

/** A request on its way to a facilitator. */
export interface FacilitatorCall {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
}

/** Facilitators behind one address. */
export interface FacilitatorParty {
  readonly processes: readonly Supervised<FacilitatorCall, VirtualAnswer>[]
  find(): Callee<FacilitatorCall, VirtualAnswer> | undefined
}

/** How facilitators are set up: ours, over one ledger. */
export interface FacilitatorSetup {
  readonly ledger: Ledger
  /** Those of each process; two with the same key share its lease. */
  readonly relayerKeys: readonly (readonly string[])[]
  readonly limits: Partial<FacilitatorLimits>
  /** How late their timers come at most. */
  readonly timerGrainMs: number
}

/** Starts our facilitators. */
export function startFacilitatorParty(world: World, setup: FacilitatorSetup): FacilitatorParty {
  const balancing = world.random.fork('balancer of the facilitators')
  const signals = createVirtualSignals(world.wires)
  const processes = setup.relayerKeys.map((relayerKeys, index) =>
    supervise<FacilitatorCall, VirtualAnswer>({
      name: `facilitator.${index + 1}`,
      kind: 'facilitator',
      wires: world.wires,
      random: world.random.fork(`facilitator.${index + 1}`),
      processes: world.processes,
      start: process => startOne(world, setup, relayerKeys, process, signals),
    }),
  )
  return { processes, find: () => balancing.pick(processes).serving() }
}

async function startOne(
  world: World,
  setup: FacilitatorSetup,
  relayerKeys: readonly string[],
  process: VirtualProcess,
  signals: VirtualSignals,
): Promise<Program<FacilitatorCall, VirtualAnswer>> {
  const { wires, network, crypto } = world
  const facilitator = await createFacilitator({
    ledger: ledgerPort(world, setup.ledger, process, signals),
    rpc: createVirtualRpc({
      wires,
      process,
      kind: 'facilitator',
      node: world.node.facilitator,
      random: world.random.fork(`node of ${process.name}`),
    }),
    network,
    crypto,
    relayerKeys,
    clock: facilitatorClock(process, drawGrain(world.random, process, setup.timerGrainMs)),
    log: traceLog(world, process),
    limits: setup.limits,
  })
  // The application is the one of `stand-ins/fastify.ts`, put there when the sources were bundled.
  const app = facilitator.app as unknown as VirtualApp
  return {
    async serve({ method, path, headers, body }) {
      const answer = await app.handle(method, path, headers, body)
      wires.trace.note(process.name, () => `answers ${answer.status} ${path} ${JSON.stringify(answer.body)}`)
      return answer
    },
    stop: () => facilitator.close(),
  }
}

function traceLog({ wires }: World, process: VirtualProcess): Log {
  const note = (event: string, fields: object = {}): void =>
    wires.trace.note(process.name, () => {
      const said = Object.entries(fields).map(([name, value]) => `${name}=${describe(value)}`)
      return `log: ${event} ${said.join(' ')}`
    })
  return { info: note, warn: note, error: note }
}

function describe(value: unknown): string {
  return value instanceof Error ? describeError(value) : String(value)
}
