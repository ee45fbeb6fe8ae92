import { createFacilitator } from '@farebox/facilitator/create-facilitator'
import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { World } from '../build-world.ts'
import type { Stage } from '../history/stage.ts'
import type { VirtualAnswer, VirtualApp } from '../stand-ins/fastify.ts'
import { drawGrain, processClock } from '../time/process-clocks.ts'
import type { WorkloadPlan } from '../workload/plan-workload.ts'
import { createVirtualSignals, ledgerPort } from './ledger-port.ts'
import { hostName, supervise, type Supervised } from './supervise.ts'

/** A request on its way to a facilitator. */
export interface FacilitatorCall {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
}

type Facilitators = readonly Supervised<FacilitatorCall, VirtualAnswer>[]

/** Starts our facilitators, over one ledger. Two with the same key share its lease. */
export function startFacilitators(
  world: World,
  { cast }: Stage,
  plan: WorkloadPlan,
  ledger: Ledger,
): Facilitators {
  const { wires, network, crypto, random } = world
  const signals = createVirtualSignals(wires)
  const [first = '', second = ''] = cast.relayerKeys
  const keysOf = (index: number): readonly string[] =>
    plan.hasAllKeys ? [first, second] : [index === 0 || plan.sharesRelayer ? first : second]
  return Array.from({ length: plan.facilitators }, (_, index) => {
    const name = `facilitator.${index + 1}`
    return supervise<FacilitatorCall, VirtualAnswer>(world, name, random.fork(name), async process => {
      const facilitator = await createFacilitator({
        ledger: ledgerPort(world, ledger, process, signals(process)),
        rpc: createJsonRpc(`http://node.${hostName(process)}`),
        network,
        crypto,
        relayerKeys: keysOf(index),
        clock: processClock(process, drawGrain(random, process, plan.timerGrainMs)),
        log: wires.trace.logOf(process.name),
        limits: plan.limits,
      })
      // The application of `stand-ins/fastify.ts`, which replaces the real one in the bundle.
      const app = facilitator.app as unknown as VirtualApp
      return {
        async serve({ method, path, headers, body }) {
          const answer = await app.handle(method, path, headers, body)
          wires.trace.note(
            process.name,
            () => `answers ${answer.status} ${path} ${JSON.stringify(answer.body)}`,
          )
          return answer
        },
        stop: () => facilitator.close(),
      }
    })
  })
}
