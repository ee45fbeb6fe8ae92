import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isLoopback } from '@farebox/client/agent-url'
import { isAddress } from '@farebox/payments/address'

/** The economy that runs on this machine, as its `.farebox/local.json` tells it. */
export interface LocalEconomy {
  /** The file. */
  readonly path: string
  /** `eip155:<chain id>` */
  readonly network: string
  readonly rpcUrl: string
  /** A test wallet with test money. */
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** A file of ours is a few kilobytes. */
const MAX_CHARACTERS = 1_048_576

/**
 * Looks for `.farebox/local.json`, which a running local economy writes, in a folder and those above it. A file
 * that is not one of ours, or whose chain is not on this machine, counts as none: whoever can write to a folder
 * above must not be asked for balances.
 */
export async function findLocalEconomy(folder: string): Promise<LocalEconomy | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, '.farebox', 'local.json')
    const found = await readFile(path, 'utf8').catch(() => undefined)
    if (found !== undefined) return readLocalFile(path, found)
    if (dirname(here) === here) return undefined
  }
}

function readLocalFile(path: string, text: string): LocalEconomy | undefined {
  const file = text.length > MAX_CHARACTERS ? undefined : parse(text)
  const [chain, payer] = [objectOf(file, 'chain'), objectOf(file, 'payer')]
  const { network, rpcUrl } = chain
  const { address, privateKey } = payer
  if (typeof network !== 'string' || !/^eip155:\d{1,15}$/.test(network)) return undefined
  if (typeof rpcUrl !== 'string' || !isOnLoopback(rpcUrl)) return undefined
  if (!isAddress(address) || typeof privateKey !== 'string') return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) return undefined
  return { path, network, rpcUrl, payer: { address: address.toLowerCase(), privateKey } }
}

/** Is this URL's host this machine itself? */
export function isOnLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function objectOf(value: unknown, key: string): { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return {}
  const found: unknown = Object.hasOwn(value, key) ? (value as { [key: string]: unknown })[key] : undefined
  return typeof found === 'object' && found !== null ? (found as { readonly [key: string]: unknown }) : {}
}
