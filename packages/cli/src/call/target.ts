import { quote } from '@farebox/client/quote'
import type { Quote } from '@farebox/client/attempt/read-quote'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { findLocalEconomy, isOnLoopback, type LocalEconomy } from '../keys/local-economy.ts'
import type { World } from '../world.ts'
import type { CallOptions } from './call-options.ts'

export interface CallTarget {
  readonly url: string
  readonly declaration: Declaration
  readonly name: string
  readonly capability: Capability
}

/**
 * Requests the price of a job and checks it against `/about` and our table. Returns `undefined` when the agent asks for no
 * payment.
 */
export async function askCallPrice(
  { signal }: World,
  { url, declaration, name }: CallTarget,
  { allowHttp, networks }: CallOptions,
): Promise<Quote | undefined> {
  const limits = networks === undefined ? {} : { networks }
  return await quote({ url, declaration }, name, { allowHttp, signal, ...limits })
}

export async function localEconomyBeside(
  world: World,
  url: string,
  network: string,
): Promise<LocalEconomy | undefined> {
  const local = isOnLoopback(url) ? await findLocalEconomy(world) : undefined
  return local?.network === network ? local : undefined
}
