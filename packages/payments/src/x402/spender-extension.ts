import { decodeHeader } from './payment-header.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { isText } from './json-shape.ts'

/** Names who spends for an agent in the `extensions` of a `PAYMENT-REQUIRED` header (D45). */
export const SPEND_EXTENSION = 'farebox-spend'

/** The account that spends for an agent on one network: a permission names this account. */
export interface SpenderEntry {
  /** Decimal, as registered. */
  readonly agent_id: string
  /** `eip155:<chain id>` */
  readonly network: string
  /** SpendPermissions. */
  readonly contract: string
  /** Address. */
  readonly spender: string
}

/** The permission that somebody is about to give, without the account that it names. */
export interface SpenderTerms {
  readonly agentId: number
  /** `eip155:<chain id>` */
  readonly network: string
  /** SpendPermissions. */
  readonly contract: string
}

/** The account, in lower case; or why there is none. `other`: it is one for something else than was meant. */
export type NamedSpender =
  | { readonly ok: true; readonly spender: string }
  | { readonly ok: false; readonly kind: 'none' | 'unusable' | 'other'; readonly reason: string }

const ADDRESS = /^0x(?!0{40}$)[0-9a-fA-F]{40}$/

/**
 * Reads whom an agent names in the 402 of a capability that declares `EXECUTE_TRANSACTIONS`. Nothing in it is believed: number,
 * network and contract have to be those that the caller knows.
 *
 * @param header the `PAYMENT-REQUIRED` header; null or undefined where the answer has none
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

/** Others may say more than we read. */
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
