import type { Answer } from '../event-log.ts'
import { findLastingPort } from '../stage/lasting-ports.ts'
import type { Stage } from '../stage/stage.ts'
import { startWire, type Carry, type Wire } from '../stage/wire.ts'
import type { Fault } from './fault.ts'

/** Where a fault happens: which agent is called, by its wire, and the wire that breaks. */
export interface Place {
  readonly agentUrl: string
  readonly wire: Wire
}

/** A wire between any two processes of a stage. */
export interface Script {
  readonly places: { readonly [at in Fault['at']]: Place }
  /** Resolves once nothing is on its way. */
  idle(): Promise<void>
}

/** Starts a facilitator and three agents, each with a store of its own. */
export async function openScript(stage: Stage): Promise<Script> {
  const wires: Wire[] = []
  const connect = async (target: string, carry?: Carry): Promise<Wire> => {
    const wire = await startWire(target, carry)
    wires.push(wire)
    stage.onEnd(wire.stop)
    return wire
  }
  const node = await connect(stage.chain.rpcUrl)
  const { url } = await stage.addFacilitator(node.url)
  const hire = async (name: string, toFacilitator: Wire, rpcUrl?: string): Promise<Wire> => {
    const port = await findLastingPort()
    const toAgent = await connect(`http://127.0.0.1:${port}`, notedBy(stage, name))
    await stage.addAgent({
      ownStore: name,
      port,
      facilitatorUrl: toFacilitator.url,
      environment: { SERVICE_PUBLIC_URL: toAgent.url, ...(rpcUrl && { SERVICE_RPC_URL: rpcUrl }) },
    })
    return toAgent
  }
  const [believed, doubted, checked] = [
    await connect(url),
    await connect(url, withoutHolds),
    await connect(url),
  ]
  // It believes our facilitator, which proves what it says; the others have a node of their own.
  const believer = await hire('believer', believed)
  const doubter = await hire('doubter', doubted, stage.chain.rpcUrl)
  const checker = await hire('checker', checked, stage.chain.rpcUrl)
  return {
    places: {
      facilitator: { agentUrl: believer.url, wire: believed },
      liar: { agentUrl: doubter.url, wire: doubted },
      holder: { agentUrl: checker.url, wire: checked },
      agent: { agentUrl: believer.url, wire: believer },
      node: { agentUrl: believer.url, wire: node },
    },
    idle: async () => void (await Promise.all(wires.map(wire => wire.idle()))),
  }
}

/** Makes a facilitator of ours look like any other. */
async function withoutHolds(
  { call }: { readonly call: string },
  deliver: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await deliver()
  return call === '/supported' ? { ...answer, body: answer.body.replace('"farebox-hold"', '') } : answer
}

/** Notes each paid request that reaches an agent, as an order of its payer, and the answer. */
function notedBy({ eventLog }: Stage, agent: string): Carry {
  return ({ body, payment }, deliver) =>
    payment === '' ? deliver() : eventLog.note(eventLog.place(body, payment, 'payer'), agent, deliver)
}
