import { cutToLine } from '../format/cut-to-line.ts'
import { WalletProblem, type Wallet, type WalletAccounts } from './wallet.ts'

/** The interface of a wallet in the browser (EIP-1193). */
interface Provider {
  request(asked: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  readonly on?: (event: string, listener: () => void) => void
  readonly removeListener?: (event: string, listener: () => void) => void
}

/** A wallet that has announced itself (EIP-6963). Its name and icon are its own and untrusted. */
export interface FoundWallet {
  /** A reverse domain name that is the same on every visit. */
  readonly id: string
  readonly name: string
  /** A `data:` image; undefined when the wallet announced anything else. */
  readonly icon: string | undefined
  readonly provider: Provider
}

const MOST_WALLETS = 12
const MOST_NAME = 40
const MOST_ICON = 100_000

/**
 * Asks the wallets of this browser to announce themselves, and calls back with each longer list; returns a function that
 * stops it.
 */
export function watchWallets(changed: (wallets: readonly FoundWallet[]) => void): () => void {
  const found = new Map<string, FoundWallet>()
  const announce = (event: Event): void => {
    const wallet = readAnnouncement(event)
    const known = [...found.values()].map(({ provider }) => provider)
    if (wallet === undefined || known.includes(wallet.provider) || found.size >= MOST_WALLETS) return
    // The first wallet to announce an identifier may not be its owner, so all of them are shown.
    let id = wallet.id
    for (let number = 2; found.has(id); number += 1) id = `${wallet.id} ${number}`
    found.set(id, { ...wallet, id })
    changed([...found.values()])
  }
  addEventListener('eip6963:announceProvider', announce)
  dispatchEvent(new Event('eip6963:requestProvider'))
  return () => removeEventListener('eip6963:announceProvider', announce)
}

/**
 * Connects a wallet. The wallet asks its owner unless it was allowed before.
 *
 * @param ask whether the wallet may ask; otherwise the result is undefined when it would have to
 * @throws {WalletProblem}
 */
export async function connectWallet(found: FoundWallet, ask: boolean): Promise<Wallet | undefined> {
  const [address] = await readAccounts(found, ask ? 'eth_requestAccounts' : 'eth_accounts')
  if (address !== undefined) return openAccount(found, address)
  if (!ask) return undefined
  throw new WalletProblem('none', `${found.name} did not share an account.`)
}

function openAccount(found: FoundWallet, address: string): Wallet {
  return {
    kind: 'browser',
    name: found.name,
    address,
    signTypedData: typedData => signTyped(found, address, typedData),
    async signPermit(terms) {
      const { permitTypedData } = await import('@farebox/contracts/token-permit')
      return await signTyped(found, address, permitTypedData(terms))
    },
    async signMessage(text) {
      const hex = Array.from(new TextEncoder().encode(text), byte => byte.toString(16).padStart(2, '0')).join(
        '',
      )
      return readHex(found, await put(found, 'personal_sign', [`0x${hex}`, address]))
    },
    async sendTransaction({ to, value, data }) {
      const transaction = { from: address, to, value: `0x${value.toString(16)}`, data }
      return readHex(found, await put(found, 'eth_sendTransaction', [transaction]))
    },
    readChain: (method, params) => put(found, method, params),
    accounts: openAccounts(found),
    useChain: chain => switchChain(found, chain),
  }
}

async function signTyped(
  found: FoundWallet,
  address: string,
  typedData: { readonly types: object },
): Promise<string> {
  const text = JSON.stringify(
    { ...typedData, types: { EIP712Domain: DOMAIN_TYPE, ...typedData.types } },
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  )
  return readHex(found, await put(found, 'eth_signTypedData_v4', [address, text]))
}

function openAccounts(found: FoundWallet): WalletAccounts {
  const { provider } = found
  return {
    async take(address) {
      const accounts = await readAccounts(found, 'eth_requestAccounts')
      return accounts.includes(address) ? openAccount(found, address) : undefined
    },
    async choose() {
      await put(found, 'wallet_requestPermissions', [{ eth_accounts: {} }]).catch(() => undefined)
    },
    watch(changed) {
      provider.on?.('accountsChanged', changed)
      return () => provider.removeListener?.('accountsChanged', changed)
    },
  }
}

async function readAccounts(
  found: FoundWallet,
  method: 'eth_requestAccounts' | 'eth_accounts',
): Promise<readonly string[]> {
  const accounts = await (method === 'eth_accounts' ? ask(found, method) : put(found, method))
  return (Array.isArray(accounts) ? accounts : [])
    .map(account => String(account).toLowerCase())
    .filter(account => /^0x[0-9a-f]{40}$/.test(account))
}

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Error codes of EIP-1193, EIP-1474 and EIP-3085. */
const UNKNOWN_CHAIN = 4_902
const DECLINED = 4_001
const NOT_ALLOWED = 4_100
const ASKING = -32_002

/** A wallet may answer before it has switched, so it is polled for this long. */
const SWITCHED_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 200

async function switchChain(
  found: FoundWallet,
  { id, name, rpcUrl }: Parameters<Wallet['useChain']>[0],
): Promise<void> {
  const chainId = `0x${id.toString(16)}`
  const isThere = async (): Promise<boolean> => Number(await ask(found, 'eth_chainId')) === id
  const change = async (): Promise<unknown> => await put(found, 'wallet_switchEthereumChain', [{ chainId }])
  if (await isThere()) return
  try {
    await change()
  } catch (error) {
    if (isAnswer(error) || rpcUrl === undefined) throw error
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const added = { chainId, chainName: name, rpcUrls: [rpcUrl], nativeCurrency }
    await put(found, 'wallet_addEthereumChain', [added]).catch((addError: unknown) => {
      // The wallet cannot add networks and still does not know this one, so its owner has to add it.
      throw isAnswer(addError) ? addError : error
    })
    // Some wallets add a network without switching to it.
    if (!(await isThere())) await change()
  }
  for (let waitedMs = 0; waitedMs < SWITCHED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    if (await isThere()) return
    await pause(LOOK_EVERY_MS)
  }
  throw new WalletProblem(
    'other-chain',
    `${found.name} is still on another network. Switch it to ${name} and try again.`,
  )
}

/** Whether the reader has declined, or is already being asked. */
function isAnswer(error: unknown): boolean {
  return error instanceof WalletProblem && (error.kind === 'declined' || error.kind === 'asking')
}

/** The time limit for requests that a wallet answers without asking its owner. */
const ANSWERED_WITHIN_MS = 15_000

async function ask(found: FoundWallet, method: 'eth_chainId' | 'eth_accounts'): Promise<unknown> {
  const silent = new AbortController()
  const late = pause(ANSWERED_WITHIN_MS, silent.signal).then(() => {
    throw new WalletProblem('failed', `${found.name} is not responding. Open it or reload this page.`)
  })
  try {
    return await Promise.race([put(found, method), late])
  } finally {
    silent.abort()
  }
}

/** Resolves after the delay; never resolves once the signal has aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => clearTimeout(timer))
  })
}

async function put(found: FoundWallet, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await found.provider.request({ method, params })
  } catch (error) {
    const code =
      typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : undefined
    if (code === DECLINED) throw new WalletProblem('declined', `You declined the request in ${found.name}.`)
    if (code === UNKNOWN_CHAIN)
      throw new WalletProblem('other-chain', `${found.name} does not recognize this network.`)
    if (code === ASKING)
      throw new WalletProblem('asking', `${found.name} already has an open request. Respond to it there.`)
    if (code === NOT_ALLOWED)
      throw new WalletProblem('not-allowed', `${found.name} has not authorized this page.`)
    if (/insufficient funds/i.test(readMessage(error)))
      throw new WalletProblem('too-little', `${found.name} reports insufficient funds.`)
    throw new WalletProblem('failed', `${found.name} returned an error: ${readMessage(error)}`)
  }
}

function readMessage(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
  return cutToLine(message, 200)
}

function readHex(found: FoundWallet, value: unknown): string {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return value
  throw new WalletProblem('failed', `${found.name} did not return a signature.`)
}

function readAnnouncement(event: Event): FoundWallet | undefined {
  const { detail } = event as CustomEvent<unknown>
  if (typeof detail !== 'object' || detail === null || !('info' in detail) || !('provider' in detail))
    return undefined
  const { info, provider } = detail
  if (typeof info !== 'object' || info === null || !isProvider(provider)) return undefined
  const { rdns, name, icon } = info as { readonly [key: string]: unknown }
  if (typeof rdns !== 'string' || typeof name !== 'string') return undefined
  const isImage =
    typeof icon === 'string' &&
    icon.length < MOST_ICON &&
    /^data:image\/(?:svg\+xml|png|webp|jpeg)[;,]/.test(icon)
  return {
    id: rdns.slice(0, 100),
    name: cutToLine(name, MOST_NAME) || 'Unnamed wallet',
    icon: isImage ? icon : undefined,
    provider,
  }
}

function isProvider(value: unknown): value is Provider {
  return (
    typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'
  )
}
