import { decodeHeader } from './payment-header.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { isText } from './json-shape.ts'

/** The key in the `extensions` of a `PAYMENT-REQUIRED` header that names an agent's spender (D45). */
export const SPEND_EXTENSION = 'farebox-spend'

/** The account that spends for an agent on one network: a permission is given to this account. */
export interface SpenderEntry {
  /** Decimal number of the agent's registration. */
  readonly agent_id: string
  /** `eip155:<chain id>` */
  readonly network: string
  /** Address of the SpendPermissions contract. */
  readonly contract: string
  /** Address. */
  readonly spender: string
}

/** The terms of a permission before it is given, without its spender. */
export interface SpenderTerms {
  readonly agentId: number
  /** `eip155:<chain id>` */
  readonly network: string
  /** Address of the SpendPermissions contract. */
  readonly contract: string
}

/** The spender in lower case, or the reason why there is none. `other`: the agent names a spender for other terms. */
export type NamedSpender =
  | { readonly ok: true; readonly spender: string }
  | { readonly ok: false; readonly kind: 'none' | 'unusable' | 'other'; readonly reason: string }

const ADDRESS = /^0x(?!0{40}$)[0-9a-fA-F]{40}$/

/**
 * Reads the spender that an agent names in the 402 of a capability that declares `EXECUTE_TRANSACTIONS`. The contents are
 * not trusted: agent number, network and contract must match the values that the caller knows.
 *
 * @param header the `PAYMENT-REQUIRED` header; null or undefined when the response has none
 */
export function readSpender(header: string | null | undefined, terms: SpenderTerms): NamedSpender {
  const required = typeof header === 'string' ? decodeHeader(header) : undefined
  const extensions = isObject(required) ? required['extensions'] : undefined
  const entries = isObject(extensions) ? extensions[SPEND_EXTENSION] : undefined
  if (entries === undefined) return refuse('none', 'the agent names no account that it spends from')
  if (!Array.isArray(entries) || !entries.every(isEntry))
    return refuse('unusable', 'the agent does not say in a usable way which account it spends from')
  const entry = entries.find(({ network }) => network === terms.network)
  if (entry === undefined) {
    const networks = entries.map(({ network }) => network).join(', ')
    return refuse('other', `the agent spends on ${networks || 'no network'}, not on ${terms.network}`)
  }
  if (entry.agent_id !== String(terms.agentId))
    return refuse(
      'other',
      `the agent spends as agent ${entry.agent_id}, not as agent ${terms.agentId}: its AGENT_ID is wrong`,
    )
  if (entry.contract.toLowerCase() !== terms.contract.toLowerCase())
    return refuse('other', `the agent spends through another contract, ${entry.contract}`)
  return { ok: true, spender: entry.spender.toLowerCase() }
}

/** Additional keys are allowed. */
function isEntry(value: unknown): value is SpenderEntry {
  return (
    isObject(value) &&
    isText(value['agent_id'], /^[1-9]\d{0,77}$/) &&
    isText(value['network'], /^eip155:[1-9]\d{0,15}$/) &&
    isText(value['contract'], ADDRESS) &&
    isText(value['spender'], ADDRESS)
  )
}

function refuse(kind: 'none' | 'unusable' | 'other', reason: string): NamedSpender {
  return { ok: false, kind, reason }
}
