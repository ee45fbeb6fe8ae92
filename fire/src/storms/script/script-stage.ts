import { noteAttempt } from '../event-log.ts'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import type { Stage } from '../stage/stage.ts'
import { startWire, type Carry, type Wire } from '../stage/wire.ts'
import type { Fault } from './fault.ts'

/** Where a fault happens: which agent is called, by its wire, and the wire that breaks. */
export type Places = {
  readonly [at in Fault['at']]: { readonly agentUrl: string; readonly wire: Wire }
}

/** Makes a facilitator of ours look like any other. */
const withoutHolds: Carry = async ({ call }, deliver) => {
  const answer = await deliver()
  return call === '/supported' ? { ...answer, body: answer.body.replace('"farebox-hold"', '') } : answer
}

/**
 * Starts a facilitator and three agents, each with a store of its own, and a wire between any two processes. `idle`
 * resolves once nothing is on its way.
 */
export async function openScript(stage: Stage) {
  const wires: Wire[] = []
  const connect = async (target: string, carry?: Carry): Promise<Wire> => {
    const wire = await startWire(target, carry)
    wires.push(wire)
    stage.onStrike(wire.stop)
    return wire
  }
  const node = await connect(stage.chain.rpcUrl)
  const facilitator = await stage.addFacilitator({ rpcUrl: node.url })
  /** An agent, whose paid requests are noted as orders of their payer, and its wire to the facilitator. */
  const hire = async (name: string, hasNode: boolean, carry?: Carry): Promise<readonly [Wire, Wire]> => {
    const toFacilitator = await connect(facilitator.url, carry)
    const port = await findLastingPort()
    const toAgent = await connect(`http://127.0.0.1:${port}`, ({ body, payment }, deliver) =>
      payment === '' ? deliver() : noteAttempt(stage.eventLog.place(body, payment, 'payer'), name, deliver),
    )
    await stage.addAgent({
      ownStore: name,
      port,
      facilitatorUrl: toFacilitator.url,
      environment: {
        SERVICE_PUBLIC_URL: toAgent.url,
        ...(hasNode && { SERVICE_RPC_URL: stage.chain.rpcUrl }),
      },
    })
    return [toAgent, toFacilitator]
  }
  // It believes our facilitator, which proves what it says; the others have a node of their own.
  const [believer, believed] = await hire('believer', false)
  const [doubter, doubted] = await hire('doubter', true, withoutHolds)
  const [checker, checked] = await hire('checker', true)
  const places: Places = {
    facilitator: { agentUrl: believer.url, wire: believed },
    liar: { agentUrl: doubter.url, wire: doubted },
    holder: { agentUrl: checker.url, wire: checked },
    agent: { agentUrl: believer.url, wire: believer },
    node: { agentUrl: believer.url, wire: node },
  }
  return { places, idle: async () => void (await Promise.all(wires.map(wire => wire.idle()))) }
}
