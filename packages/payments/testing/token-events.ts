import type { Authorization } from '../src/authorization/eip-3009.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '../src/chain/chain-proof.ts'
import type { ChainLog } from '../src/chain/chain-receipt.ts'
import { findNetwork, type Network } from '../src/networks.ts'

export const VALID_BEFORE = 1_800_000_060
export const authorization: Authorization = {
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  value: '10000',
  validAfter: '0',
  validBefore: String(VALID_BEFORE),
  nonce: `0x${'33'.repeat(32)}`,
}
export const STRANGER = `0x${'44'.repeat(20)}`
export const HASH = `0x${'ab'.repeat(32)}`
export const network = knownNetwork('eip155:84532')

function knownNetwork(id: string): Network {
  const found = findNetwork(id)
  if (found === undefined) throw new Error(`no network ${id}`)
  return found
}

export function word(hex: string): string {
  return `0x${hex.replace(/^0x/, '').padStart(64, '0')}`
}

export function event(
  topic: string,
  changes: { readonly from?: string; readonly nonce?: string; readonly address?: string } = {},
): ChainLog {
  return {
    address: changes.address ?? network.asset.address,
    topics: [topic, word(changes.from ?? authorization.from), changes.nonce ?? authorization.nonce],
    data: '0x',
  }
}

export function transfer(
  changes: {
    readonly from?: string
    readonly to?: string
    readonly value?: bigint
    readonly address?: string
    readonly data?: string
  } = {},
): ChainLog {
  return {
    address: changes.address ?? network.asset.address,
    topics: [TRANSFER_TOPIC, word(changes.from ?? authorization.from), word(changes.to ?? authorization.to)],
    data: changes.data ?? word((changes.value ?? 10_000n).toString(16)),
  }
}

export const used = event(AUTHORIZATION_USED_TOPIC)
export const cancelled = event(AUTHORIZATION_CANCELED_TOPIC)
