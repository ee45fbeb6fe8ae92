import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import type { BrowserContext, Page } from 'playwright-core'

/** A wallet in a page, whose mind is a test's: its keys are the chain's own test accounts. */
export interface BrowserWallet {
  /** What it shows of itself, once the page has asked for it: its person refuses nothing. */
  accounts: readonly string[]
  /** The page has asked for the accounts. */
  isAllowed: boolean
  /** Decides what a method does instead of asking the chain; undefined: the chain is asked. */
  answer: (method: string, params: readonly unknown[]) => unknown
  /** Methods in the order in which the page asked. */
  readonly asked: string[]
  /** Tells the page that its person has changed the account. */
  changeAccount(page: Page, account: string): Promise<void>
}

/** What a wallet says instead of an answer (EIP-1193). */
export class WalletError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Puts a wallet into every page of a context, announced as EIP-6963 has it. */
export async function installWallet(
  context: BrowserContext,
  chain: Pick<LocalChain, 'rpcUrl'>,
  given: { readonly name: string; readonly account: string },
): Promise<BrowserWallet> {
  const wallet: BrowserWallet = {
    accounts: [given.account],
    isAllowed: false,
    answer: () => undefined,
    asked: [],
    async changeAccount(page, account) {
      wallet.accounts = [account]
      await page.evaluate('window.accountsChanged()')
    },
  }
  await context.exposeFunction('askWallet', async (method: string, params: readonly unknown[]) => {
    wallet.asked.push(method)
    try {
      return { result: await answerOf(wallet, chain, method, params) }
    } catch (error) {
      const code = error instanceof WalletError ? error.code : -32_603
      return { error: { code, message: error instanceof Error ? error.message : String(error) } }
    }
  })
  await context.addInitScript({ content: `(${IN_PAGE})(${JSON.stringify(given.name)})` })
  return wallet
}

async function answerOf(
  wallet: BrowserWallet,
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const decided: unknown = await wallet.answer(method, params)
  if (decided !== undefined) return decided
  if (method === 'eth_requestAccounts') wallet.isAllowed = true
  if (method === 'eth_requestAccounts' || method === 'eth_accounts')
    return wallet.isAllowed ? wallet.accounts : []
  if (method === 'wallet_requestPermissions') return []
  return await callAnvil(rpcUrl, method, [...params])
}

/** Runs in the page, before its own script. */
const IN_PAGE = `name => {
  const listeners = new Set()
  window.accountsChanged = () => { for (const one of [...listeners]) one() }
  const provider = {
    async request({ method, params = [] }) {
      const { result, error } = await window.askWallet(method, params)
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    on: (event, listener) => listeners.add(listener),
    removeListener: (event, listener) => listeners.delete(listener),
  }
  const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="%23e2761b"/></svg>'
  const info = Object.freeze({ uuid: '350670db-19fa-4704-a166-e52e178b59d2', name, icon, rdns: 'example.wallet' })
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}`
