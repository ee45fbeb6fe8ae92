import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { EventLog } from '../event-log.ts'
import type { StageAgent } from '../stage/parties.ts'
import { openStage, type Stage, type StageOptions } from '../stage/stage.ts'
import { startWire, type Crossing, type Delivered, type Wire } from '../stage/wire.ts'

/** An agent, and the wires to and from it. */
export interface WiredAgent {
  readonly agent: StageAgent
  /** Between client and agent. */
  readonly agentWire: Wire
  /** Between agent and facilitator. */
  readonly facilitatorWire: Wire
}

/** A stage with a wire between any two of its processes. */
export interface ScriptStage extends Stage {
  /** Between facilitator and chain node. */
  readonly node: Wire
  /** Believes our facilitator, which proves what it says. */
  readonly believer: WiredAgent
  /** Has a node of its own; its facilitator names no extension. */
  readonly doubter: WiredAgent
  /** Has a node of its own, though its facilitator names the hold extension. */
  readonly checker: WiredAgent
}

/** Starts a facilitator and three agents, each with a store of its own. */
export async function openScriptStage(options: StageOptions): Promise<ScriptStage> {
  const stage = await openStage(options)
  try {
    const wire = async (...parts: Parameters<typeof startWire>): Promise<Wire> => {
      const started = await startWire(...parts)
      stage.onEnd(started.stop)
      return started
    }
    const node = await wire(stage.chain.rpcUrl)
    const { url } = (await stage.addFacilitator(node.url)).access()
    const hire = async (name: string, facilitatorWire: Wire, doubts: boolean): Promise<WiredAgent> => {
      let agentWire: Wire | undefined
      const agent = await stage.addAgent({
        ownStore: name,
        facilitatorUrl: facilitatorWire.url,
        ...(doubts && { environment: { SERVICE_RPC_URL: stage.chain.rpcUrl } }),
        async at(own) {
          agentWire = await wire(own, { onDelivery: record(stage.eventLog, name) })
          return agentWire.url
        },
      })
      if (agentWire === undefined) throw new Error(`${name} has no wire`)
      return { agent, agentWire, facilitatorWire }
    }
    return {
      ...stage,
      node,
      believer: await hire('believer', await wire(url), false),
      doubter: await hire('doubter', await wire(url, { change: withoutHolds }), true),
      checker: await hire('checker', await wire(url), true),
    }
  } catch (error) {
    await stage.end()
    throw error
  }
}

/** Makes a facilitator of ours look like any other. */
function withoutHolds(call: string, delivered: Delivered): Delivered {
  return call === '/supported'
    ? { ...delivered, text: delivered.text.replace('"farebox-hold"', '') }
    : delivered
}

/** Writes down each paid request that reached an agent, as an order of its payer, and the answer. */
function record(
  eventLog: EventLog,
  agent: string,
): (crossing: Crossing, sentMs: number, answer: Delivered | Error) => void {
  return ({ body, payment: header }, sentMs, delivered) => {
    if (header === '') return
    const { job_id: jobId } = JSON.parse(body) as { job_id: string }
    const { payload } = decodeHeader(header) as { payload: { authorization: Authorization } }
    const { from, to, ...rest } = payload.authorization
    const group = from.toLowerCase()
    const order = { jobId, body, header, authorization: { from, to: to.toLowerCase(), ...rest }, group }
    eventLog.orders.set(jobId, order)
    const attempt = { agent, sentMs, endedMs: Date.now() }
    if (delivered instanceof Error)
      eventLog.attempted(order, { ...attempt, answer: undefined, trouble: delivered.message })
    else {
      const { status, text, headers } = delivered
      const answer = { status, body: text, receipt: String(headers['payment-response'] ?? '') }
      eventLog.attempted(order, { ...attempt, answer, trouble: '' })
    }
  }
}
