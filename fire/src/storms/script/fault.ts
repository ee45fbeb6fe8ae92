import { setTimeout as delay } from 'node:timers/promises'
import { give, giveHead, type Act, type WireFault } from '../stage/wire.ts'

/** A fault, and its place. */
export interface Fault extends WireFault {
  /** The place, the fault, and its victim, in words. */
  readonly name: string
  /**
   * Between agent and facilitator, client and agent, or facilitator and node. A `liar` lacks the hold extension and a
   * `holder` names it; both have agents with a node of their own, which verify all its answers on the chain.
   */
  readonly at: 'facilitator' | 'liar' | 'holder' | 'agent' | 'node'
  readonly on: 'paid' | '/settle' | '/verify' | 'eth_call' | 'eth_sendRawTransaction'
  /**
   * `delivered`: the job must be delivered and paid for. `either`: or it fails with a true answer, and nothing was
   * charged.
   */
  readonly ends: 'delivered' | 'either'
  /** Our client, or a stock x402 one that is called again. */
  readonly caller: 'ours' | 'stock'
  /** Takes more than ten seconds: runs in the long form only. */
  readonly isSlow: boolean
}

/** The fault's effect, and its differences from the defaults. */
type Row = readonly [what: string, act: Act, rest?: Partial<Fault>]

/** The faults of a table. */
export function faultsOf(
  common: Pick<Fault, 'at' | 'on'> & Partial<Fault>,
  rows: readonly Row[],
): readonly Fault[] {
  const usual = { times: 1, ends: 'delivered', caller: 'ours', isSlow: false } as const
  const client = common.caller === 'stock' ? ' (stock x402 client)' : ''
  return rows.map(([what, act, rest]) => {
    const name = `${common.at}: ${what}${client}`
    return { ...usual, ...common, name, act, ...rest }
  })
}

export const HTML = { 'content-type': 'text/html' }
export const BAD_GATEWAY = '<html><body><h1>502 Bad Gateway</h1></body></html>'

/** Answers in place of the server. */
export function says(
  status: number,
  body: string,
  headers: { readonly [name: string]: string } = { 'content-type': 'application/json' },
): Act {
  return ({ response }) => give(response, { status, headers, body })
}

/** Ends the connection without an answer. */
export const reset: Act = ({ response }) => void response.destroy()

/** The request arrives and is served; the fault decides the caller's answer. */
export function served(act: Act): Act {
  return async crossing => {
    await crossing.deliver()
    await act(crossing)
  }
}

/** The answer is delayed by this much. */
export function late(ms: number): Act {
  return async ({ deliver, response }) => {
    const answer = await deliver()
    await delay(ms)
    give(response, answer)
  }
}

/** The caller gets an answer, and the request arrives this much later. */
export function afterwards(act: Act, ms: number): Act {
  return async crossing => {
    await act(crossing)
    await delay(ms)
    await crossing.deliver()
  }
}

/** States the length of the body, sends half of it and disconnects. */
export const brokenOff: Act = async ({ deliver, response }) => {
  const answer = await deliver()
  giveHead(response, answer)
  response.write(answer.body.slice(0, answer.body.length / 2), () => response.destroy())
}

/** Five milliseconds between two bytes of the body. */
export const dripping: Act = async ({ deliver, response }) => {
  const answer = await deliver()
  giveHead(response, answer)
  for (const byte of Buffer.from(answer.body)) {
    response.write(Buffer.of(byte))
    await delay(5)
  }
  response.end()
}

/** The caller gets the first of two answers. */
export const twice: Act = async ({ deliver, response }) => {
  const [one] = await Promise.all([deliver(), deliver()])
  give(response, one)
}

/** The caller gets an answer derived from the true one. */
export function changed(change: (text: string) => string): Act {
  return async ({ deliver, response }) => {
    const answer = await deliver()
    give(response, { ...answer, status: 200, body: change(answer.body) })
  }
}
