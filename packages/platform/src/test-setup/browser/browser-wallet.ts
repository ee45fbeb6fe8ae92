import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import type { BrowserContext, Page } from 'playwright-core'

/** A wallet in a page, controlled by the test. Its keys are those of the chain's test accounts. */
export interface BrowserWallet {
  /** The accounts that it returns once the page has requested them; its user always agrees. */
  accounts: readonly string[]
  /** Whether the page has requested the accounts. */
  isAllowed: boolean
  /** Returns the result of a method instead of the chain's; undefined to ask the chain. */
  answer: (method: string, params: readonly unknown[]) => unknown
  /** The methods that the page called, in order. */
  readonly asked: string[]
  /** Notifies the page that the user has changed the account. */
  changeAccount(page: Page, account: string): Promise<void>
}

/** The error that a wallet returns instead of a result (EIP-1193). */
export class WalletError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Installs a wallet in every page of a context, announced according to EIP-6963. */
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

/** Runs in the page, before the page's own script. */
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
