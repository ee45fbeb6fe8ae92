import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { JsonAnswer, JsonOrigin } from '@farebox/payments/src/http/http-json'
import type { World } from '../build-world.ts'
import { withTimeout } from '../time/virtual-process.ts'
import { exchange, type Callee } from '../wires/exchange.ts'
import { callThroughPort, PortFailed } from '../wires/port.ts'
import type { FacilitatorCall } from './facilitator-party.ts'

/** The usual maximum duration of a message, from an agent and from a facilitator. */
const USUAL_MS = { agent: 6, facilitator: 8 } as const

/** The response of nodes to too many requests (EIP-1474). */
const LIMIT_EXCEEDED = { code: -32_005, message: 'limit exceeded' }

type Request = Parameters<JsonOrigin['send']>[0]
type FindFacilitator = () => Callee<FacilitatorCall, JsonAnswer> | undefined

/**
 * Opens the route from a process to a host: `http://facilitator.<process>` or `http://node.<process>`. The process name
 * in the URL distinguishes its connections from those of others.
 */
export function createOpenOrigin(world: World, find: FindFacilitator): (url: string) => JsonOrigin {
  const { wires, processes, node, random } = world
  return url => {
    const [host = '', ...caller] = new URL(url).hostname.split('.')
    const process = processes.get(caller.join('.'))
    if (process === undefined) throw new Error(`no process is called ${caller.join('.')}`)
    const busy = random.fork(`node of ${process.name}`)
    const kind = process.name.startsWith('facilitator') ? 'facilitator' : 'agent'
    const parcel = { caller: process, usualMs: USUAL_MS[kind] }
    const askFacilitator = ({ method, path, headers = {}, body: sent }: Request): Promise<JsonAnswer> => {
      const request = { method, path, headers, body: sent === undefined ? undefined : JSON.stringify(sent) }
      return exchange(wires, { ...parcel, label: `${method} ${path}`, request, find })
    }
    const askNode = async (method: string, parameters: readonly unknown[]): Promise<JsonAnswer> => {
      const request = { method, parameters }
      try {
        const result = await exchange(wires, { ...parcel, label: method, request, find: () => node[kind] })
        return { status: 200, body: { result } }
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error
        const { code, message, details } = error
        return { status: 200, body: { error: { code, message, data: details } } }
      }
    }
    const send = (request: Request): Promise<JsonAnswer> => {
      const call = { process, kind, port: 'network' } as const
      if (host !== 'node') {
        const name = `${host} ${request.path}`
        return callThroughPort(wires, { ...call, name, call: () => askFacilitator(request) })
      }
      const { method, params } = request.body as { method: string; params: readonly unknown[] }
      const ask = { ...call, call: () => askNode(method, params) }
      if (kind === 'agent') return callThroughPort(wires, { ...ask, name: `node ${method}` })
      return callThroughPort(wires, { ...ask, port: 'node', name: method }).catch((error: unknown) => {
        // A node that is too busy returns an error, or nothing at all.
        if (!(error instanceof PortFailed && busy.chance(0.3))) throw error
        wires.faults.happened('nodes too busy')
        return { status: 200, body: { error: LIMIT_EXCEEDED } }
      })
    }
    return {
      send: request => withTimeout(process, request.timeoutMs, send(request)),
      close: () => Promise.resolve(),
    }
  }
}
